/** Tests which simulations `tryRoute` makes of a route and its alternatives, and what it concludes from them. */
import { IGuard__factory } from '@sluice/bindings'
import { type Address, type Hex, NATIVE, toAddress } from '@sluice/chains'
import { families, type Pool } from '@sluice/liquidity'
import type { RoutePlan } from '@sluice/routing'
import { SimulationError, type SimulationRequest } from '@sluice/simulation'
import { describe, expect, test } from 'vitest'
import { singleLegRoute } from './faulty-legs.ts'
import { type QuoteRequest, quoteRequest, resolveSlippage } from './request.ts'
import { type TrialContext, tryRoute } from './try-route.ts'

const at = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const [A, B, WETH, SENDER, GUARD, EXECUTOR] = [0xa, 0xb, 0xe, 0x5e, 0x91, 0x92].map(at) as [
  ...[Address, Address, Address, Address, Address, Address],
]
const NOW = 1_800_000_000
const DEADLINE = NOW + 1_200
const guard = IGuard__factory.createInterface()
const block = { number: 7, hash: '0x07', timestamp: NOW }
const poolOf = (n: number): Pool => ({
  ...{ id: `pool ${n}`, address: at(n), family: 'uniswap-v2', dex: 'test', tokens: [A, B] },
  state: { reserve0: 10n ** 24n, reserve1: 10n ** 24n, feePpm: 3_000 },
})
/** A route through one pool whose gas is worth one base unit of the output per unit. */
const routeOf = (n: number, amountOut = 1_000_000n): RoutePlan => ({
  ...singleLegRoute({
    ...{ pool: poolOf(n), tokenIn: A, tokenOut: B, num: 1n, den: 1n, amountIn: 1_000_000n, amountOut, gas: 100_000 },
  }),
  gasCostOut: 100_000n,
})
const route = routeOf(1)
const paying = (amountOut: bigint, gasUsed = 100_000, more: object = {}) => ({
  ...{ success: true, amountOut, gasUsed, returnData: '0x', ways: {} },
  ...more,
})

type Setup = {
  readonly alternatives?: readonly RoutePlan[]
  readonly request?: Partial<QuoteRequest>
  readonly plan?: RoutePlan
  /** Unix time in seconds of the later simulation. */
  readonly laterAt?: number
  readonly code?: Hex
  /** Code by account; default: `code`. */
  readonly codes?: Readonly<Record<Address, Hex>>
  /** Balance of the input that the sender has. */
  readonly balance?: bigint
  readonly taxPpm?: bigint
  readonly isStuck?: boolean
  /** Mode of the bare run, by pool. */
  readonly bareRunMode?: (plan: RoutePlan) => SimulationRequest['bareRunMode']
}
/** Tries a route on a chain that answers each simulation in its turn; the later one is answered by `later`. */
async function trialOf(answers: readonly unknown[], setup: Setup = {}, later: unknown = undefined) {
  const [sent, sentLater]: SimulationRequest[][] = [[], []]
  const avoided: ReadonlySet<Address>[] = []
  const [observedGas, observedCode]: unknown[][] = [[], []]
  const context = {
    contracts: {
      ...{ guard: GUARD, executor: { address: EXECUTOR } },
      families: new Map(families.map((family) => [family.id, family])),
    },
    wrappedNative: WETH,
    taxes: { transferPpm: () => setup.taxPpm ?? 0n, isStuck: () => setup.isStuck ?? false },
    simulate: async (request: SimulationRequest, avoid: ReadonlySet<Address>) => {
      avoided.push(avoid)
      const answer = request.withHead ? answers[sent!.push(request) - 1] : later
      if (!request.withHead) sentLater!.push(request)
      if (answer instanceof Error) throw answer
      return answer
    },
    clock: () => NOW * 1_000,
    laterGas: {
      simulationTimeOf: () => setup.laterAt,
      observe: (plan: RoutePlan, ...rest: unknown[]) => observedGas!.push([plan.legs[0]!.pool.id, ...rest]),
    },
    contractBalances: { heldTokens: async () => 'balances' },
    senderCodeChecks: {
      bareRunModeOf: async (plan: RoutePlan) => setup.bareRunMode?.(plan),
      observe: (plan: RoutePlan, differs: boolean) => observedCode!.push([plan.legs[0]!.pool.id, differs]),
    },
    ...{ rpc: {}, simulation: { blockIntervalMs: 12_000 }, signal: new AbortController().signal },
    view: {
      snapshot: { block },
      codeOf: async (account: Address) => setup.codes?.[account] ?? setup.code ?? '0x',
      balanceOf: async () => setup.balance ?? 0n,
    },
  } as unknown as TrialContext
  const request = resolveSlippage(
    quoteRequest({ tokenIn: A, tokenOut: B, from: SENDER, amountIn: 1_000_000n, ...setup.request }),
  )
  const trial = await tryRoute(setup.plan ?? route, setup.alternatives ?? [], request, context)
  return { trial, sent: sent!, sentLater: sentLater!, avoided, observedGas: observedGas!, observedCode: observedCode! }
}
const poolIdOf = (trial: object) => 'route' in trial && (trial.route as RoutePlan).legs[0]!.pool.id
const orderOf = (data: string) => guard.parseTransaction({ data })!.args.order

describe('alternative routes', () => {
  const alternatives = [routeOf(2, 1_030_000n), routeOf(3, 1_010_000n)]
  const others = (...outcomes: readonly object[]) => ({ alternatives: outcomes })

  test('are simulated in the same call, and the route that pays most after gas is the result', async () => {
    const answer = paying(1_000_000n, 100_000, others(paying(1_030_000n, 140_000), paying(1_010_000n, 105_000)))
    const { trial, sent, avoided } = await trialOf([answer], { alternatives })
    expect(sent).toHaveLength(1)
    expect(sent[0]!.alternatives).toHaveLength(2)
    // Each has its own minimum output, 0.5 % below what it is expected to pay.
    expect(sent[0]!.alternatives!.map((data) => orderOf(data).minOutput)).toEqual([1_024_850n, 1_004_950n])
    expect([...avoided[0]!].toSorted()).toEqual([1, 2, 3].map(at))
    expect(poolIdOf(trial)).toBe('pool 3')
    expect(trial).toMatchObject({
      ...{ outcome: 'exact', amountOut: 1_010_000n, minOutput: 1_004_950n, balances: 'balances', shortfallPpm: 0n },
      simulation: { gasUsed: 105_000, amountOut: 1_010_000n },
    })
    expect('swap' in trial && trial.swap.data).toBe(sent[0]!.alternatives![1])
  })

  test('that fail or pay less than expected are not the result', async () => {
    const failed = { ...paying(1_030_000n), success: false }
    const answer = paying(1_000_000n, 100_000, others(failed, paying(1_009_999n)))
    expect(poolIdOf((await trialOf([answer], { alternatives })).trial)).toBe('pool 1')
    const unanswered = await trialOf([paying(1_000_000n)], { alternatives })
    expect(poolIdOf(unanswered.trial)).toBe('pool 1')
  })

  test('have no gas after refunds, which only the first route reports', async () => {
    const first = { chargedGas: 90_000, ...others(paying(1_030_000n), paying(1_010_000n)) }
    const { trial } = await trialOf([paying(1_000_000n, 100_000, first)], { alternatives })
    expect(poolIdOf(trial)).toBe('pool 2')
    expect('simulation' in trial && trial.simulation).not.toHaveProperty('chargedGas')
  })

  test('that need a bare run are confirmed by one, and lose if they depend on the probe', async () => {
    const answer = paying(1_000_000n, 100_000, others(paying(1_030_000n), paying(1_010_000n)))
    const setup = {
      alternatives,
      bareRunMode: (plan: RoutePlan) => (plan === alternatives[0] ? 'charged' : undefined),
    } as const
    const confirmed = await trialOf([answer, paying(1_030_000n, 120_000, { ways: { sender: 'same' } })], setup)
    expect(confirmed.sent[1]).toMatchObject({ bareRunMode: 'charged', data: confirmed.sent[0]!.alternatives![0] })
    expect(confirmed.trial).toMatchObject({ simulation: { gasUsed: 120_000 }, amountOut: 1_030_000n })
    // A charged run without a difference compares only gas, so it is not recorded.
    expect(confirmed.observedCode).toEqual([])
    const dependent = await trialOf([answer, paying(1n, 120_000, { ways: { sender: 'bare' } })], setup)
    expect(poolIdOf(dependent.trial)).toBe('pool 1')
    expect(dependent.observedCode).toEqual([['pool 2', true]])
  })
})

describe('a bare run', () => {
  test('that measures gas is recorded, with or without a difference', async () => {
    const measured = (sender: string | undefined) =>
      trialOf([paying(1_000_000n, 1, { ways: { sender } })], { bareRunMode: () => 'measured' })
    const { sent, observedCode } = await measured('same')
    expect(sent).toMatchObject([{ bareRunMode: 'measured' }])
    expect(observedCode).toEqual([['pool 1', false]])
    expect((await measured('bare')).observedCode).toEqual([['pool 1', true]])
    expect((await measured(undefined)).observedCode).toEqual([])
  })

  test('whose difference may come from code of the caller is not recorded for tokens and pools', async () => {
    const answers = [paying(1_000_000n, 1, { ways: { sender: 'bare' } })]
    const measuredSetup: Setup = { bareRunMode: () => 'measured' }
    expect((await trialOf(answers, { ...measuredSetup, code: '0xc0de' })).observedCode).toEqual([])
    for (const request of [{ recipient: EXECUTOR }, { feePpm: 1n, feeRecipient: EXECUTOR }])
      expect(
        (await trialOf(answers, { ...measuredSetup, request, codes: { [EXECUTOR]: '0xc0de' } })).observedCode,
      ).toEqual([])
  })

  test('is not made of routes that need none', async () => {
    const { sent, observedCode } = await trialOf([paying(1_000_000n, 1, { ways: { sender: 'same' } })])
    expect(sent[0]).not.toHaveProperty('bareRunMode')
    expect(observedCode).toEqual([])
  })

  test('that pays less than the probe is no fault of a pool', async () => {
    const taxed = paying(900_000n, 1, { outcomeWithProbe: paying(1_000_000n) })
    expect((await trialOf([taxed, paying(900_000n)])).trial).toMatchObject({
      ...{ outcome: 'adjusted', amountOut: 900_000n, shortfallPpm: 100_000n },
    })
    const both = paying(900_000n, 1, { outcomeWithProbe: paying(990_000n) })
    expect((await trialOf([both])).trial).toEqual({ outcome: 'shortfall', shortfallPpm: 10_000n })
    const nothing = paying(0n, 1, { outcomeWithProbe: paying(1_000_000n) })
    expect((await trialOf([nothing])).trial).toEqual({ outcome: 'shortfall', shortfallPpm: 0n })
  })
})

describe('the later simulation', () => {
  const later = paying(5n, 130_000, { appliedBlock: { number: 9 } })

  test('counts for the quote alone if code of the caller may use the gas', async () => {
    const { trial, observedGas } = await trialOf([paying(1_000_000n)], { laterAt: DEADLINE, code: '0xc0de' }, later)
    expect(trial).toMatchObject({ laterExtraGas: 30_000 })
    expect(observedGas).toEqual([])
  })

  test('measures the gas that falls due before the deadline', async () => {
    const { trial, sentLater, observedGas } = await trialOf([paying(1_000_000n)], { laterAt: DEADLINE + 600 }, later)
    expect(trial).toMatchObject({ outcome: 'exact', laterExtraGas: 30_000 })
    expect(observedGas).toEqual([['pool 1', 30_000, DEADLINE + 600, { now: NOW, deadline: DEADLINE }]])
    expect(sentLater).toMatchObject([{ simulatedBlock: { number: 157, timestamp: DEADLINE + 600 } }])
    // Only gas counts, so every output is accepted, and the deadline is the time of the simulation.
    const { minOutput, deadline } = orderOf(sentLater[0]!.data)
    expect([minOutput, deadline]).toEqual([1n, BigInt(DEADLINE + 600)])
  })

  test('is not made if nothing new can be seen', async () => {
    const { trial, sentLater, observedGas } = await trialOf([paying(1_000_000n)])
    expect([sentLater, observedGas]).toEqual([[], []])
    expect(trial).toMatchObject({ laterExtraGas: 0 })
  })

  test.each([
    ['is cheaper', { ...later, gasUsed: 90_000 }, 0],
    ['fails', { ...later, success: false }, undefined],
    ['ran in the next block, because the node cannot choose a block', paying(5n, 130_000), undefined],
    ['cannot be set up', new SimulationError('BAD_TOKEN', 'no'), undefined],
  ])('that %s adds no gas', async (_, answer, observed) => {
    const { trial, observedGas } = await trialOf([paying(1_000_000n)], { laterAt: DEADLINE }, answer)
    expect(trial).toMatchObject({ outcome: 'exact', laterExtraGas: 0 })
    expect(observedGas.map((of) => (of as unknown[])[1])).toEqual(observed === undefined ? [] : [observed])
  })

  test('that fails with the node fails the trial', async () => {
    await expect(trialOf([paying(1_000_000n)], { laterAt: DEADLINE }, new Error('down'))).rejects.toThrow('down')
  })

  test('measures alternatives too', async () => {
    const alternatives = [routeOf(2, 1_200_000n)]
    const now = paying(1_000_000n, 100_000, { alternatives: [paying(1_200_000n, 110_000)] })
    const then = { ...later, alternatives: [paying(1n, 150_000)] }
    const { trial, sentLater, observedGas } = await trialOf([now], { alternatives, laterAt: DEADLINE }, then)
    expect(sentLater[0]!.alternatives).toHaveLength(1)
    expect(observedGas.map((observed) => (observed as unknown[]).slice(0, 2))).toEqual([
      ['pool 1', 30_000],
      ['pool 2', 40_000],
    ])
    expect([poolIdOf(trial), 'laterExtraGas' in trial && trial.laterExtraGas]).toEqual(['pool 2', 40_000])
  })
})

describe('a permit', () => {
  const signature: Hex = `0x${'11'.repeat(32)}${'22'.repeat(32)}1b`
  const permit = { kind: 'eip2612', amount: 1_000_000n, nonce: 0n, deadline: BigInt(DEADLINE), signature } as const

  test('replaces the allowance, and is simulated later at the deadline, before it expires', async () => {
    const setup = { request: { permit }, laterAt: DEADLINE + 600 }
    const { sent, sentLater } = await trialOf([paying(1_000_000n)], setup, paying(1n, 1, { appliedBlock: {} }))
    expect(sent[0]).toMatchObject({ allowance: 'kept' })
    expect(orderOf(sentLater[0]!.data).deadline).toBe(BigInt(DEADLINE))
    expect((await trialOf([paying(1_000_000n)])).sent[0]).not.toHaveProperty('allowance')
    const unneeded = await trialOf([paying(1_000_000n)], { request: { permit } })
    expect(unneeded.sentLater).toEqual([])
  })

  test('that nobody can have signed fails without a simulation', async () => {
    const { trial, sent } = await trialOf([], { request: { permit: { ...permit, signature: '0x1234' } } })
    expect([trial, sent]).toEqual([{ outcome: 'reverted', reason: 'the permit is signed by nobody' }, []])
  })
})

describe('a token that is taxed or can be transferred once', () => {
  test.each([
    ['of a plain token', {}, false],
    ['of a taxed token', { taxPpm: 1n }, true],
    ['of a token that is stuck after a transfer', { isStuck: true }, true],
    ['less a fee', { isStuck: true, request: { feePpm: 1n, feeRecipient: at(0xfe) } }, false],
  ] as const)('the output %s is paid by the Executor: %s', async (_, setup, direct) => {
    const { trial } = await trialOf([paying(1_000_000n)], setup)
    expect('terms' in trial && trial.terms.direct).toBe(direct)
  })

  test('is paid by the Guard if the route only wraps', async () => {
    const wrap = { ...route, tokenIn: NATIVE, tokenOut: WETH, legs: [] } as unknown as RoutePlan
    const { trial } = await trialOf([paying(1_000_000n)], { plan: wrap, isStuck: true })
    expect('terms' in trial && trial.terms.direct).toBe(false)
  })
})

test('a simulation gets the recipient, and the code and the balance of the sender', async () => {
  const setup = { request: { recipient: at(0x7e) }, code: '0x60', balance: 5n } as const
  const { sent } = await trialOf([paying(1_000_000n)], setup)
  expect(sent[0]).toMatchObject({
    ...{ recipient: at(0x7e), tokenIn: A, tokenOut: B, amountIn: 1_000_000n },
    knownState: { header: block, senderCode: '0x60', senderBalance: 5n },
  })
  const plain = (await trialOf([paying(1_000_000n)])).sent[0]
  for (const absent of ['recipient', 'alternatives']) expect(plain).not.toHaveProperty(absent)
})

test.each([
  ['0x', { gasUsed: 77 }],
  ['0x12', {}],
])('a revert with data %s reports its gas only if it may have run out: %s', async (returnData, gas) => {
  const answer = { success: false, amountOut: 0n, gasUsed: 77, returnData, ways: {} }
  expect((await trialOf([answer])).trial).toEqual({ outcome: 'reverted', reason: 'reverted without a reason', ...gas })
})

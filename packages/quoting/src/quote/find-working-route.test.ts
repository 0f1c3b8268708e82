/**
 * Tests of the rounds of search and simulation of a quote. The search is real. The chain is a model in memory: it decodes
 * the transaction and pays what each pool of its program is set to pay.
 */
import { IGuard__factory } from '@sluice/bindings'
import { decodeGuardSwap } from '@sluice/bindings/guard'
import { type Address, type Hex, NATIVE, toAddress } from '@sluice/chains'
import { families, familyOf, type Pool, type Snapshot } from '@sluice/liquidity'
import {
  buildGraph,
  type ExactOutputRequest,
  findRoute,
  MAX_WORK,
  type RoutePlan,
  type RouteRequest,
  type Taxes,
} from '@sluice/routing'
import type { CallOutcome, SimulationRequest } from '@sluice/simulation'
import { describe, expect, test } from 'vitest'
import { FaultyPools } from './faulty-pools.ts'
import { FaultyTokens } from './faulty-tokens.ts'
import { findWorkingRoute, type RoundsContext } from './find-working-route.ts'
import { type QuoteRequest, quoteRequest } from './request.ts'

const at = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const [A, B, WETH, SENDER, GUARD, EXECUTOR] = [0xa, 0xb, 0xe, 0x5e, 0x91, 0x92].map(at) as [
  ...[Address, Address, Address, Address, Address, Address],
]
const E18 = 10n ** 18n
const PPM = 1_000_000n
const NOW = 1_000
const guard = IGuard__factory.createInterface()
const block = {
  number: 7,
  hash: '0x07',
  parentHash: '0x06',
  timestamp: NOW,
  gasLimit: 30_000_000n,
  baseFeePerGas: 0n,
  miner: A,
} as const

/** Behavior of a pool on chain. */
type Behavior = {
  /** Share of its modeled output that it pays. Default: all of it. */
  readonly paidPpm?: bigint
  /** The swap fails for the first so many simulations. */
  readonly failures?: number
  readonly gas?: number
  /** Runs out of gas, which reverts without data. */
  readonly burnsGas?: number
}
/** A pool of A and B that pays `perMille` thousandths of a B for an A, with little price impact. */
type PoolSpec = Behavior & {
  readonly perMille: bigint
  readonly reserve?: bigint
  readonly tokens?: readonly Address[]
}

type World = {
  readonly pools: readonly PoolSpec[]
  readonly gasPriceWei?: bigint
  /** Results of `measureNow`, one after the other; false afterward. */
  readonly measurements?: boolean[]
  readonly isProbing?: boolean
  /** Results of `taxes.learn`, one after the other; false afterward. */
  readonly lessons?: boolean[]
  readonly taxed?: readonly Address[]
  /** Tax of B in ppm that another quote measures before the first simulation of this quote. */
  readonly taxMeasuredByOther?: number
  readonly slippage?: (route: RoutePlan) => bigint
  readonly isDeployed?: boolean
  /** Answers calls of the node. */
  readonly call?: () => Promise<string>
  readonly maxGas?: bigint
  readonly before?: (context: { readonly faultyPools: FaultyPools; readonly pools: readonly Pool[] }) => void
}

function worldOf(world: World) {
  const pools = world.pools.map(
    ({ perMille, reserve = 10n ** 6n * E18, tokens = [A, B] }, k): Pool => ({
      ...{
        id: `pool ${k}`,
        address: toAddress(`0x5eed${String(k).padStart(36, '5')}`),
        family: 'uniswap-v2',
        dex: 'test',
        tokens,
      },
      state: { reserve0: reserve, reserve1: (reserve * perMille) / 1_000n, feePpm: 3_000 },
    }),
  )
  const snapshot: Snapshot = {
    ...{ chainId: 1, block, changedIds: null },
    pools: new Map(pools.map((pool) => [pool.id, pool])),
  }
  const graph = buildGraph(snapshot)
  const searches: (RouteRequest | ExactOutputRequest)[] = []
  const simulations: { readonly data: string; readonly alternatives: number }[] = []
  const failures = world.pools.map((pool) => pool.failures ?? 0)
  const outcomeOf = (data: Hex): CallOutcome & { readonly revertReason?: string } => {
    const order = decodeGuardSwap(data, 0n)
    // The program contains the addresses of pools unchanged; routes of these tests have one pool, or only unwrap.
    const usedPools = pools.flatMap(({ address }, k) => (order.program.includes(address.slice(2)) ? [k] : []))
    if (usedPools.length > 1) throw new Error('the model of the chain knows only routes of one pool')
    const [k] = usedPools
    if (k === undefined) return { success: false, amountOut: 0n, gasUsed: 1, returnData: '0x12', revertReason: 'no' }
    const { paidPpm = PPM, gas = 100_000, burnsGas } = world.pools[k]!
    const gasUsed = burnsGas ?? 50_000 + gas
    if (burnsGas !== undefined) return { success: false, amountOut: 0n, gasUsed, returnData: '0x' }
    if (failures[k]! > 0) {
      failures[k]!--
      return { success: false, amountOut: 0n, gasUsed, returnData: '0x1234', revertReason: `pool ${k} refuses` }
    }
    const { amountOut } = familyOf('uniswap-v2')!.quoteExactInput(pools[k]!, A, B, order.amountIn)
    const received = (amountOut * paidPpm) / PPM
    if (received >= order.minOutput) return { success: true, amountOut: received, gasUsed, returnData: '0x' }
    const names = guard.getError('OutputTooLow')!.inputs.map(({ name }) => name)
    const returnData = guard.encodeErrorResult(
      'OutputTooLow',
      names.map((name) => (name === 'received' ? received : order.minOutput)),
    ) as `0x${string}`
    return { success: false, amountOut: 0n, gasUsed, returnData }
  }
  let taxedTokens: Taxes = new Map((world.taxed ?? []).map((token) => [token, { usual: taxOf(0), inPool: new Map() }]))
  const failedIds: string[] = []
  const simulate = async ({ to, data, alternatives = [], withHead }: SimulationRequest) => {
    // Test transfers of tokens, by which a quote looks for tokens that cannot be transferred.
    if (to !== GUARD) return { success: true, amountOut: 1n, gasUsed: 1, returnData: '0x', ways: {} }
    if (withHead) simulations.push({ data, alternatives: alternatives.length })
    if (world.taxMeasuredByOther)
      taxedTokens = new Map([[B, { usual: taxOf(world.taxMeasuredByOther), inPool: new Map() }]])
    return { ...outcomeOf(data), alternatives: alternatives.map(outcomeOf), ways: {} }
  }
  const [measurements, lessons] = [[...(world.measurements ?? [])], [...(world.lessons ?? [])]]
  const measured: (readonly string[])[] = []
  const learned: (readonly Address[])[] = []
  const events: unknown[] = []
  const [faultyPools, faultyTokens] = [new FaultyPools(), new FaultyTokens()]
  world.before?.({ faultyPools, pools })
  const context = {
    ...{ simulate, wrappedNative: WETH, nativeErc20: undefined, clock: () => 1_000 * NOW, faultyPools, faultyTokens },
    simulation: { limits: { maxGas: world.maxGas ?? 10n ** 9n }, blockIntervalMs: 1_000 },
    search: async (_: unknown, request: RouteRequest) => {
      // A copy, because later rounds add to the same set.
      searches.push({ ...request, excludePools: new Set(request.excludePools) })
      return findRoute(graph, request)
    },
    view: {
      ...{
        snapshot,
        graph: () => graph,
        codeOf: async () => '0x',
        balanceOf: async () => 0n,
        l1FeePerByteWei: async () => 0,
      },
      assertDeployed: async () => {
        if (world.isDeployed === false) throw new Error('the Guard is not deployed')
      },
    },
    contracts: {
      ...{ guard: GUARD, executor: { address: EXECUTOR } },
      families: new Map(families.map((family) => [family.id, family])),
      executable: new Set(families.map(({ id }) => id)),
    },
    tokens: {
      trustTracker: {
        recordFailure: (ids: Iterable<string>) => failedIds.push(...ids),
        recordTaxes: () => {},
        trust: () => undefined,
      },
      taxes: {
        transferPpm: () => 0n,
        isStuck: () => false,
        get taxedTokens() {
          return taxedTokens
        },
        learn: async (trades: Iterable<{ readonly token: Address }>) => {
          learned.push([...trades].map(({ token }) => token))
          return lessons.shift() ?? false
        },
      },
    },
    ...{ driftPenaltiesAt: () => undefined, learnedGasAt: () => undefined, rpc: { call: world.call } },
    emit: (event: unknown) => events.push(event),
    gasProber: {
      isRunning: world.isProbing ?? false,
      measureNow: async (pools: readonly Pool[]) => {
        measured.push(pools.map(({ id }) => id))
        return measurements.shift() ?? false
      },
    },
    laterGas: { simulationTimeOf: () => undefined, observe: () => {} },
    contractBalances: { heldTokens: async () => undefined },
    senderCodeChecks: { bareRunModeOf: async () => undefined, observe: () => {} },
    slippageOf: (route: RoutePlan) => ({ ppm: world.slippage?.(route) ?? 1_000n, reason: 'calm' }),
  } as unknown as RoundsContext
  const logged: object[] = []
  const work = {
    signal: new AbortController().signal,
    time: async <T>(_: string, run: () => T | Promise<T>) => run(),
    log: { info: (fields: object) => logged.push(fields) },
  }
  const find = (request: Partial<QuoteRequest> = {}) =>
    findWorkingRoute(
      quoteRequest({ tokenIn: A, tokenOut: B, from: SENDER, amountIn: E18, maxSplits: 1, maxHops: 1, ...request }),
      world.gasPriceWei ?? 0n,
      context,
      work as never,
    )
  return { find, pools, searches, simulations, measured, learned, events, faultyPools, failedIds, logged }
}

const taxOf = (ppm: number) => ({ buyPpm: ppm, sellPpm: ppm, transferPpm: ppm, surchargePpm: 0 })
const poolsOf = ({ legs }: RoutePlan) => legs.map(({ pool }) => pool.id)
/** Output of a pool by its model. */
const modeled = (pool: Pool, amountIn = E18) => familyOf('uniswap-v2')!.quoteExactInput(pool, A, B, amountIn).amountOut

describe('a route that works', () => {
  test('is quoted with the output of its simulation, less the slippage as its minimum', async () => {
    const { find, pools, searches, simulations, events } = worldOf({
      pools: [{ perMille: 900n }, { perMille: 1_000n }],
    })
    const { route, trial, bestEstimated, alternativeIndex, searchRequest } = await find({ slippagePpm: 10_000n })
    const amountOut = modeled(pools[1]!)
    expect(poolsOf(route)).toEqual(['pool 1'])
    expect(trial).toMatchObject({ outcome: 'exact', amountOut, minOutput: (amountOut * 99n) / 100n, shortfallPpm: 0n })
    expect([bestEstimated, alternativeIndex]).toEqual([route, 0])
    expect(searches).toEqual([searchRequest])
    expect(simulations).toHaveLength(1)
    expect(events).toEqual([
      { kind: 'trial', outcome: 'exact', shortfallPpm: 0n, optimalityGapBps: route.optimalityGapBps },
    ])
  })

  test('has the whole search budget, and other routes in addition only if gas has a price', async () => {
    const specs = Array.from({ length: 10 }, (_, k) => ({ perMille: 1_000n - BigInt(k) }))
    const free = worldOf({ pools: specs })
    await free.find()
    expect(free.searches[0]).not.toHaveProperty('maxAlternatives')
    expect(free.searches[0]).not.toHaveProperty('work')
    const priced = worldOf({ pools: specs, gasPriceWei: 1n })
    await priced.find()
    expect(priced.searches[0]).toMatchObject({ maxAlternatives: 3 })
    const probing = worldOf({ pools: specs, gasPriceWei: 1n, isProbing: true })
    await probing.find()
    expect(probing.searches[0]).toMatchObject({ maxAlternatives: 7 })
  })

  test('is not simulated if the Guard is not deployed', async () => {
    const { find, simulations } = worldOf({ pools: [{ perMille: 1_000n }], isDeployed: false })
    await expect(find()).rejects.toThrow('the Guard is not deployed')
    expect(simulations).toEqual([])
  })

  test('asks for a proof only if the request does', async () => {
    const { find, searches } = worldOf({ pools: [{ perMille: 1_000n }] })
    await find()
    await find({ withProof: true })
    expect(searches.map((request) => 'proof' in request)).toEqual([false, true])
  })
})

describe('a pool that refuses', () => {
  test('once is tried once more, and blamed for nothing', async () => {
    const { find, simulations, faultyPools } = worldOf({
      pools: [{ perMille: 1_000n, failures: 1 }, { perMille: 900n }],
    })
    const { route } = await find()
    expect(poolsOf(route)).toEqual(['pool 0'])
    expect(simulations).toHaveLength(2)
    expect(faultyPools.idsAt(NOW)).toEqual([])
  })

  test('always is left out of the next search, which has an eighth of the budget', async () => {
    const refusing = worldOf({ pools: [{ perMille: 1_000n, failures: 99 }, { perMille: 900n }] })
    const { route } = await refusing.find()
    expect(poolsOf(route)).toEqual(['pool 1'])
    expect(refusing.searches).toHaveLength(2)
    expect(refusing.searches[1]).toMatchObject({ work: MAX_WORK / 8 })
    expect(refusing.searches.map(({ excludePools }) => [...excludePools!])).toEqual([[], ['pool 0']])
    expect(refusing.simulations).toHaveLength(3)
    expect(refusing.logged[0]).toMatchObject({ round: 0, failure: 'pool 0 refuses', pools: ['pool 0'] })
  })

  test('is repeated only in the first round of a quote', async () => {
    const specs = [1_000n, 990n, 980n, 970n].map((perMille, k) => ({ perMille, failures: k < 3 ? 99 : 0 }))
    const { find, simulations } = worldOf({ pools: specs })
    expect(poolsOf((await find()).route)).toEqual(['pool 3'])
    // Two for the first pool, and one for each of the others.
    expect(simulations).toHaveLength(5)
  })

  test('is the reason of the error once no other pool is left', async () => {
    const { find } = worldOf({ pools: [{ perMille: 1_000n, failures: 99 }] })
    await expect(find()).rejects.toMatchObject({
      code: 'ROUTE_REVERTED',
      message: 'the route fails in simulation: pool 0 refuses',
      details: { reasons: [], block: 7 },
    })
  })

  test('five times in a row ends the quote', async () => {
    const specs = Array.from({ length: 7 }, (_, k) => ({ perMille: 1_000n - BigInt(k), failures: 99 }))
    const { find, searches } = worldOf({ pools: specs })
    await expect(find()).rejects.toMatchObject({ code: 'ROUTE_REVERTED' })
    expect(searches).toHaveLength(5)
  })

  test('lately is avoided, unless there is no other', async () => {
    const leg = { tokenIn: A, tokenOut: B, minFailingInput: 0n, maxWorkingInput: 0n }
    const before: World['before'] = ({ faultyPools, pools }) => faultyPools.record([{ ...leg, pool: pools[0]! }], NOW)
    const { find } = worldOf({ pools: [{ perMille: 1_000n }, { perMille: 900n }], before })
    expect(poolsOf((await find()).route)).toEqual(['pool 1'])
    const alone = worldOf({ pools: [{ perMille: 1_000n }], before })
    expect(poolsOf((await alone.find()).route)).toEqual(['pool 0'])
    const excluded = alone.searches.map(({ excludePools }) => [...excludePools!])
    expect([excluded[0], excluded.at(-1)]).toEqual([['pool 0'], []])
  })

  test('does not bring back what the request excludes', async () => {
    const { find } = worldOf({ pools: [{ perMille: 1_000n, failures: 99 }, { perMille: 900n }, { perMille: 800n }] })
    expect(poolsOf((await find({ excludePools: new Set(['pool 1']) })).route)).toEqual(['pool 2'])
  })
})

test('a good permit is not the reason of a failed route, so its pool is left out', async () => {
  const signature = `0x${'11'.repeat(64)}1b` as const
  const permit = { kind: 'eip2612', amount: 10n * E18, nonce: 3n, deadline: BigInt(NOW + 60), signature } as const
  const { find } = worldOf({
    pools: [{ perMille: 1_000n, failures: 99 }, { perMille: 900n }],
    call: async () => `0x${'0'.repeat(63)}3`,
  })
  expect(poolsOf((await find({ permit })).route)).toEqual(['pool 1'])
})

test('a bad permit is the reason of a failed route, and no pool is left out for it', async () => {
  const signature = `0x${'11'.repeat(64)}1b` as const
  const permit = { kind: 'eip2612', amount: 10n * E18, nonce: 3n, deadline: BigInt(NOW), signature } as const
  const { find, searches } = worldOf({
    pools: [{ perMille: 1_000n, failures: 99 }, { perMille: 900n }],
    call: async () => `0x${'0'.repeat(63)}4`,
  })
  await expect(find({ permit })).rejects.toMatchObject({
    code: 'BAD_PERMIT',
    details: { field: 'permit.nonce', block: 7 },
  })
  expect(searches).toHaveLength(1)
})

describe('a pool that pays less than its model', () => {
  test('by up to 0.5 % is quoted with what it pays', async () => {
    const { find, pools, simulations } = worldOf({ pools: [{ perMille: 1_000n, paidPpm: 996_000n }] })
    const { trial } = await find()
    const amountOut = (modeled(pools[0]!) * 996n) / 1_000n
    expect(trial).toMatchObject({ outcome: 'adjusted', amountOut, minOutput: (amountOut * 995n) / 1_000n })
    expect(trial.shortfallPpm).toBeGreaterThanOrEqual(4_000n)
    expect(trial.shortfallPpm).toBeLessThanOrEqual(4_001n)
    expect(simulations).toHaveLength(2)
  })

  test.each([
    [995_000n, 'adjusted'],
    [994_990n, 'refused'],
  ])('with %i millionths is %s while another pool pays in full', async (paidPpm, verdict) => {
    const { find } = worldOf({ pools: [{ perMille: 1_000n, paidPpm }, { perMille: 900n }] })
    expect(poolsOf((await find()).route)).toEqual([verdict === 'adjusted' ? 'pool 0' : 'pool 1'])
  })

  test('by up to 5 % is quoted if no pool pays in full, and the pool that comes closest', async () => {
    const { find, pools } = worldOf({
      pools: [
        { perMille: 1_000n, paidPpm: 955_000n },
        { perMille: 999n, paidPpm: 970_000n },
      ],
    })
    const { route, trial, alternativeIndex, bestEstimated } = await find()
    expect(poolsOf(route)).toEqual(['pool 1'])
    expect(trial).toMatchObject({ outcome: 'adjusted', amountOut: (modeled(pools[1]!) * 97n) / 100n })
    expect([alternativeIndex, bestEstimated]).toEqual([0, route])
  })

  test.each([
    [950_000n, true],
    [949_000n, false],
  ])('with %i millionths alone is quoted: %s', async (paidPpm, isQuoted) => {
    const { find } = worldOf({ pools: [{ perMille: 1_000n, paidPpm }] })
    if (isQuoted) expect((await find()).trial.outcome).toBe('adjusted')
    else await expect(find()).rejects.toMatchObject({ code: 'ROUTE_REVERTED', message: /paid 5\.1 percent too little/ })
  })

  test('has its taxes looked at, and is searched again once they are known', async () => {
    const { find, learned, searches } = worldOf({
      pools: [{ perMille: 1_000n, paidPpm: 980_000n }, { perMille: 900n }],
      lessons: [true],
    })
    expect(poolsOf((await find()).route)).toEqual(['pool 1'])
    expect(learned).toEqual([
      [A, B],
      [A, B],
    ])
    // After the first lesson the pool is searched again, and only then left out.
    expect(searches.map(({ excludePools }) => [...excludePools!])).toEqual([[], [], ['pool 0']])
  })
})

test('a tax that another quote measured after the search is no fault of the pools', async () => {
  const { find, pools, searches, simulations, failedIds } = worldOf({
    pools: [{ perMille: 1_000n, paidPpm: 980_000n }, { perMille: 900n }],
    taxMeasuredByOther: 20_000,
  })
  const { route, trial } = await find()
  expect(poolsOf(route)).toEqual(['pool 0'])
  expect(Number(trial.amountOut) / Number(modeled(pools[0]!))).toBeCloseTo(0.98, 9)
  expect(searches.map(({ excludePools }) => [...excludePools!])).toEqual([[], []])
  expect(simulations.length).toBeLessThanOrEqual(3)
  expect(failedIds).toEqual([])
})

describe('a pool that pays more than its model', () => {
  test('of taxed tokens has its taxes measured again, and is searched again if they changed', async () => {
    const world = { pools: [{ perMille: 1_000n, paidPpm: 1_006_000n }], taxed: [B], lessons: [true] }
    const { find, learned, searches } = worldOf(world)
    await find()
    expect([learned.length, searches.length]).toEqual([2, 2])
  })

  test('is quoted by its model otherwise', async () => {
    for (const world of [
      { pools: [{ perMille: 1_000n, paidPpm: 1_006_000n }], lessons: [true] },
      { pools: [{ perMille: 1_000n, paidPpm: 1_004_900n }], taxed: [B], lessons: [true] },
    ]) {
      const { find, learned, pools } = worldOf(world)
      const { trial } = await find()
      expect(learned).toEqual([])
      expect(trial).toMatchObject({ outcome: 'exact', amountOut: modeled(pools[0]!) })
    }
  })
})

describe('an exact output', () => {
  const amountOut = E18

  test('is searched with room for the slippage, and promised as the minimum', async () => {
    const { find, searches } = worldOf({ pools: [{ perMille: 1_000n }] })
    const { trial } = await find({ amountIn: undefined, amountOut, slippagePpm: 10_000n })
    const target = (searches[0] as ExactOutputRequest).amountOut
    expect((target * 99n) / 100n).toBeGreaterThanOrEqual(amountOut)
    expect(((target - 1n) * 99n) / 100n).toBeLessThan(amountOut)
    expect(trial).toMatchObject({ outcome: 'exact', minOutput: amountOut })
  })

  test('of pools that pay too little is searched with a larger target, until it is paid', async () => {
    const { find, searches } = worldOf({ pools: [{ perMille: 1_000n, paidPpm: 997_000n }] })
    const { trial } = await find({ amountIn: undefined, amountOut })
    expect(trial.amountOut * 995n).toBeGreaterThanOrEqual(amountOut * 1_000n)
    const [first, second] = searches.map((request) => (request as ExactOutputRequest).amountOut)
    expect(Number(second) / Number(first)).toBeCloseTo(1 / 0.997, 6)
    expect(trial.minOutput).toBe(amountOut)
  })

  test('that no pool pays in full is searched again with up to 5 % more', async () => {
    const { find } = worldOf({ pools: [{ perMille: 1_000n, paidPpm: 970_000n }] })
    const { trial } = await find({ amountIn: undefined, amountOut })
    expect(trial.minOutput).toBe(amountOut)
    expect(trial.amountOut * 995n).toBeGreaterThanOrEqual(amountOut * 1_000n)
    const far = worldOf({ pools: [{ perMille: 1_000n, paidPpm: 940_000n }] })
    await expect(far.find({ amountIn: undefined, amountOut })).rejects.toMatchObject({ code: 'ROUTE_REVERTED' })
  })
})

describe('slippage that the service chooses', () => {
  test('is that of the route', async () => {
    const { find, pools, searches } = worldOf({ pools: [{ perMille: 1_000n }], slippage: () => 20_000n })
    const { trial, slippage } = await find({ slippagePpm: 'auto' })
    expect(slippage).toEqual({ ppm: 20_000n, reason: 'calm' })
    expect(trial.minOutput).toBe((modeled(pools[0]!) * 98n) / 100n)
    expect(searches).toHaveLength(1)
  })

  test('changes the target of an exact output, so that it is searched once more', async () => {
    const { find, searches } = worldOf({ pools: [{ perMille: 1_000n }], slippage: () => 20_000n })
    const { trial, slippage } = await find({ amountIn: undefined, amountOut: E18, slippagePpm: 'auto' })
    expect(slippage?.ppm).toBe(20_000n)
    expect(searches).toHaveLength(2)
    expect(((searches[1] as ExactOutputRequest).amountOut * 98n) / 100n).toBeGreaterThanOrEqual(E18)
    expect(trial.minOutput).toBe(E18)
  })

  test('is absent from a request with its own', async () => {
    expect((await worldOf({ pools: [{ perMille: 1_000n }] }).find()).slippage).toBeUndefined()
  })
})

describe('gas', () => {
  test('above what a transaction may use is not simulated, and the dearest pools are left out', async () => {
    const { find, simulations, events } = worldOf({ pools: [{ perMille: 1_000n }], maxGas: 20_000n })
    await expect(find()).rejects.toThrow('it takes more gas than a transaction may')
    expect([simulations, events]).toEqual([[], []])
  })

  test('that runs out leaves the pool out without blame, and without a second try', async () => {
    const burning = { perMille: 1_000n, burnsGas: 15_000_000 }
    const { find, simulations, learned, faultyPools } = worldOf({ pools: [burning, { perMille: 900n }] })
    expect(poolsOf((await find()).route)).toEqual(['pool 1'])
    expect([simulations.length, learned]).toEqual([2, []])
    expect(faultyPools.idsAt(NOW)).toEqual([])
  })

  test('within the limit that a revert without data uses is a fault of the pool', async () => {
    // 80 % of half of the block's gas limit.
    const { find, learned } = worldOf({ pools: [{ perMille: 1_000n, burnsGas: 12_000_000 }, { perMille: 900n }] })
    expect(poolsOf((await find()).route)).toEqual(['pool 1'])
    expect(learned).toHaveLength(1)
  })
})

describe('gas that may decide', () => {
  /** A pool from which the search knows the price of gas in B. */
  const gasMarket = (perMille: bigint): PoolSpec => ({ perMille, tokens: [B, WETH], reserve: 10n ** 6n * E18 })
  /** Allows several pools, as only such requests have other routes in the same call. */
  const several = { maxSplits: undefined }
  const routes = [{ perMille: 1_000n }, { perMille: 999n }, { perMille: 998n }]

  test('is measured and searched again while there is something new, at most five times', async () => {
    const { find, measured, searches } = worldOf({
      pools: [...routes, gasMarket(1_000n)],
      ...{ gasPriceWei: 10n ** 11n, measurements: [true, true, false] },
    })
    await find(several)
    expect([measured.length, searches.length]).toEqual([3, 3])
    expect(measured[0]).toContain('pool 0')
    expect(measured[0]!.length).toBeGreaterThan(1)
    const eager = worldOf({
      pools: [...routes, gasMarket(1_000n)],
      ...{ gasPriceWei: 10n ** 11n, measurements: Array(9).fill(true) },
    })
    await eager.find(several)
    expect([eager.measured.length, eager.searches.length]).toEqual([5, 6])
  })

  test('is measured from a thousandth of the output on', async () => {
    const costs = async (gasPriceWei: bigint) => {
      const { find, measured } = worldOf({ pools: [...routes, gasMarket(1_000n)], gasPriceWei })
      const { route } = await find(several)
      return { ratio: Number(route.gasCostOut) / Number(route.amountOut), isMeasured: measured.length > 0 }
    }
    const results = await Promise.all([10n ** 9n, 1_870n * 10n ** 7n, 1_871n * 10n ** 7n, 10n ** 11n].map(costs))
    for (const { ratio, isMeasured } of results) expect([ratio, isMeasured]).toEqual([ratio, ratio >= 0.001])
    expect(results.map(({ isMeasured }) => isMeasured)).toEqual([false, false, true, true])
  })

  test('chooses another route of the same call if that leaves more', async () => {
    const pools = [{ perMille: 1_000n, gas: 400_000 }, { perMille: 999n, gas: 60_000 }, gasMarket(1_000n)]
    const { find, pools: modeledPools } = worldOf({ pools, gasPriceWei: 10n ** 11n })
    const { route, bestEstimated, alternativeIndex, trial } = await find(several)
    expect([poolsOf(bestEstimated), poolsOf(route)]).toEqual([['pool 0'], ['pool 1']])
    expect(alternativeIndex).toBeGreaterThan(0)
    expect(trial.amountOut).toBe(modeled(modeledPools[1]!))
  })

  test('finds the pools of an exact output in which input and gas cost less together', async () => {
    const pools = [{ perMille: 1_000n, gas: 400_000 }, { perMille: 999n, gas: 60_000 }, gasMarket(1_000n)]
    const { find } = worldOf({ pools, gasPriceWei: 10n ** 11n })
    const { route, trial } = await find({ ...several, amountIn: undefined, amountOut: E18 })
    expect(poolsOf(route)).toEqual(['pool 1'])
    expect(trial.minOutput).toBe(E18)
    const withAutoSlippage = { slippagePpm: 'auto', amountIn: undefined, amountOut: E18 } as const
    expect(
      poolsOf((await worldOf({ pools, gasPriceWei: 10n ** 11n }).find({ ...several, ...withAutoSlippage })).route),
    ).toEqual(['pool 1'])
    const equal = worldOf({
      pools: [{ perMille: 1_000n }, { perMille: 999n }, gasMarket(1_000n)],
      gasPriceWei: 10n ** 11n,
    })
    expect(poolsOf((await equal.find({ ...several, amountIn: undefined, amountOut: E18 })).route)).toEqual(['pool 0'])
  })
})

test('an unwrap that is larger than what is wrapped has the largest amount in its error', async () => {
  const call = async () => `0x${E18.toString(16).padStart(64, '0')}`
  const { find } = worldOf({ pools: [], call })
  const unwrap = { tokenIn: WETH, tokenOut: NATIVE }
  await expect(find({ ...unwrap, amountIn: 2n * E18 })).rejects.toMatchObject({
    code: 'INSUFFICIENT_LIQUIDITY',
    details: { maxRoutableAmount: E18.toString() },
  })
})

test('an unwrap that fails for another reason is tried twice, and has no pool to leave out', async () => {
  const { find, searches, simulations } = worldOf({ pools: [], call: async () => `0x${'f'.repeat(64)}` })
  await expect(find({ tokenIn: WETH, tokenOut: NATIVE })).rejects.toMatchObject({ code: 'ROUTE_REVERTED' })
  expect([searches.length, simulations.length]).toEqual([1, 2])
})

test('without a pool of a token there is no route', async () => {
  await expect(worldOf({ pools: [] }).find()).rejects.toMatchObject({ code: 'UNKNOWN_TOKEN' })
})

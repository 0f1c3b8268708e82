/** Outcomes of `tryRoute` for given simulation results, without a node. */
import { NATIVE, toAddress } from '@sluice/chains'
import type { RoutePlan } from '@sluice/routing'
import { SimulationError, type SimulationRequest, type SwapSimulation } from '@sluice/simulation'
import { expect, test } from 'vitest'
import { LaterGas } from '../gas/later-gas.ts'
import { SenderCodeChecks } from '../simulation/sender-code-checks.ts'
import { type QuoteRequest, quoteRequest, resolveSlippage } from './request.ts'
import { type TrialContext, tryRoute } from './try-route.ts'

const address = (digit: string) => toAddress(`0x${digit.repeat(40)}`)
const [guard, executor, sender, weth] = [address('a'), address('b'), address('c'), address('3')]
const NOW = 1_800_000_000
const block = { hash: `0x${'ab'.repeat(32)}`, number: 7, timestamp: NOW }
/** A wrap has no legs, since pools make no difference in these tests. */
const route = {
  tokenIn: NATIVE,
  tokenOut: weth,
  amountIn: 1_000_000n,
  amountOut: 1_000_000n,
  legs: [],
} as never as RoutePlan

const paying = (amountOut: bigint) => ({ success: true, amountOut, gasUsed: 50_000, returnData: '0x', ways: {} })
const failing = { success: false, amountOut: 0n, gasUsed: 50_000, returnData: '0x', revertReason: 'no', ways: {} }

/** Tries a route with the given simulation results, in order. */
async function outcomeOf(outcomes: readonly unknown[], change: Partial<QuoteRequest> = {}, maxShortfallPpm?: bigint) {
  const sent: SimulationRequest[] = []
  const context = {
    contracts: { guard, executor: { address: executor }, families: new Map() },
    wrappedNative: weth,
    taxes: { transferPpm: () => 0n, isStuck: () => false },
    simulate: async (request: SimulationRequest) => {
      const outcome = outcomes[sent.push(request) - 1]
      if (outcome instanceof Error) throw outcome
      return outcome as SwapSimulation
    },
    clock: () => NOW * 1_000,
    laterGas: new LaterGas(),
    contractBalances: { heldTokens: async () => undefined },
    senderCodeChecks: new SenderCodeChecks([NATIVE, weth]),
    rpc: {},
    simulation: { blockIntervalMs: 12_000 },
    view: { snapshot: { block }, codeOf: async () => '0x', balanceOf: async () => 0n },
    signal: new AbortController().signal,
  } as unknown as TrialContext
  const request = resolveSlippage(
    quoteRequest({
      tokenIn: NATIVE,
      tokenOut: weth,
      from: sender,
      amountIn: 1_000_000n,
      slippagePpm: 10_000n,
      ...change,
    }),
  )
  return { trial: await tryRoute(route, [], request, context, maxShortfallPpm), sent }
}

test('an output of at least the settled one is promised as settled', async () => {
  for (const paid of [1_000_000n, 1_000_001n]) {
    const { trial, sent } = await outcomeOf([paying(paid)])
    expect(trial).toMatchObject({ outcome: 'exact', amountOut: 1_000_000n, minOutput: 990_000n })
    expect(sent).toHaveLength(1)
  }
})

test('a lower output is promised if the adjusted transaction pays exactly the same', async () => {
  const { trial, sent } = await outcomeOf([paying(999_000n), paying(999_000n)])
  expect(trial).toMatchObject({ outcome: 'adjusted', amountOut: 999_000n, minOutput: 989_010n, shortfallPpm: 1_000n })
  expect(sent).toHaveLength(2)
  // The returned bytes are those of the last simulation.
  expect('swap' in trial && trial.swap.data).toBe(sent[1]!.data)
  expect(sent[1]!.data).not.toBe(sent[0]!.data)
})

test.each([998_999n, 999_001n, 1_000_000n])(
  'an adjusted transaction that pays %d instead of 999000 is not promised',
  async (paid) => {
    const { trial } = await outcomeOf([paying(999_000n), paying(paid)])
    expect(trial).toEqual({ outcome: 'shortfall', shortfallPpm: 1_000n })
  },
)

test('an adjusted transaction that reverts has the outcome reverted', async () => {
  const { trial } = await outcomeOf([paying(999_000n), failing])
  expect(trial).toEqual({ outcome: 'reverted', reason: 'no', gasUsed: 50_000 })
})

test('a shortfall of at most half a percent is accepted', async () => {
  expect((await outcomeOf([paying(995_000n), paying(995_000n)])).trial).toMatchObject({ outcome: 'adjusted' })
  const { trial, sent } = await outcomeOf([paying(994_999n)])
  expect(trial).toMatchObject({ outcome: 'shortfall', shortfallPpm: 5_001n })
  expect(sent).toHaveLength(1)
})

test('the caller can accept a larger shortfall', async () => {
  const { trial } = await outcomeOf([paying(960_000n), paying(960_000n)], {}, 50_000n)
  expect(trial).toMatchObject({ outcome: 'adjusted', amountOut: 960_000n, minOutput: 950_400n })
  expect((await outcomeOf([paying(949_999n)], {}, 50_000n)).trial).toMatchObject({ outcome: 'shortfall' })
})

test('an exact output is promised if it is met after slippage', async () => {
  const change = { amountIn: undefined, amountOut: 985_000n, slippagePpm: 10_000n }
  const { trial } = await outcomeOf([paying(999_000n)], change)
  expect(trial).toMatchObject({ outcome: 'adjusted', amountOut: 999_000n, minOutput: 985_000n })
  // 989010 is exactly the simulated output less the slippage.
  expect((await outcomeOf([paying(999_000n)], { ...change, amountOut: 989_010n })).trial).toMatchObject({
    outcome: 'adjusted',
  })
  const short = await outcomeOf([paying(999_000n)], { ...change, amountOut: 989_011n })
  expect(short.trial).toEqual({
    outcome: 'shortfall',
    shortfallPpm: 1_000n,
    exactOutputMiss: { paid: 999_000n, expected: 1_000_000n },
  })
})

test('a revert and a token that cannot be funded have the outcome reverted, and other errors are thrown', async () => {
  expect((await outcomeOf([failing])).trial).toMatchObject({ outcome: 'reverted', reason: 'no' })
  const refused = new SimulationError('BAD_TOKEN', 'it cannot be read')
  expect((await outcomeOf([refused])).trial).toEqual({ outcome: 'reverted', reason: 'it cannot be read' })
  await expect(outcomeOf([new Error('bug')])).rejects.toThrow('bug')
})

test('simulations run at the block of the view, and their bytes contain the deadline', async () => {
  const { sent } = await outcomeOf([paying(1_000_000n)])
  expect(sent[0]).toMatchObject({ from: sender, to: guard, block: { blockHash: block.hash }, withHead: true })
  const { sent: later } = await outcomeOf([paying(1_000_000n)], { deadline: NOW + 60 })
  expect(later[0]!.data).not.toBe(sent[0]!.data)
})

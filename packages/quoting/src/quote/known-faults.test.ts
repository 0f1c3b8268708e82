/** Tests which pools, sizes, and tokens later searches of a quote avoid after a route failed. */
import { IGuard__factory } from '@sluice/bindings'
import { type Address, toAddress } from '@sluice/chains'
import { families, familyOf, type Pool } from '@sluice/liquidity'
import type { Leg, RoutePlan } from '@sluice/routing'
import type { SimulationRequest } from '@sluice/simulation'
import { describe, expect, test } from 'vitest'
import { FaultyPools } from './faulty-pools.ts'
import { FaultyTokens } from './faulty-tokens.ts'
import { knownFaults, poolsToExclude, recordExplained } from './known-faults.ts'

const guard = IGuard__factory.createInterface()
const at = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const [A, B, C, W] = [at(0xa), at(0xb), at(0xc), at(0xe)]
const E18 = 10n ** 18n
const NOW = 1_000
const poolOf = (n: number, tokens: readonly Address[]): Pool => ({
  ...{ id: `pool ${n}`, address: at(n), family: 'uniswap-v2', dex: 'test', tokens },
  state: { reserve0: 10n ** 6n * E18, reserve1: 10n ** 6n * E18, feePpm: 3_000 },
})
function legOf(n: number, [tokenIn, tokenOut]: readonly [Address, Address], amountIn = 32n * E18): Leg {
  const pool = poolOf(n, [tokenIn, tokenOut])
  const { amountOut } = familyOf(pool.family)!.quoteExactInput(pool, tokenIn, tokenOut, amountIn)
  return { pool, tokenIn, tokenOut, num: 1n, den: 1n, amountIn, amountOut, gas: 1 }
}
/** A route from A over B to C, and a direct pool with a smaller part. */
const legs = [legOf(1, [A, B], 60n * E18), legOf(2, [B, C], 59n * E18), legOf(3, [A, C], 40n * E18)]
const route = { tokenIn: A, tokenOut: C, amountIn: 100n * E18, amountOut: 98n * E18, legs } as unknown as RoutePlan

/** A context in which pools accept amounts up to their limits, and some tokens cannot be transferred. */
function contextOf(
  limits: Readonly<Record<number, bigint>>,
  {
    stuck = [] as readonly Address[],
    taxed = [] as readonly Address[],
    trusted = [A, B, C] as readonly Address[],
    failsJoined = false,
  } = {},
) {
  const pays = (pools: readonly string[], data: string) => {
    const amountIn = guard.parseTransaction({ data })?.args.amountIn as bigint
    const isJoined = pools.length > 1 && failsJoined
    const success = !isJoined && pools.every((address) => amountIn <= (limits[Number(BigInt(address))] ?? 10n ** 30n))
    return { success, amountOut: success ? 10n ** 30n : 0n, gasUsed: 1, returnData: '0x' }
  }
  const simulate = async (
    { to, data, alternatives = [] }: SimulationRequest,
    avoid: ReadonlySet<Address> = new Set(),
  ) => {
    if (avoid.size === 0 || !guard.parseTransaction({ data }))
      return { success: !stuck.includes(to), amountOut: 1n, gasUsed: 1, returnData: '0x', ways: {} }
    return { ...pays([...avoid], data), alternatives: alternatives.map((of) => pays([...avoid], of)) }
  }
  const failures: (readonly string[])[] = []
  const faultyPools = new FaultyPools()
  const faultyTokens = new FaultyTokens()
  const context = {
    ...{ simulate, wrappedNative: W, clock: () => 0, faultyPools, faultyTokens },
    view: { snapshot: { block: { number: 5, hash: '0x05', timestamp: NOW } } },
    contracts: {
      guard: at(0x91),
      executor: { address: at(0x92) },
      families: new Map(families.map((of) => [of.id, of])),
    },
    tokens: {
      trustTracker: {
        trust: () => ({ tokens: new Set(trusted), accounts: new Set(), pools: new Set() }),
        recordFailure: (ids: ReadonlySet<string>) => failures.push([...ids]),
      },
      taxes: { taxedTokens: new Map(taxed.map((token) => [token, {}])) },
    },
  } as never
  const work = { signal: new AbortController().signal, time: (_: string, run: () => unknown) => run() } as never
  const faults = knownFaults({ tokenIn: A, tokenOut: C } as never, context)
  const exclude = (of = route) => poolsToExclude(of, context, work, faults)
  return { context, faults, faultyPools, faultyTokens, failures, exclude }
}

test('a quote starts with the pools, sizes, and intermediate tokens that failed lately', () => {
  const { context, faultyPools, faultyTokens } = contextOf({})
  const failed = { pool: legs[0]!.pool, tokenIn: A, tokenOut: B }
  faultyPools.record([{ ...failed, minFailingInput: 0n, maxWorkingInput: 0n }], NOW)
  faultyPools.record([{ ...failed, pool: legs[1]!.pool, minFailingInput: 9n, maxWorkingInput: 7n }], NOW)
  faultyTokens.record([A, B, C, W], NOW)
  expect(knownFaults({ tokenIn: A, tokenOut: C } as never, context)).toEqual({
    recentFaults: {
      poolIds: new Set(['pool 1']),
      inputLimits: new Set([{ poolId: 'pool 2', tokenIn: A, tokenOut: B, maxInput: 7n }]),
    },
    ...{ inputLimits: [], avoidedTokens: new Set([B]), failedLegs: [] },
  })
})

test('a pool that fails in all sizes is left out, now and in later quotes, and loses trust', async () => {
  const { exclude, failures, faultyPools, faults } = contextOf({ 2: 0n })
  expect(await exclude()).toEqual(['pool 2'])
  expect(failures).toEqual([['pool 2']])
  expect([faultyPools.idsAt(NOW), faults.inputLimits, faults.failedLegs]).toEqual([['pool 2'], [], []])
})

test('a pool that fails for its size is limited instead, now and in later quotes', async () => {
  const { exclude, faultyPools, faults } = contextOf({ 1: 30n * E18 })
  expect(await exclude()).toEqual([])
  const [limit] = faults.inputLimits
  expect(limit).toMatchObject({ poolId: 'pool 1', tokenIn: A, tokenOut: B })
  expect(limit!.maxInput).toBeLessThanOrEqual(30n * E18)
  expect(limit!.maxInput).toBeGreaterThan(28n * E18)
  expect([faultyPools.idsAt(NOW), faultyPools.inputLimitsAt(NOW)]).toEqual([[], [limit]])
})

describe('trust is withdrawn', () => {
  const lostBy = async (of: RoutePlan, ...[limits, options]: Parameters<typeof contextOf>) => {
    const { exclude, failures } = contextOf(limits, options)
    await exclude(of)
    return failures.flat()
  }
  const lost = (...context: Parameters<typeof contextOf>) => lostBy(route, ...context)

  test('from an intermediate token that no leg can move', async () => {
    expect(await lost({ 1: 0n, 2: 0n })).toEqual(['pool 1', B, 'pool 2'])
    expect(await lost({ 1: 0n, 2: 0n }, { stuck: [B] })).toEqual(['pool 1', B, 'pool 2'])
  })

  test('from all on the way if only the whole route fails, for any sender', async () => {
    expect(await lost({}, { failsJoined: true })).toEqual(['pool 1', B, 'pool 2', 'pool 3'])
  })

  test('from nothing that an untrusted pool or token on the way can break', async () => {
    const hostile = ({ pool, amountIn, amountOut, ...leg }: Leg): Leg => {
      const state = { samples: [[[amountIn, amountOut]], []], sold: [0n, 0n] }
      return { ...leg, amountIn, amountOut, pool: { ...pool, family: 'caller-fee-v3', state } }
    }
    const [first, second, third] = legs as [Leg, Leg, Leg]
    const byPool = { ...route, legs: [first, hostile(second), third] }
    expect(await lostBy(byPool, {}, { failsJoined: true })).toEqual(['pool 2'])
    const byBoth = { ...route, legs: [hostile(first), hostile(second), third] }
    expect(await lostBy(byBoth, { 1: 0n, 2: 0n })).toEqual(['pool 1', 'pool 2'])
    const byToken = { trusted: [A, C] }
    expect(await lost({}, { ...byToken, failsJoined: true })).toEqual([B])
    expect(await lost({ 1: 0n, 2: 0n }, byToken)).toEqual([B])
  })

  test('from nothing if the route works for another sender', async () => {
    expect(await lost({})).toEqual([])
  })

  test('from nothing that an end token of the caller can break', async () => {
    const byA = { trusted: [B, C] }
    expect(await lost({}, { ...byA, failsJoined: true })).toEqual([])
    expect(await lost({ 1: 0n }, byA)).toEqual([])
    expect(await lost({ 1: 0n, 2: 0n }, byA)).toEqual(['pool 2', B])
  })
})

test('if each leg works alone, the pool with the largest part is left out', async () => {
  const { exclude, faultyPools } = contextOf({})
  expect(await exclude()).toEqual(['pool 1'])
  expect(faultyPools.idsAt(NOW)).toEqual([])
  // A leg of an intermediate token counts as half.
  const small = { ...route, legs: [{ ...legs[0]!, amountIn: 30n * E18 }, legs[1]!, legs[2]!] } as RoutePlan
  expect(await exclude(small)).toEqual(['pool 2'])
  expect(await exclude({ ...route, legs: [] } as never)).toEqual([])
})

test('legs of taxed tokens are not run alone', async () => {
  const { exclude, failures, faultyPools } = contextOf({ 2: 0n }, { taxed: [C] })
  expect(await exclude()).toEqual(['pool 1'])
  expect([failures, faultyPools.idsAt(NOW)]).toEqual([[], []])
  expect(await contextOf({ 2: 0n }, { taxed: [W] }).exclude()).toEqual(['pool 2'])
})

test('an intermediate token that cannot be transferred is avoided, and no pool', async () => {
  const { exclude, faults, faultyTokens, faultyPools } = contextOf({ 1: 0n, 2: 0n }, { stuck: [B] })
  expect(await exclude()).toEqual([])
  expect([[...faults.avoidedTokens], faultyTokens.tokensAt(NOW), faultyPools.idsAt(NOW)]).toEqual([[B], [B], []])
})

test('if every leg fails, nothing is recorded until a route shows that its tokens work', async () => {
  const { exclude, faults, faultyPools, context } = contextOf({ 1: 0n, 2: 0n, 3: 0n })
  expect(await exclude()).toEqual(['pool 1'])
  expect([faults.failedLegs.map(({ pool }) => pool.id), faultyPools.idsAt(NOW)]).toEqual([
    ['pool 1', 'pool 2', 'pool 3'],
    [],
  ])
  recordExplained(faults.failedLegs, { legs: [legOf(7, [A, C])] } as unknown as RoutePlan, context)
  expect(faultyPools.idsAt(NOW)).toEqual(['pool 3'])
  recordExplained(faults.failedLegs, { legs: [legOf(7, [A, B])] } as unknown as RoutePlan, context)
  expect(faultyPools.idsAt(NOW).toSorted()).toEqual(['pool 1', 'pool 3'])
})

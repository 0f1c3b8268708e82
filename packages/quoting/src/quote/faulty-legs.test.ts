/** Tests which legs of a failed route are blamed, and from which size on, against pools that accept amounts up to a limit. */
import { IGuard__factory } from '@sluice/bindings'
import { type Address, NATIVE, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { families, familyOf, type Pool } from '@sluice/liquidity'
import type { Leg, RoutePlan } from '@sluice/routing'
import type { CallOutcome, SimulationRequest, SwapSimulation } from '@sluice/simulation'
import { expect, test } from 'vitest'
import { probeAmount } from '../gas/probe-amount.ts'
import { NEUTRAL_SENDER } from '../neutral-sender.ts'
import { findFaultyLegs, singleLegRoute } from './faulty-legs.ts'

const guard = IGuard__factory.createInterface()
const at = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const [A, B, C] = [at(0xa), at(0xb), at(0xc)]
const E18 = 10n ** 18n
const poolOf = (n: number, tokens = [A, B], address = at(n)): Pool => ({
  ...{ id: `pool ${n}`, address, family: 'uniswap-v2', dex: 'test', tokens },
  state: { reserve0: 1_000n * E18, reserve1: 1_000n * E18, feePpm: 3_000 },
})
const quoteOf = (pool: Pool, tokenIn: Address, tokenOut: Address, amountIn: bigint) =>
  familyOf(pool.family)!.quoteExactInput(pool, tokenIn, tokenOut, amountIn).amountOut
const legOf = (pool: Pool, amountIn = 32n * E18, [tokenIn, tokenOut] = [pool.tokens[0]!, pool.tokens[1]!]): Leg => ({
  ...{ pool, tokenIn, tokenOut, num: 1n, den: 1n, amountIn, gas: 1 },
  amountOut: quoteOf(pool, tokenIn, tokenOut, amountIn),
})
const routeOf = (legs: readonly Leg[]) => ({ ...singleLegRoute(legs[0]!), legs }) as RoutePlan

/** Output of an amount through the pools that a call names; null if the call reverts. */
type Pays = (pools: readonly string[], amountIn: bigint) => bigint | null

const block = { number: 5, hash: '0x05', timestamp: 1_000 } as never

/** Runs the legs on a chain that pays as given, and records the amounts of each call. */
async function findFaulty(legs: readonly Leg[], pays: Pays, aborted = false) {
  const calls: bigint[][] = []
  const requests: SimulationRequest[] = []
  const controller = new AbortController()
  if (aborted) controller.abort(new Error('gone'))
  const amountOf = (data: string) => guard.parseTransaction({ data })!.args.amountIn as bigint
  const simulate = async (request: SimulationRequest, avoid: ReadonlySet<Address> = new Set()) => {
    const amounts = [request.data, ...(request.alternatives ?? [])].map(amountOf)
    calls.push(amounts)
    requests.push(request)
    const [first, ...alternatives] = amounts.map((amount): CallOutcome => {
      const amountOut = pays([...avoid], amount)
      return { success: amountOut !== null, amountOut: amountOut ?? 0n, gasUsed: 1, returnData: '0x' }
    })
    return { ...first!, alternatives } as unknown as SwapSimulation
  }
  const context = {
    ...{ simulate, wrappedNative: null, clock: () => 7_000, signal: controller.signal, view: { snapshot: { block } } },
    contracts: {
      ...{ guard: at(0x91), executor: { address: at(0x92) }, families: new Map(families.map((of) => [of.id, of])) },
    },
  } as never
  return { ...(await findFaultyLegs(routeOf(legs), context)), calls, requests }
}
/** A chain whose pools pay as quoted, up to a limit for some. */
const upTo =
  (pools: readonly Pool[], limits: Readonly<Record<string, bigint>>): Pays =>
  ([address], amountIn) => {
    const pool = pools.find((of) => of.address === address)!
    if (amountIn > (limits[pool.id] ?? 10n ** 30n)) return null
    return quoteOf(pool, pool.tokens[0]!, pool.tokens[1]!, amountIn)
  }
const pools = [poolOf(1), poolOf(2, [B, C]), poolOf(3, [A, C])]
const legs = pools.map((pool) => legOf(pool))

test('legs that work alone are not at fault, and each is run once, without a history of the sender', async () => {
  const { calls, requests, ...result } = await findFaulty(legs, upTo(pools, {}))
  expect(result).toEqual({ faultyPoolIds: [], failedLegs: [], workingLegs: legs, someInputWorks: true })
  const probe = probeAmount(pools[0]!, A, B)!
  // The whole leg, 28, 24, 16, 8, and 2 parts of 32, and an amount that hardly moves the price.
  expect(calls).toEqual(legs.map(() => [32n, 28n, 24n, 16n, 8n, 2n].map((part) => part * E18).concat(probe)))
  expect(requests[0]).toMatchObject({
    ...{ from: NEUTRAL_SENDER, tokenIn: A, tokenOut: B, amountIn: 32n * E18, bareRunMode: 'measured' },
    ...{ block: { blockHash: '0x05' }, knownState: { header: block, senderCode: '0x' } },
  })
  const { order } = guard.parseTransaction({ data: requests[0]!.data })!.args
  expect([order.minOutput, order.deadline]).toEqual([1n, 1_000n + 1_200n])
})

test.each([1n, 3n, 9n, 15n, 20n, 27n, 30n, 31n])(
  'a leg that works up to %d parts of 32 is measured to two percent',
  async (parts) => {
    const limit = parts * E18 + E18 / 3n
    const { faultyPoolIds, failedLegs, workingLegs, someInputWorks } = await findFaulty(
      legs,
      upTo(pools, { 'pool 2': limit }),
    )
    expect([faultyPoolIds, workingLegs, someInputWorks]).toEqual([['pool 2'], [legs[0], legs[2]], true])
    const [{ pool, tokenIn, minFailingInput, maxWorkingInput }] = failedLegs as [(typeof failedLegs)[0]]
    expect([failedLegs.length, pool.id, tokenIn]).toEqual([1, 'pool 2', B])
    expect(maxWorkingInput).toBeLessThanOrEqual(limit)
    expect(minFailingInput).toBeGreaterThan(limit)
    expect(minFailingInput - maxWorkingInput).toBeLessThanOrEqual((32n * E18) / 50n)
  },
)

test('a leg that fails in all sizes fails from nothing on, in a single call', async () => {
  const { faultyPoolIds, failedLegs, calls } = await findFaulty(legs, upTo(pools, { 'pool 1': 0n }))
  expect([faultyPoolIds, failedLegs]).toEqual([['pool 1'], [{ ...legs[0], minFailingInput: 0n, maxWorkingInput: 0n }]])
  expect(calls).toHaveLength(3)
})

test('a leg that works in the smallest size only is not known to fail in all', async () => {
  const { failedLegs } = await findFaulty(legs, upTo(pools, { 'pool 1': probeAmount(pools[0]!, A, B)! }))
  expect(failedLegs[0]!.maxWorkingInput).toBe(probeAmount(pools[0]!, A, B))
  expect(failedLegs[0]!.minFailingInput).toBeLessThanOrEqual(2n * E18)
})

test('an input that hardly moves the price is not made smaller, and one that fails is known for itself only', async () => {
  const probe = probeAmount(pools[0]!, A, B)!
  const callsOf = async (leg: Leg) => (await findFaulty([leg], upTo(pools, {}))).calls
  expect(await callsOf(legOf(pools[0]!, probe))).toEqual([[probe]])
  expect(await callsOf(legOf(pools[0]!, probe + 1n))).toEqual([[probe + 1n, probe]])
  const { failedLegs } = await findFaulty([legOf(pools[0]!, probe), legs[2]!], upTo(pools, { 'pool 1': 0n }))
  expect(failedLegs).toMatchObject([{ minFailingInput: probe, maxWorkingInput: 0n }])
})

test('a leg of a pool that pays nothing for small amounts is run with its input only', async () => {
  const pool = { ...poolOf(1), state: { reserve0: 1_000n * E18, reserve1: 1n, feePpm: 3_000 } }
  expect(probeAmount(pool, A, B)).toBeNull()
  const leg = { ...legs[0]!, pool, amountOut: 1n }
  expect((await findFaulty([leg], () => 1n)).calls).toEqual([[leg.amountIn]])
})

test.each([
  [995n, true],
  [994n, false],
])('a leg that pays %d of 1,000 as settled works: %s', async (perMille, works) => {
  const leg = { ...legs[0]!, amountOut: 1_000_000n }
  const pays: Pays = ([address]) => (address === pools[0]!.address ? 1_000n * perMille : 10n ** 30n)
  const { workingLegs } = await findFaulty([leg, legs[2]!], pays)
  expect(workingLegs.includes(leg)).toBe(works)
})

test('the shortfall of a small output counts for the whole leg, but not for its smaller inputs', async () => {
  const leg = { ...legs[0]!, amountOut: 100n }
  const paysShort: Pays = ([address]) => (address === pools[0]!.address ? 99n : 10n ** 30n)
  const { faultyPoolIds, failedLegs } = await findFaulty([leg, legs[2]!], paysShort)
  expect([faultyPoolIds, failedLegs.map(({ pool }) => pool.id)]).toEqual([['pool 1'], ['pool 1']])
  // The pool's smaller inputs buy less than 1,000 base units, and pay one unit less than quoted.
  const state = { reserve0: 1_000n * E18, reserve1: 3_000n, feePpm: 3_000 }
  const pool = { ...poolOf(1), state }
  const roundingLeg = legOf(pool)
  const paysOneLess: Pays = ([address], amountIn) => {
    if (address !== pool.address) return 10n ** 30n
    const quoted = quoteOf(pool, A, B, amountIn)
    return amountIn === roundingLeg.amountIn ? 0n : quoted - 1n
  }
  expect(roundingLeg.amountOut).toBeLessThan(1_000n)
  const { failedLegs: roundingLegs } = await findFaulty([roundingLeg, legs[2]!], paysOneLess)
  expect(roundingLegs[0]!.maxWorkingInput).toBeGreaterThan((roundingLeg.amountIn * 31n) / 32n)
})

test('if every leg fails, none is blamed alone', async () => {
  const { faultyPoolIds, failedLegs, workingLegs, someInputWorks } = await findFaulty(legs, () => null)
  expect([faultyPoolIds, workingLegs, someInputWorks]).toEqual([[], [], false])
  expect(failedLegs.map(({ pool }) => pool.id)).toEqual(['pool 1', 'pool 2', 'pool 3'])
  // Smaller amounts that work show that it is not the node.
  const small = await findFaulty(legs, (_, amountIn) => (amountIn > 20n * E18 ? null : 10n ** 30n))
  expect([small.faultyPoolIds, small.someInputWorks]).toEqual([[], true])
})

test('a call that fails says nothing about its leg, unless the caller is gone', async () => {
  const failing: Pays = ([address], amountIn) => {
    if (address === pools[1]!.address) throw new Error('no answer')
    return upTo(pools, {})([address!], amountIn)
  }
  const { faultyPoolIds, failedLegs, workingLegs } = await findFaulty(legs, failing)
  expect([faultyPoolIds, failedLegs, workingLegs]).toEqual([[], [], [legs[0], legs[2]]])
  await expect(findFaulty(legs, failing, true)).rejects.toThrow('no answer')
})

test('of pools of one account that fail together, the leg with less output is blamed', async () => {
  const account = at(9)
  const [first, second] = [poolOf(4, [A, B], account), poolOf(5, [A, B], account)]
  const shared = [legOf(first, 8n * E18), legOf(second, 24n * E18)]
  const other = poolOf(6)
  const pays =
    (limit: bigint): Pays =>
    (_, amountIn) =>
      amountIn > limit ? null : 10n ** 30n
  const { faultyPoolIds, calls, workingLegs } = await findFaulty([...shared, legOf(other)], pays(31n * E18 + E18))
  expect([faultyPoolIds, workingLegs.length]).toEqual([[], 3])
  // Both together sell 32.
  expect(calls.at(-1)).toEqual([32n * E18])
  const blamed = await findFaulty([...shared, legOf(other, 3n * E18)], pays(31n * E18))
  expect(blamed.faultyPoolIds).toEqual(['pool 4'])
  expect((await findFaulty([...shared.toReversed(), legOf(other, 3n * E18)], pays(31n * E18))).faultyPoolIds).toEqual([
    'pool 4',
  ])
  // Pools of other accounts, or in the other direction, are not run together.
  const reversed = legOf(second, 24n * E18, [B, A])
  expect((await findFaulty([shared[0]!, reversed, legOf(other)], pays(10n ** 30n))).calls).toHaveLength(3)
})

test('at most 32 legs are run', async () => {
  const many = Array.from({ length: 40 }, (_, k) => poolOf(100 + k))
  const { calls, workingLegs } = await findFaulty(
    many.map((pool) => legOf(pool)),
    upTo(many, {}),
  )
  expect([calls.length, workingLegs.length]).toEqual([32, 32])
})

test('a route of one leg sells everything, and names the native token as requests do', () => {
  const leg = { ...legOf(poolOf(7, [ZERO_ADDRESS, B])), num: 3n, den: 7n }
  expect(singleLegRoute(leg)).toMatchObject({
    ...{ tokenIn: NATIVE, tokenOut: B, amountIn: leg.amountIn, amountOut: leg.amountOut, gas: 1 },
    legs: [{ ...leg, num: 1n, den: 1n }],
  })
  const toNative = { ...legOf(poolOf(7, [ZERO_ADDRESS, B])), tokenIn: B, tokenOut: ZERO_ADDRESS }
  expect(singleLegRoute(toNative)).toMatchObject({ tokenIn: B, tokenOut: NATIVE })
})

/** Tests which pools are refreshed for their parameters, and how the fees of concentrated pools are read again. */
import { ICurveFactory__factory } from '@sluice/bindings'
import { type Address, type DexRow, type Hex, toAddress } from '@sluice/chains'
import { toBeHex } from 'ethers'
import { describe, expect, test } from 'vitest'
import type { DexFamily, Pool, Reads } from '../../family.ts'
import { balancerV2 } from '../balancer-v2/index.ts'
import { balancerV3 } from '../balancer-v3/index.ts'
import { curveCrypto } from '../curve-crypto/index.ts'
import { curveStable } from '../curve-stable/index.ts'
import { readFixed } from '../curve-stable/rates.ts'
import { echodex } from '../echodex/index.ts'
import { ramsesCl } from '../ramses-cl/index.ts'
import { slipstream } from '../slipstream/index.ts'
import { solidly } from '../solidly/index.ts'
import { velodromeV2 } from '../velodrome-v2/index.ts'

const address = toAddress(toBeHex(1, 20))
const tokens: readonly Address[] = [toAddress(toBeHex(2, 20)), toAddress(toBeHex(3, 20))]
const row: DexRow = { family: 'f', brand: 'x', role: 'factory', address: toAddress(toBeHex(4, 20)) }
const poolOf = (state: object, fixed?: object): Pool<never> => ({
  ...{ id: 'a', family: 'f', dex: 'x', address, tokens, state: state as never },
  ...(fixed && { fixed }),
})
const [ONE, MILLION] = [10n ** 18n, 10n ** 6n]

describe('a pool is refreshed for its parameters', () => {
  const curveState = { rates: [ONE, ONE * MILLION], margin: 1n }
  const v3State = { kind: 'stable', rates: [ONE, ONE] }
  const [pooled, reclamm] = [{ silent: false }, { silent: true }]
  test.each<[name: string, family: unknown, state: object, fixed: object | undefined, isRefreshed: boolean | null]>([
    ['Curve, plain coins of an older pool', curveStable, { ...curveState, balances: [1n, 2n] }, undefined, true],
    ['Curve, NG pool of plain coins', curveStable, curveState, { dependsOn: [] }, false],
    ['Curve, a rate', curveStable, { ...curveState, rates: [ONE, ONE + 1n] }, undefined, true],
    ['Curve, a moving A', curveStable, { ...curveState, ramping: true }, undefined, true],
    ['Curve, lending shares', curveStable, { ...curveState, margin: 0n }, undefined, true],
    ['Curve, rebasing coins', curveStable, curveState, { dependsOn: [], rebases: true }, true],
    ['CryptoSwap', curveCrypto, { ramping: true }, undefined, false],
    ['CryptoSwap, a moving A', curveCrypto, { ramping: true, moves: true }, undefined, true],
    ['Balancer V2, constant weights', balancerV2, { kind: 'weighted' }, undefined, false],
    ['Balancer V2, moving weights or rates', balancerV2, { kind: 'weighted', moves: true }, undefined, true],
    ['Balancer V3, no rate', balancerV3, v3State, pooled, false],
    ['Balancer V3, a rate', balancerV3, { ...v3State, rates: [ONE, ONE + 1n] }, pooled, true],
    ['Balancer V3, a moving amplification', balancerV3, { ...v3State, ramping: true }, pooled, true],
    ['Balancer V3, reCLAMM, outside the budget', balancerV3, { ...v3State, kind: 'reclamm' }, reclamm, null],
    ['Balancer V3, buffer, outside the budget', balancerV3, { kind: 'buffer' }, { buffer: true }, null],
    ['Slipstream', slipstream, {}, undefined, true],
    ['Ramses CL', ramsesCl, {}, undefined, true],
    ['Velodrome V2', velodromeV2, {}, undefined, true],
    ['Solidly, a volatile pair', solidly, { stable: false }, undefined, true],
    ['Solidly, a stable pair', solidly, { stable: true }, undefined, true],
    ['Echodex', echodex, {}, undefined, true],
  ])('%s', (_name, family, state, fixed, isRefreshed) => {
    const gas = (family as DexFamily<never>).parameterGas!(poolOf(state, fixed))
    expect(gas === null ? null : gas > 0).toBe(isRefreshed)
  })
})

/** Runs reads with the answers of each round. */
function run<T>(reads: Reads<T>, ...rounds: readonly (readonly (Hex | null)[])[]): T {
  let step = reads.next([])
  for (const answers of rounds) step = reads.next(answers)
  if (!step.done) throw new Error('reads are left')
  return step.value
}
const word = (value: bigint | number) => toBeHex(value, 32) as Hex

describe('a fee that another contract sets', () => {
  const state = { feePpm: 500, tick: 7 }
  const refresh = (family: { refreshStates?: unknown }, answers: readonly (Hex | null)[]) =>
    run(
      (family.refreshStates as NonNullable<DexFamily<never>['refreshStates']>)(row, [poolOf(state)], {} as never),
      answers,
    )[0]

  test('replaces only the fee of a concentrated pool', () => {
    expect(refresh(slipstream, [word(123)])).toEqual({ ...state, feePpm: 123 })
    expect(refresh(slipstream, [word(500)])).toBe(state)
  })

  test('is the current fee of a Ramses CL pool, or its only fee', () => {
    expect(refresh(ramsesCl, [word(77), word(3_000)])).toEqual({ ...state, feePpm: 77 })
    expect(refresh(ramsesCl, [null, word(3_000)])).toEqual({ ...state, feePpm: 3_000 })
  })

  test('leaves no state if it cannot be read', () => {
    expect(refresh(slipstream, [null])).toBe(null)
    expect(refresh(ramsesCl, ['0x', '0x12'])).toBe(null)
  })

  test('has a Velodrome V2 pair read again only if it differs', () => {
    const pools = [poolOf({ feePpm: 300, stable: false }), poolOf({ feePpm: 500, stable: true })]
    const refreshAll = () => velodromeV2.refreshStates!(row, pools, {} as never)
    const states = pools.map((pool) => pool.state)
    expect(run(refreshAll(), [word(0), word(3), word(5)])).toEqual(states)
    // A fork whose factory does not answer.
    expect(run(refreshAll(), [null, null, '0x'])).toEqual(states)
    const reads = refreshAll()
    reads.next([])
    expect(reads.next([word(0), word(3), word(6)])).toMatchObject({
      done: false,
      value: [{ gas: 150_000 }, { to: row.address }],
    })
    expect(reads.next([null, word(0)])).toEqual({ done: true, value: [states[0], null] })
  })

  test('has a Solidly pair read again only if its quote differs', () => {
    const reserves = { reserve0: 4_000n, reserve1: 8_000n, unit0: 1n, unit1: 1n }
    const pools = [300, 500].map((feePpm) => poolOf({ ...reserves, feePpm, stable: false }))
    const [state, otherState] = pools.map((pool) => pool.state)
    const refreshAll = () => solidly.refreshStates!(row, pools, {} as never)
    // 1,001 of the first token for a fifth of the second, without a fee that shows.
    expect(refreshAll().next([])).toMatchObject({ value: [{ to: address }, { to: address }] })
    expect(run(refreshAll(), [word(1_601), word(1_601)])).toEqual([state, otherState])
    for (const answer of [word(1_602), null, '0x'] as const) {
      const reads = refreshAll()
      reads.next([])
      expect(reads.next([word(1_601), answer])).toMatchObject({ done: false, value: [{ gas: 150_000 }] })
      expect(reads.next([null])).toEqual({ done: true, value: [state, null] })
    }
  })
})

test('a pause of a Velodrome V2 factory stops the swaps of its pairs, and only as long as it lasts', () => {
  const state = { reserve0: 4_000n, reserve1: 8_000n, unit0: 1n, unit1: 1n, feePpm: 300, stable: false }
  const refreshed = (current: object, pause: Hex | null) =>
    run(velodromeV2.refreshStates!(row, [poolOf(current)], {} as never), [pause, null])[0]
  const paused = refreshed(state, word(1))!
  expect(paused).toEqual({ ...state, paused: true })
  expect(refreshed(paused, word(1))).toBe(paused)
  for (const answer of [word(0), null, '0x'] as const) expect(refreshed(paused, answer)).toEqual(state)
  const pool = poolOf(paused)
  const [a, b] = tokens as [Address, Address]
  expect(() => velodromeV2.quoteExactInput(pool, a, b, 100n)).toThrow(expect.objectContaining({ code: 'PAUSED' }))
  expect(velodromeV2.maxInput(pool, a, b)).toBe(0n)
  expect(velodromeV2.priceCurve(pool, a, b).liquidity).toHaveLength(0)
})

test('the fee token of an Echodex factory is that of the block', () => {
  const state = { reserve0: 1n, reserve1: 2n, feeToken: null }
  const refresh = (current: object, answer: Hex | null) =>
    run(echodex.refreshStates!(row, [poolOf(current), poolOf({ ...state, feeToken: 1 })], {} as never), [answer])
  expect(refresh(state, word(BigInt(tokens[1]!)))).toEqual([
    { ...state, feeToken: 1 },
    { ...state, feeToken: 1 },
  ])
  expect(refresh(state, word(9))[0]).toBe(state)
  expect(refresh(state, null)).toEqual([null, null])
})

describe('balances of a Curve pool that a factory without asset types created', () => {
  const state = { rates: [ONE, ONE], margin: 1n, balances: [5n, 6n] }
  const moving = { ...state, ramping: true }
  const refresh = (states: readonly object[]) =>
    curveStable.refreshStates!(
      row,
      states.map((of) => poolOf(of)),
      {} as never,
    )

  test('are compared, and pools that move are read in the same round', () => {
    const reads = refresh([state, moving, state])
    expect(reads.next([])).toMatchObject({ value: [{ gas: 400_000 }, {}, {}, {}, {}] })
    expect(reads.next([null, word(5), word(6), word(5), word(6)])).toEqual({ done: true, value: [state, null, state] })
  })

  test.each([
    ['differ', [word(5), word(7)]],
    ['cannot be read', [word(5), null]],
  ] as const)('have the pool read again if they %s', (_, answers) => {
    const reads = refresh([state, state])
    reads.next([])
    expect(reads.next([word(5), word(6), ...answers])).toMatchObject({ done: false, value: [{ gas: 400_000 }] })
    expect(reads.next([null])).toEqual({ done: true, value: [state, null] })
  })
})

test('facts of a Curve NG pool name coins whose balances change', () => {
  const factoryInterface = ICurveFactory__factory.createInterface()
  const factsOf = (types: readonly number[]) => {
    const answer = factoryInterface.encodeFunctionResult('get_pool_asset_types', [types]) as Hex
    return run(readFixed({ ...row, version: 'stableswap-ng' }, [{ ...poolOf({}), state: null }]), [answer])[0]!.fixed
  }
  expect(factsOf([0, 0])).toEqual({ dependsOn: [] })
  expect(factsOf([0, 3])).toEqual({ dependsOn: [tokens[1]] })
  expect(factsOf([2, 3])).toEqual({ dependsOn: [tokens[1]], rebases: true })
  expect(factsOf([1, 2])).toEqual({ dependsOn: [address], rebases: true })
})

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
import { ramsesCl } from '../ramses-cl/index.ts'
import { slipstream } from '../slipstream/index.ts'
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
    ['Curve, plain coins', curveStable, curveState, undefined, false],
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
    expect(run(refreshAll(), [word(3), word(5)])).toEqual(states)
    // A fork whose factory does not answer.
    expect(run(refreshAll(), [null, '0x'])).toEqual(states)
    const reads = refreshAll()
    reads.next([])
    expect(reads.next([word(3), word(6)])).toMatchObject({ done: false, value: [{ gas: 150_000 }] })
    expect(reads.next([null])).toEqual({ done: true, value: [states[0], null] })
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

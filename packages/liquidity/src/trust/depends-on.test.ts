/** Tests of `dependsOn`: which accounts the quotes of a pool depend on, from facts that the family reads once. */
import {
  IBalancerV2Factory__factory,
  IBalancerV2PoolState__factory,
  ICurveFactory__factory,
  IDodoV2State__factory,
} from '@sluice/bindings'
import { type Address, type DexRow, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { AbiCoder, toBeHex } from 'ethers'
import { describe, expect, test } from 'vitest'
import { familyOf } from '../dexes/index.ts'
import type { Pool } from '../family.ts'

const account = (n: number): Address => toAddress(toBeHex(n, 20))
const [POOL, OWNER, RATE, FACTORY, COIN, SHARE] = [1, 2, 3, 4, 5, 6].map(account) as [
  Address,
  Address,
  Address,
  Address,
  Address,
  Address,
]
const GOVERNANCE = '0xba1ba1ba1ba1ba1ba1ba1ba1ba1ba1ba1ba1ba1b'

/**
 * Runs a family's `readFixed` and returns `dependsOn`. `answers` returns the result of a call by function name; null if
 * it reverts.
 */
function dependsOn(family: string, row: Partial<DexRow>, answers: (name: string) => Hex | null): readonly Address[] {
  const pool: Pool<null> = {
    id: POOL,
    address: POOL,
    family,
    dex: 'test',
    tokens: [COIN, SHARE],
    state: null,
    ...(family.startsWith('balancer') && { fixed: { vault: account(9) } }),
  }
  const { readFixed, dependsOn } = familyOf(family)!
  const reading = readFixed!({ family, brand: 'test', role: 'factory', address: FACTORY, ...row }, [pool], 1)
  let step = reading.next()
  while (!step.done) step = reading.next(step.value.map(({ data }) => answers(nameOf(data))))
  return dependsOn!(step.value[0]!)
}

const interfaces = [
  IBalancerV2PoolState__factory,
  IBalancerV2Factory__factory,
  ICurveFactory__factory,
  IDodoV2State__factory,
].map((one) => one.createInterface())
const nameOf = (data: Hex) =>
  interfaces.flatMap((one) => one.getFunction(data.slice(0, 10) as never) ?? []).map((fragment) => fragment.name)[0]!
const encode = (type: string, value: unknown) => AbiCoder.defaultAbiCoder().encode([type], [value]) as Hex

describe('balancer-v2', () => {
  const answers = (owner: string, rates: readonly string[] | null, isFromFactory: Hex | null) => (name: string) => {
    if (name === 'getOwner') return encode('address', owner)
    if (name === 'isPoolFromFactory') return isFromFactory
    return rates && encode('address[]', rates)
  }
  const row = { contracts: { stablePoolFactory: FACTORY } }
  const yes = encode('bool', true)

  test('depends on nothing if a factory created it and nobody or the governance owns it', () => {
    expect(dependsOn('balancer-v2', row, answers(ZERO_ADDRESS, [ZERO_ADDRESS], yes))).toEqual([])
    expect(dependsOn('balancer-v2', row, answers(GOVERNANCE, null, yes))).toEqual([])
  })

  test('depends on an owner and on rate providers', () => {
    expect(dependsOn('balancer-v2', row, answers(OWNER, [RATE, ZERO_ADDRESS], yes))).toEqual([OWNER, RATE])
  })

  test('depends on itself if no factory created it, regardless of its own answers', () => {
    expect(dependsOn('balancer-v2', row, answers(ZERO_ADDRESS, [], encode('bool', false)))).toEqual([POOL])
    expect(dependsOn('balancer-v2', row, answers(ZERO_ADDRESS, [], null))).toEqual([POOL])
    expect(dependsOn('balancer-v2', {}, answers(ZERO_ADDRESS, [], yes))).toEqual([POOL])
    expect(dependsOn('balancer-v2', row, () => '0xdead')).toEqual([POOL])
  })
})

describe('curve-stable', () => {
  const typed = (types: readonly number[] | null) => () => types && encode('uint8[]', types)
  const ng = { version: 'stableswap-ng' }

  test('of the NG factory depends on ERC-4626 coins, and on itself if its creator chose an oracle', () => {
    expect(dependsOn('curve-stable', ng, typed([0, 2]))).toEqual([])
    expect(dependsOn('curve-stable', ng, typed([0, 3]))).toEqual([SHARE])
    expect(dependsOn('curve-stable', ng, typed([0, 1]))).toEqual([POOL])
    expect(dependsOn('curve-stable', ng, typed([0]))).toEqual([POOL])
    expect(dependsOn('curve-stable', ng, typed(null))).toEqual([POOL])
  })

  test('of older factories depends on nothing', () => {
    expect(dependsOn('curve-stable', { version: 'stable-factory' }, typed([0, 1]))).toEqual([])
  })
})

test.each([
  ['DVM 1.0.2', []],
  ['DSP 1.0.1', []],
  ['DPP 1.0.0', [POOL]],
  ['', [POOL]],
])('dodo-v2 of version "%s"', (version, accounts) => {
  expect(dependsOn('dodo-v2', {}, () => encode('string', version))).toEqual(accounts)
})

test('dodo-v2 without a version depends on itself', () => {
  expect(dependsOn('dodo-v2', {}, () => null)).toEqual([POOL])
})

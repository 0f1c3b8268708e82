/** Tests how results of lenses become pools: which pair an address belongs to, and which tokens a pool has. */
import { ConcentratedLens__factory, CurveLens__factory, PairLens__factory } from '@sluice/bindings'
import { type Address, type DexRow, type Hex, NATIVE, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { Interface } from 'ethers'
import { describe, expect, test } from 'vitest'
import type { Pool, Read, Reads } from '../../family.ts'
import { findByKeys } from './concentrated-discover.ts'
import { findCurvePools } from './curve-discover.ts'
import { findHoldings, SIMULATED_BALANCE } from './holdings.ts'
import { pairFactory } from './pair-discover.ts'
import { findPoolHoldings } from './program-samples.ts'

const at = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const [a, b, c, d] = [at(1), at(2), at(3), at(4)]
const row = { family: 'test', brand: 'brand', address: at(9) } as DexRow
const pairs = [
  [b, a],
  [a, c],
  [c, d],
] as const

/** Runs reads, each round against the function of its index. */
function run<T>(reads: Reads<T>, ...rounds: readonly ((read: Read) => Hex | null)[]): T {
  let step = reads.next([])
  for (const answerOf of rounds) if (!step.done) step = reads.next(step.value.map(answerOf))
  if (!step.done) throw new Error('more rounds than expected')
  return step.value
}
const summary = (pools: readonly Pool<null>[]) => pools.map(({ address, tokens }) => [address, ...tokens])

test('a factory with keys has a pool for each pair and key', () => {
  const lens = ConcentratedLens__factory.createInterface()
  const foundAddresses = [ZERO_ADDRESS, at(11), at(12), ZERO_ADDRESS, at(13), at(14)]
  const pools = run(findByKeys(row, pairs, { finderName: 'find', values: [500, 3_000] }), ({ data }) => {
    expect(lens.decodeFunctionData('find', data).toArray(true)).toEqual([row.address, pairs.flat(), [500n, 3_000n]])
    return lens.encodeFunctionResult('find', [foundAddresses]) as Hex
  })
  expect(summary(pools)).toEqual([
    [at(11), a, b],
    [at(12), a, c],
    [at(13), c, d],
    [at(14), c, d],
  ])
  expect(pools[0]).toMatchObject({ id: at(11), family: 'test', dex: 'brand', state: null })
})

test('a factory with one pool per pair may lack some', () => {
  const factory = new Interface([
    'function getPair(address, address) view returns (address)',
    'event PairCreated(address indexed token0, address indexed token1, address pair, uint256)',
  ])
  const lens = PairLens__factory.createInterface()
  const { findPools, createdPool } = pairFactory(factory, 'getPair', 'PairCreated')
  const foundAddresses = [ZERO_ADDRESS, at(11), at(12)]
  const pools = run(findPools(row, pairs), () => lens.encodeFunctionResult('find', [foundAddresses]) as Hex)
  expect(summary(pools)).toEqual([
    [at(11), a, c],
    [at(12), c, d],
  ])
  expect(run(findPools(row, pairs), () => null)).toEqual([])
  const { topics, data } = factory.encodeEventLog('PairCreated', [a, b, at(11), 1n])
  expect(summary([createdPool(row, { topics, data } as never)])).toEqual([[at(11), a, b]])
})

describe('a Curve factory', () => {
  const lens = CurveLens__factory.createInterface()
  const find = (coinsOf: ReadonlyMap<Address, readonly Address[]>) =>
    run(
      findCurvePools({ family: 'curve-stable', registryId: 0 })({ ...row, contracts: { wrappedNative: b } } as DexRow, [
        ...pairs,
      ]),
      ({ data }) => {
        // The pair with the wrapper is also searched as a pair with the native token.
        const [, coins] = lens.decodeFunctionData('find', data)
        expect([...coins].map(toAddress)).toEqual([...pairs.flat(), toAddress(NATIVE), a])
        return lens.encodeFunctionResult('find', [[...coinsOf.keys(), ZERO_ADDRESS, ...coinsOf.keys()]]) as Hex
      },
      ({ data }) => {
        const [pool] = lens.decodeFunctionData('coins', data)
        const coins = coinsOf.get(toAddress(pool))!
        return coins.length === 0 ? null : (lens.encodeFunctionResult('coins', [[...coins]]) as Hex)
      },
    )

  test('has each pool once, with the zero address for the native token', () => {
    const pools = find(
      new Map([
        [at(11), [toAddress(NATIVE), a]],
        [at(12), [a, c, d]],
      ]),
    )
    expect(summary(pools)).toEqual([
      [at(11), ZERO_ADDRESS, a],
      [at(12), a, c, d],
    ])
  })

  test('has no pools of fewer than two coins, or without an answer', () => {
    expect(
      find(
        new Map([
          [at(11), [a]],
          [at(12), []],
        ]),
      ),
    ).toEqual([])
  })
})

describe('holdings', () => {
  /** Answers with the balance that the slot at an index of the written ones has. */
  const balanceAt =
    (index: number) =>
    ({ to, storage }: Read): Hex =>
      Object.values(storage![to]!)[index]!

  test('override the one slot that decides the balance', () => {
    for (const index of [0, 3, 7]) {
      let written: readonly (readonly [string, string])[] = []
      const [holding] = run(findHoldings(at(9), [a]), (read) => {
        written = Object.entries(read.storage![a]!)
        return balanceAt(index)(read)
      })
      expect(Object.entries(holding!)).toEqual([written[index]])
      expect(BigInt(written[index]![1])).toBeGreaterThanOrEqual(SIMULATED_BALANCE)
    }
  })

  test('of a pool are known if those of all its tokens are; the native token needs none', () => {
    const poolOf = (...tokens: readonly Address[]) => ({ id: tokens.join(), tokens }) as Pool<null>
    const pools = [poolOf(a, c), poolOf(a, ZERO_ADDRESS), poolOf(c, ZERO_ADDRESS)]
    const holdings = run(findPoolHoldings(pools), (read) => (read.to === c ? null : balanceAt(2)(read)))
    expect(holdings).toEqual([null, [expect.any(Object), {}], null])
  })
})

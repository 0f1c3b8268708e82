/** Tests which accounts control the quotes of a pool. */
import { IBalancerV2PoolState__factory } from '@sluice/bindings'
import { type Address, type DexRow, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { expect, test } from 'vitest'
import type { Pool } from '../../family.ts'
import { readFixed } from './control.ts'

const [vault, first, second, owner, provider, factory, otherFactory] = ['1', '2', '3', '4', '5', '6', '7'].map(
  (digit) => toAddress(`0x${digit.repeat(40)}`),
) as [Address, Address, Address, Address, Address, Address, Address]
const GOVERNANCE = '0xba1ba1ba1ba1ba1ba1ba1ba1ba1ba1ba1ba1ba1b'
const row: DexRow = {
  ...{ family: 'balancer-v2', brand: 'test', role: 'vault', address: vault },
  contracts: { weightedFactory: factory, stableFactory: otherFactory },
}
const poolAt = (address: Address): Pool<null> => ({
  ...{ id: address, family: 'balancer-v2', dex: 'test', address, tokens: [], fixed: { vault }, state: null },
})
const abi = IBalancerV2PoolState__factory.createInterface()
const wordOf = (value: boolean): Hex => `0x${(value ? '1' : '0').padStart(64, '0')}`

/** Answers of the reads of one pool: owner, rate providers, and whether each factory created the pool. */
const answersOf = (
  ownerAddress: string | null,
  providers: readonly Address[] | '0x' | null,
  created: readonly [boolean, boolean],
): (Hex | null)[] => [
  ownerAddress === null ? null : (abi.encodeFunctionResult('getOwner', [ownerAddress]) as Hex),
  providers && providers !== '0x' ? (abi.encodeFunctionResult('getRateProviders', [[...providers]]) as Hex) : providers,
  ...created.map(wordOf),
]

function controllersOf(...answers: (Hex | null)[][]): unknown {
  const reads = readFixed(row, answers.length === 1 ? [poolAt(first)] : [poolAt(first), poolAt(second)])
  reads.next([])
  const { done, value } = reads.next(answers.flat())
  return done && value.map(({ fixed }) => (fixed as { dependsOn: readonly Address[] }).dependsOn)
}

test('the owner and the rate providers of a pool of a factory control it, each once', () => {
  const answers = answersOf(owner, [provider, ZERO_ADDRESS, owner, provider], [false, true])
  expect(controllersOf(answers)).toEqual([[owner, provider]])
})

test('governance and the zero address are no controllers', () => {
  for (const ownerAddress of [GOVERNANCE, ZERO_ADDRESS, null])
    for (const providers of ['0x', null, []] as const)
      expect(controllersOf(answersOf(ownerAddress, providers, [true, false]))).toEqual([[]])
})

test('a pool that no factory of the row created controls its own quotes', () => {
  const genuine = answersOf(owner, '0x', [true, false])
  const foreign = answersOf(owner, [provider], [false, false])
  expect(controllersOf(foreign, genuine)).toEqual([[first], [owner]])
  expect(controllersOf([...foreign.slice(0, 2), null, null])).toEqual([[first]])
})

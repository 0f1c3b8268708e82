/** Tests which accounts control the rates of an NG pool. */
import { ICurveFactory__factory } from '@sluice/bindings'
import { type Address, type DexRow, type Hex, toAddress } from '@sluice/chains'
import { expect, test } from 'vitest'
import type { Pool } from '../../family.ts'
import { readFixed } from './rates.ts'

const [factory, address, ...tokens] = ['1', '2', '3', '4'].map((digit) => toAddress(`0x${digit.repeat(40)}`)) as [
  Address,
  Address,
  Address,
  Address,
]
const row = { family: 'curve-stable', brand: 'test', role: 'factory', address: factory } as DexRow
const pool: Pool<null> = { id: address, family: 'curve-stable', dex: 'test', address, tokens, state: null }
const typesAnswer = (types: readonly number[]) =>
  ICurveFactory__factory.createInterface().encodeFunctionResult('get_pool_asset_types', [[...types]]) as Hex

function factsOf(answer: Hex | null): unknown {
  const reads = readFixed({ ...row, version: 'stableswap-ng' }, [pool])
  expect(reads.next([]).value).toMatchObject([{ to: factory }])
  const { done, value } = reads.next([answer])
  return done && value[0]!.fixed
}

test('coins of vault shares control their own rates, and plain and rebasing coins have none', () => {
  expect(factsOf(typesAnswer([0, 0]))).toEqual({ dependsOn: [] })
  expect(factsOf(typesAnswer([0, 3]))).toEqual({ dependsOn: [tokens[1]] })
  expect(factsOf(typesAnswer([2, 3]))).toEqual({ dependsOn: [tokens[1]], rebases: true })
})

test('the creator of a pool with an oracle, or with unknown types, controls it', () => {
  for (const answer of [null, '0x', typesAnswer([0, 1]), typesAnswer([0]), typesAnswer([0, 4])] as const)
    expect(factsOf(answer)).toEqual({ dependsOn: [address] })
})

test('pools of other factories are not read', () => {
  const { done, value } = readFixed(row, [pool]).next([])
  expect([done, value]).toEqual([true, [pool]])
})

/** Tests that the ticks of a pool agree with its liquidity, and are otherwise read with another spacing. */
import { AlgebraV1Lens__factory } from '@sluice/bindings'
import { type DexRow, type Hex, toAddress } from '@sluice/chains'
import { expect, test } from 'vitest'
import type { Pool } from '../../family.ts'
import { readStates } from './state.ts'

const address = toAddress(`0x${'1'.repeat(40)}`)
const row: DexRow = { family: 'algebra-v1', brand: 'test', role: 'factory', address }
const pool: Pool<null> = { id: address, family: 'algebra-v1', dex: 'test', address, tokens: [], state: null }
const lens = AlgebraV1Lens__factory.createInterface()
const ticks = [
  [-60, 100n, 100n],
  [0, 40n, 40n],
  [60, -140n, 140n],
] as const
const words = ticks.flatMap(([tick, net, gross]) => [
  BigInt.asUintN(256, BigInt(tick)),
  (gross << 128n) | BigInt.asUintN(128, net),
])

/** Reads a pool whose ticks are found with any of the spacings. */
function stateOf(tick: number, liquidity: bigint, spacings: readonly number[]) {
  const reads = readStates(row, [pool])
  const head = { sqrtPriceX96: 1n << 96n, tick, liquidity, fee0Ppm: 500, fee1Ppm: 600, tickSpacing: 60 }
  const answerOf = ({ data }: { readonly data: string }): Hex => {
    const call = lens.parseTransaction({ data })!
    if (call.name === 'read') return lens.encodeFunctionResult('read', [head]) as Hex
    const isFirst = call.args[2] <= 0 && call.args[3] >= 0
    return lens.encodeFunctionResult('ticks', [isFirst && spacings.includes(Number(call.args[1])) ? words : []]) as Hex
  }
  let step = reads.next([])
  while (!step.done) step = reads.next(step.value.map((read) => answerOf(read)))
  return step.value[0]
}

test('a tick at the price counts toward the liquidity', () => {
  expect(stateOf(0, 140n, [60])).toMatchObject({ tick: 0, liquidity: 140n, ticks, feePpm: 500, fee1Ppm: 600 })
  expect(stateOf(-1, 100n, [60])).toMatchObject({ ticks })
})

test('ticks that do not sum to the liquidity are read with the spacing 1, or else the pool is not read', () => {
  expect(stateOf(0, 140n, [1])).toMatchObject({ tickSpacing: 1, ticks })
  expect(stateOf(0, 100n, [60, 1])).toBeNull()
  expect(stateOf(-1, 140n, [60, 1])).toBeNull()
})

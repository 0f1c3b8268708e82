/** Tests of Camelot V2 reads, logs, and fees. */
import { ICamelotPairState__factory } from '@sluice/bindings'
import { type Address, type DexRow, type Hex, toAddress } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import { expect, test } from 'vitest'
import { type Pool, PoolRefusal } from '../../family.ts'
import { camelotV2 } from './index.ts'
import type { CamelotV2State } from './math.ts'

const pair = ICamelotPairState__factory.createInterface()
const [A, B, address] = ['aa', 'bb', 'cc'].map((digits) => toAddress(`0x${digits.repeat(20)}`)) as [
  Address,
  Address,
  Address,
]
const state: CamelotV2State = {
  reserve0: 10n ** 24n,
  reserve1: 3n * 10n ** 12n,
  unit0: 10n ** 18n,
  unit1: 10n ** 6n,
  stable: false,
  fee0Ppm: 500,
  fee1Ppm: 20_000,
}
const pool: Pool<CamelotV2State> = { id: address, family: 'camelot-v2', dex: 'test', address, tokens: [A, B], state }
const row: DexRow = { family: 'camelot-v2', brand: 'test', role: 'factory', address }

test('a pair is read by its getters, with fees converted to ppm', () => {
  const reads = camelotV2.readStates(row, [{ ...pool, state: null }])
  const calls = reads.next([]).value as readonly { readonly data: Hex }[]
  const answer = (name: 'getReserves' | 'stableSwap' | 'precisionMultiplier0' | 'precisionMultiplier1') => {
    const results = {
      getReserves: [state.reserve0, state.reserve1, 50, 2_000],
      stableSwap: [false],
      precisionMultiplier0: [state.unit0],
      precisionMultiplier1: [state.unit1],
    }
    return pair.encodeFunctionResult(name as 'getReserves', results[name] as never) as Hex
  }
  const answers = calls.map(({ data }) => answer(pair.getFunction(data.slice(0, 10) as 'getReserves')!.name as never))
  expect(reads.next(answers).value).toEqual([state])
})

test('a pair without the getters is not readable', () => {
  const reads = camelotV2.readStates(row, [{ ...pool, state: null }])
  reads.next([])
  expect(reads.next([null, null, null, null]).value).toEqual([null])
})

test('logs update reserves and fees; a curve change triggers a reread', () => {
  const log = (name: 'Sync' | 'FeePercentUpdated' | 'SetStableSwap', values: readonly unknown[]) =>
    ({ address, ...pair.encodeEventLog(name, values as never) }) as unknown as Log
  expect(camelotV2.applyLog(pool, log('Sync', [7n, 8n]))).toEqual({ ...state, reserve0: 7n, reserve1: 8n })
  expect(camelotV2.applyLog(pool, log('FeePercentUpdated', [1, 2]))).toEqual({ ...state, fee0Ppm: 10, fee1Ppm: 20 })
  expect(camelotV2.applyLog(pool, log('SetStableSwap', [false, true]))).toBe('reread')
})

test('each direction has its own fee, in quotes and curves', () => {
  const sold = camelotV2.quoteExactInput(pool, A, B, 10n ** 18n).amountOut
  const free = camelotV2.quoteExactInput({ ...pool, state: { ...state, fee0Ppm: 0 } }, A, B, 10n ** 18n).amountOut
  expect(Number(sold) / Number(free)).toBeCloseTo(0.9995, 5)
  expect(camelotV2.priceCurve(pool, A, B).keepIn).toBeCloseTo(0.9995, 9)
  expect(camelotV2.priceCurve(pool, B, A).keepIn).toBeCloseTo(0.98, 9)
})

test('a stable pair is quoted only once, since part of the fee leaves it', () => {
  const stable = { ...pool, state: { ...state, reserve1: 10n ** 12n, stable: true } }
  const { state: after } = camelotV2.quoteExactInput(stable, A, B, 10n ** 18n)
  expect(() => camelotV2.quoteExactInput({ ...pool, state: after }, A, B, 10n ** 18n)).toThrow(PoolRefusal)
})

/** Tests of quotes between samples. */
import { toAddress } from '@sluice/chains'
import { describe, expect, test } from 'vitest'
import type { Pool } from '../../family.ts'
import { propAmm } from './index.ts'
import { quote } from './math.ts'
import type { PropAmmState } from './types.ts'

const [a, b, address] = ['a', 'b', 'c'].map((digit) => toAddress(`0x${digit.repeat(40)}`)) as [never, never, never]
const state: PropAmmState = {
  samples: [
    [
      [100n, 90n],
      [200n, 170n],
      [400n, 300n],
    ],
    [],
  ],
  sold: [0n, 0n],
}
const pool: Pool<PropAmmState> = { id: 'x', family: 'prop-amm', dex: 'test', address, tokens: [a, b], state }
const refusal = (code: string) => expect.objectContaining({ code })

describe('a quote', () => {
  test('between two samples is interpolated and rounded down', () => {
    expect(quote(state, 0, 100n).amountOut).toBe(90n)
    expect(quote(state, 0, 150n).amountOut).toBe(130n)
    expect(quote(state, 0, 399n).amountOut).toBe(299n)
    expect(quote(state, 0, 400n).amountOut).toBe(300n)
  })

  test('below the first sample is interpolated from zero', () => {
    expect(quote(state, 0, 50n).amountOut).toBe(45n)
    expect(() => quote(state, 0, 1n)).toThrow(refusal('TOO_SMALL'))
  })
})

test('a second swap continues where the first ended; the opposite direction is refused', () => {
  const { state: after } = quote(state, 0, 150n)
  expect(quote(after, 0, 50n).amountOut).toBe(40n)
  expect(() => quote(after, 0, 251n)).toThrow(refusal('TOO_LARGE'))
  const both: PropAmmState = { ...after, samples: [state.samples[0], state.samples[0]] }
  expect(() => quote(both, 1, 50n)).toThrow(refusal('UNSUPPORTED'))
})

test('amounts above the last sample and directions without samples are refused', () => {
  expect(() => quote(state, 0, 401n)).toThrow(refusal('TOO_LARGE'))
  expect(() => quote(state, 1, 1n)).toThrow(refusal('PAUSED'))
})

test('the curve has the price of the samples, and the last output is the reserve', () => {
  const scaled = state.samples[0].map(
    ([amountIn, amountOut]) => [amountIn * 10n ** 15n, amountOut * 10n ** 15n] as const,
  )
  const large = { ...pool, state: { ...state, samples: [scaled, []] as const } }
  expect(propAmm.priceCurve(large, a, b).sqrtPrice[0]! ** 2).toBeCloseTo(0.9, 1)
  expect(propAmm.priceCurve(large, b, a).liquidity.length).toBe(0)
  expect(propAmm.reserves(pool)).toEqual([0n, 300n])
})

test('a venue without measurements is not served', () => {
  const row = { family: 'prop-amm', brand: 'test', role: 'venue', address }
  expect(propAmm.rowsOf!(row)).toEqual([])
  expect(propAmm.rowsOf!({ ...row, measured: true })).toEqual([{ ...row, measured: true }])
})

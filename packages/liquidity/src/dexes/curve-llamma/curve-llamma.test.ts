/** Program steps and trust of Curve's lending AMMs. Discovery and samples: test/curve-llamma.test.ts. */
import { toAddress } from '@sluice/chains'
import { expect, test } from 'vitest'
import type { Pool } from '../../family.ts'
import type { SampledState } from '../common/sampled-state.ts'
import { curveLlamma } from './index.ts'

const [CRVUSD, WETH, POOL] = ['aa', 'bb', 'cc'].map((digits) => toAddress(`0x${digits.repeat(20)}`)) as [
  Pool['address'],
  Pool['address'],
  Pool['address'],
]
const state: SampledState = { samples: [[[100n, 99n]], [[100n, 98n]]], focus: [[], []], sold: [0n, 0n], stamp: '' }
const poolWith = (fixed?: unknown): Pool<SampledState> => ({
  ...{ id: POOL, family: 'curve-llamma', dex: 'test', address: POOL, tokens: [CRVUSD, WETH], state },
  ...(fixed !== undefined && { fixed }),
})

test('a step is that of a crypto pool of Curve, and sells the borrowed token or the collateral', () => {
  const stepOf = (tokenIn: Pool['address'], tokenOut: Pool['address']) =>
    curveLlamma.step(poolWith(), tokenIn, tokenOut, { kind: 'rest' }, { kind: 'recipient' })
  expect(stepOf(CRVUSD, WETH)).toMatchObject({ op: 'curve', variant: 'uint256', pool: POOL, i: 0, j: 1 })
  expect(stepOf(WETH, CRVUSD)).toMatchObject({ i: 1, j: 0, tokenIn: WETH, tokenOut: CRVUSD })
  expect(curveLlamma.quoteExactInput(poolWith(), CRVUSD, WETH, 100n).amountOut).toBe(99n)
  expect(curveLlamma.quoteExactInput(poolWith(), WETH, CRVUSD, 100n).amountOut).toBe(98n)
})

test('a pool depends on its oracle unless governance chose it', () => {
  expect(curveLlamma.dependsOn!(poolWith({ isGoverned: true }))).toEqual([])
  expect(curveLlamma.dependsOn!(poolWith({ isGoverned: false }))).toEqual([POOL])
  expect(curveLlamma.dependsOn!(poolWith())).toEqual([POOL])
})

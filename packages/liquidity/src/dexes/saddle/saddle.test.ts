/** Logs, math, and program steps of Saddle's pools. Reads and payments: test/saddle.test.ts. */
import { toAddress } from '@sluice/chains'
import { id } from 'ethers'
import { expect, test } from 'vitest'
import type { Pool } from '../../family.ts'
import type { CurveStableState } from '../curve-stable/types.ts'
import { saddle } from './index.ts'

const [A, B, POOL] = ['aa', 'bb', 'cc'].map((digits) => toAddress(`0x${digits.repeat(20)}`)) as [
  Pool['address'],
  Pool['address'],
  Pool['address'],
]
/** Hop's pool on Linea after a mined swap. */
const AFTER = [0x2e33e9dc5f55c6004n, 0x2685ba1088b204d17n] as const
/** The mined swap: WETH for hETH. */
const [IN, OUT] = [0x7c2e1d2f9f000n, 0x7c044863bc925n]

const stateWith = (balances: readonly bigint[]): CurveStableState => ({
  balances,
  rates: [10n ** 18n, 10n ** 18n],
  amplification: { a: 20_000n, precision: 100n },
  feeE10: 4_000_000n,
  adminFeeE10: 0n,
  offpegMultiplierE10: 0n,
  rounding: 'each',
  margin: 1n,
  feeOrder: 'scaled',
})
const poolWith = (state: CurveStableState): Pool<CurveStableState> => ({
  ...{ id: POOL, family: 'saddle', dex: 'Hop', address: POOL },
  ...{ tokens: [A, B], state },
})
const before = poolWith(stateWith([AFTER[0] - IN, AFTER[1] + OUT]))

test('a mined swap pays the quote, and leaves the quoted balances', () => {
  const { amountOut, state } = saddle.quoteExactInput(before, A, B, IN)
  expect(amountOut).toBe(OUT)
  expect(state.balances).toEqual(AFTER)
  const inverse = saddle.inputFor!(before, A, B, OUT)!
  expect(saddle.quoteExactInput(before, A, B, inverse).amountOut).toBeGreaterThanOrEqual(OUT - 1n)
})

test('a step names the tokens by their indices', () => {
  const step = saddle.step(before, B, A, { kind: 'rest' }, { kind: 'recipient' })
  expect(step).toMatchObject({ op: 'curve', variant: 'uint8', pool: POOL, i: 1, j: 0, tokenIn: B, tokenOut: A })
})

test('only a ramp and the price of a share are refreshed at every block', () => {
  expect(saddle.parameterGas!(before)).toBe(0)
  expect(saddle.parameterGas!(poolWith({ ...before.state, feeOrder: 'share' }))).toBeGreaterThan(0)
  expect(saddle.parameterGas!(poolWith({ ...before.state, ramping: true }))).toBeGreaterThan(0)
})

test.each([
  'TokenSwap(address,uint256,uint256,uint128,uint128)',
  'TokenSwapUnderlying(address,uint256,uint256,uint128,uint128)',
  'AddLiquidity(address,uint256[],uint256[],uint256,uint256)',
  'RemoveLiquidity(address,uint256[],uint256)',
  'RemoveLiquidityOne(address,uint256,uint256,uint256,uint256)',
  'RemoveLiquidityImbalance(address,uint256[],uint256[],uint256,uint256)',
  'FlashLoan(address,uint8,uint256,uint256,uint256)',
  'NewAdminFee(uint256)',
  'NewSwapFee(uint256)',
  'RampA(uint256,uint256,uint256,uint256)',
  'StopRampA(uint256,uint256)',
  'Paused(address)',
  'Unpaused(address)',
])('a log %s lets the pool be read again', (signature) => {
  expect(saddle.topics).toContain(id(signature))
  expect(saddle.applyLog(before, {} as never)).toBe('reread')
})

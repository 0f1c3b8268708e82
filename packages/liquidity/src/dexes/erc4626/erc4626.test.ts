/** Tests of vaults with a rate of their own, independent of their totals; expected values computed by hand. */
import { expect, test } from 'vitest'
import { convert, quote, redeemableAssets } from './math.ts'

const RAY = 10n ** 27n
const vault = {
  totalAssets: 1_000n,
  totalSupply: 900n,
  virtualShares: 0n,
  rate: (RAY * 11n) / 10n,
  maxDeposit: 500n,
  cash: 300n,
}
const refused = (code: string, isModelLimit = false) => expect.objectContaining({ code, isModelLimit })

test('shares and assets follow the rate, down for deposits and redemptions, up for mints and withdrawals', () => {
  // 100 / 1.1 = 90.9; 101 · 1.1 = 111.1
  expect(convert(vault, true, 100n)).toBe(90n)
  expect(convert(vault, true, 100n, true)).toBe(91n)
  expect(convert(vault, false, 101n)).toBe(111n)
  expect(convert(vault, false, 101n, true)).toBe(112n)
  expect(quote(vault, true, 100n)).toEqual({
    amountOut: 90n,
    state: { ...vault, totalAssets: 1_100n, totalSupply: 990n, maxDeposit: 400n },
  })
})

test('deposits are limited by maxDeposit', () => {
  expect(quote(vault, true, 500n).state.maxDeposit).toBe(0n)
  expect(() => quote(vault, true, 501n)).toThrow(refused('TOO_LARGE'))
  expect(() => quote(quote(vault, true, 500n).state, true, 2n)).toThrow(refused('TOO_LARGE'))
  expect(() => convert({ ...vault, rate: 0n }, true, 1n)).toThrow(refused('EMPTY'))
})

test('redemptions are limited by maxRedeem, regardless of the cash', () => {
  const withLimit = { ...vault, maxRedeem: 600n }
  const { amountOut, state } = quote(withLimit, false, 500n)
  expect(amountOut).toBe(550n)
  expect(state).toEqual({ ...withLimit, totalAssets: 450n, totalSupply: 400n, cash: 0n, maxRedeem: 100n })
  expect(() => quote(withLimit, false, 601n)).toThrow(refused('TOO_LARGE'))
  expect(() => quote(state, false, 101n)).toThrow(refused('TOO_LARGE'))
  // 901 shares do not exist, and 900 are worth 990.
  expect(() => quote({ ...vault, maxRedeem: 2_000n }, false, 901n)).toThrow(refused('TOO_LARGE'))
  expect(quote({ ...vault, maxRedeem: 2_000n }, false, 900n).amountOut).toBe(990n)
  expect([redeemableAssets(withLimit), redeemableAssets({ ...withLimit, maxRedeem: 900n })]).toEqual([660n, 1_000n])
})

test('redemptions are limited by the cash if maxRedeem is unknown', () => {
  // 273 · 1.1 = 300.3
  expect(quote(vault, false, 273n)).toEqual({
    amountOut: 300n,
    state: { ...vault, totalAssets: 700n, totalSupply: 627n, cash: 0n },
  })
  expect(() => quote(vault, false, 274n)).toThrow(refused('TOO_LARGE', true))
  expect(() => quote(vault, false, 0n)).toThrow(refused('TOO_SMALL'))
  expect(redeemableAssets(vault)).toBe(300n)
})

test('a vault that has lost all assets pays nothing, and says so', () => {
  const lost = { ...vault, totalAssets: 0n, rate: undefined }
  for (const { rate: _, ...state } of [lost, { ...lost, maxRedeem: 500n }, { ...lost, maxRedeem: 0n }])
    expect(redeemableAssets(state)).toBe(0n)
  expect(redeemableAssets({ ...vault, rate: 0n, maxRedeem: 500n })).toBe(0n)
})

/** Tests the rounding of buffers, and how they rebalance. */
import { describe, expect, test } from 'vitest'
import { bufferQuote, type VaultBuffer } from './buffer.ts'

/** A vault whose shares are worth 1.5 assets each. */
const vault = {
  ...{ totalAssets: 3n * 10n ** 12n, totalSupply: 2n * 10n ** 12n, virtualShares: 0n },
  ...{ maxDeposit: 10n ** 15n, cash: 10n ** 12n },
}
const buffer: VaultBuffer = { kind: 'buffer', vault, underlying: 10n ** 9n, wrapped: 10n ** 9n }

describe('a quote', () => {
  test('converts one unit less than the input, and pays one unit less', () => {
    expect(bufferQuote(buffer, true, 300_001n).amountOut).toBe(200_000n - 1n)
    expect(bufferQuote(buffer, false, 200_001n).amountOut).toBe(300_000n - 1n)
  })

  test('from the reserves changes them by the amounts', () => {
    expect(bufferQuote(buffer, true, 300_001n).state).toEqual({
      ...buffer,
      underlying: 10n ** 9n + 300_001n,
      wrapped: 10n ** 9n - 199_999n,
    })
  })

  test('below the minimum input or output is refused', () => {
    expect(() => bufferQuote(buffer, true, 9_999n)).toThrow(expect.objectContaining({ code: 'TOO_SMALL' }))
    expect(() => bufferQuote(buffer, true, 15_001n)).toThrow(expect.objectContaining({ code: 'TOO_SMALL' }))
    expect(bufferQuote(buffer, true, 15_003n).amountOut).toBe(10_000n)
  })
})

test('a wrap beyond the shares deposits assets, for which the value of the shares is rounded up', () => {
  // 101 shares are worth 151.5 assets, so 152 of the 253 assets stay.
  const { state, amountOut } = bufferQuote({ ...buffer, underlying: 253n, wrapped: 101n }, true, 30_001n)
  expect(amountOut).toBe(19_999n)
  const deposit = 30_001n + (253n - 152n) / 2n
  const shares = (deposit * 2n) / 3n
  expect(state).toMatchObject({
    vault: { totalAssets: vault.totalAssets + deposit, totalSupply: vault.totalSupply + shares },
    underlying: 253n + 30_001n - deposit,
    wrapped: 101n - 19_999n + shares,
  })
})

test('an unwrap beyond the assets redeems shares, for which the value of the assets is rounded up', () => {
  // 100 assets are worth 66.67 shares, so 67 of the 168 shares stay.
  const { state, amountOut } = bufferQuote({ ...buffer, underlying: 100n, wrapped: 168n }, false, 20_001n)
  expect(amountOut).toBe(29_999n)
  const redemption = 20_001n + (168n - 67n) / 2n
  const assets = (redemption * 3n) / 2n
  expect(state).toMatchObject({
    vault: { totalAssets: vault.totalAssets - assets, totalSupply: vault.totalSupply - redemption },
    underlying: 100n - 29_999n + assets,
    wrapped: 168n + 20_001n - redemption,
  })
})

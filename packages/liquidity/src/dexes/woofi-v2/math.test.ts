/** Tests WOOFi trades against amounts computed by hand, and each bound on both sides. */
import { expect, test } from 'vitest'
import { approximateMaxInput, quote, type WoofiToken, type WoofiV2State } from './math.ts'

const ONE = 10n ** 18n
const USD = 10n ** 6n
const refusal = (code: string) => expect.objectContaining({ code })
/** A token of 18 decimals worth 2,000, whose price moves by 0.1 % with a trade worth 1,000. */
const base: WoofiToken = {
  ...{ reserve: 1_000n * ONE, feeRate: 25n, maxGamma: ONE / 10n, maxNotional: 10n ** 6n * USD },
  ...{ price: 2_000n * 10n ** 8n, spread: ONE / 1_000n, coeff: 10n ** 12n, feasible: true },
  ...{ unit: ONE, priceUnit: 10n ** 8n },
}
/** A token of 8 decimals worth 10. */
const other: WoofiToken = {
  ...{ ...base, reserve: 10n ** 6n * 10n ** 8n, feeRate: 50n, price: 10n * 10n ** 8n, spread: ONE / 500n },
  ...{ coeff: 10n ** 11n, unit: 10n ** 8n },
}
const usd: WoofiToken = {
  ...{ ...base, reserve: 10n ** 6n * USD, feeRate: 0n, maxGamma: 0n, price: 0n, spread: 0n, coeff: 0n, unit: USD },
}
const state = (change: Partial<WoofiToken> = {}, quoteChange: Partial<WoofiToken> = {}): WoofiV2State => ({
  ...{ paused: false, quoteIndex: 1, quoteUnit: USD },
  tokens: [
    { ...base, ...change },
    { ...usd, ...quoteChange },
  ],
})

test('a sale of a base token: 0.2 % of price move, 0.1 % of spread, and 0.025 % of fee', () => {
  const { amountOut, state: after } = quote(state(), 0, ONE)
  // 2,000 less 0.3 % is 1,994, less 0.4985.
  expect(amountOut).toBe(1_993_501_500n)
  expect(after.tokens).toMatchObject([
    { reserve: 1_001n * ONE, price: 1_996n * 10n ** 8n },
    { reserve: 10n ** 6n * USD - 1_994n * USD },
  ])
  // 1 − 0.998 / 0.999, rounded up.
  expect(after.tokens[0].spread).toBe(1_001_001_001_001_002n)
})

test('a purchase of a base token takes the fee from the input, which stays outside the reserve', () => {
  const { amountOut, state: after } = quote(state(), 1, 1_000n * USD)
  // 999.75 / 2,000 · (1 − 0.00099975 − 0.001)
  expect(amountOut).toBe(498_875_374_968_750_000n)
  expect(after.tokens).toMatchObject([
    { reserve: 1_000n * ONE - amountOut },
    { reserve: 10n ** 6n * USD + 999_750_000n },
  ])
  expect(Number(after.tokens[0].price) / 2e11).toBeCloseTo(1 / (1 - 0.00099975), 9)
})

test('a trade of two base tokens has half of the wider spread twice, and the higher fee once', () => {
  const pair: WoofiV2State = { paused: false, quoteIndex: 2, quoteUnit: USD, tokens: [base, other] }
  // 1,994 less 0.05 % is 1,993.003, worth 199.3003 tokens, times 1 − 0.0001993003 − 0.001.
  expect(quote(pair, 0, ONE).amountOut).toBe(19_906_127_909n)
  const mirrored: WoofiV2State = { ...pair, tokens: [other, base] }
  expect(quote(mirrored, 1, ONE).amountOut).toBe(19_906_127_909n)
})

test('a round trip never gains', () => {
  for (const amountIn of [ONE / 1_000n, ONE, 30n * ONE]) {
    const there = quote(state({ feeRate: 0n }), 0, amountIn)
    expect(quote(there.state, 1, there.amountOut).amountOut).toBeLessThan(amountIn)
  }
})

test.each<[string, Partial<WoofiToken>, Partial<WoofiToken>, boolean]>([
  ['worth the largest trade', { maxNotional: 2_000n * USD }, {}, true],
  ['worth more than that', { maxNotional: 2_000n * USD - 1n }, {}, false],
  ['that moves the price as far as allowed', { maxGamma: ONE / 500n }, {}, true],
  ['that moves the price further', { maxGamma: ONE / 500n - 1n }, {}, false],
  ['of the whole reserve', {}, { reserve: 1_994n * USD }, true],
  ['of more than the reserve', {}, { reserve: 1_994n * USD - 1n }, false],
  ['whose spread takes nearly all', { spread: ONE - ONE / 400n }, {}, true],
  ['whose spread and move are more than the price', { spread: ONE - ONE / 501n }, {}, false],
])('a trade %s', (_, change, quoteChange, isAccepted) => {
  const trade = () => quote(state(change, quoteChange), 0, ONE)
  if (isAccepted) expect(trade().amountOut).toBeGreaterThan(0n)
  else expect(trade).toThrow(refusal('TOO_LARGE'))
})

test('a pool that is paused, or whose price is not usable, refuses', () => {
  for (const i of [0, 1] as const) {
    expect(() => quote({ ...state(), paused: true }, i, ONE)).toThrow(refusal('PAUSED'))
    expect(() => quote(state({ feasible: false }), i, USD)).toThrow(refusal('UNSUPPORTED'))
    expect(() => quote(state({ price: 0n }), i, USD)).toThrow(refusal('UNSUPPORTED'))
  }
  expect(() => quote(state(), 0, 1n)).toThrow(refusal('TOO_SMALL'))
})

test('the limit follows the bound that is met first', () => {
  // 10 % of move is a value of 100,000, which is 50 tokens; or the quote reserve, or the largest trade.
  expect(Number(approximateMaxInput(state(), 0)) / 50e18).toBeCloseTo(1, 6)
  expect(approximateMaxInput(state({}, { reserve: 2_000n * USD }), 0)).toBe(ONE)
  expect(approximateMaxInput(state({ maxNotional: 4_000n * USD }), 0)).toBe(2n * ONE)
  expect(approximateMaxInput(state({ coeff: 0n, maxNotional: 4_000n * USD }), 0)).toBe(2n * ONE)
  expect(approximateMaxInput(state({ reserve: ONE }), 1)).toBe(2_000n * USD)
  expect(approximateMaxInput(state({ maxNotional: 70n * USD }), 1)).toBe(70n * USD)
  const pair: WoofiV2State = { paused: false, quoteIndex: 2, quoteUnit: USD, tokens: [base, other] }
  expect(approximateMaxInput({ ...pair, tokens: [base, { ...other, reserve: 400n * 10n ** 8n }] }, 0)).toBe(2n * ONE)
  expect(approximateMaxInput({ ...pair, tokens: [{ ...base, price: 0n }, other] }, 0)).toBe(0n)
})

/** Tests LitePSM modules: costs by the module's formula, and each limit on both sides. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { approximateMaxInput, type LitePsmState, quote, rateOf } from './math.ts'

const WAD = 10n ** 18n
const HALTED = 2n ** 256n - 1n
const refusal = (code: string) => expect.objectContaining({ code })
const psm = (change: Partial<LitePsmState>): LitePsmState => ({
  ...{ tin: 0n, tout: 0n, factor: 10n ** 12n, dai: 10n ** 24n, gems: 10n ** 12n },
  ...change,
})
const fees = fc.constantFrom(0n, 1n, WAD / 10_000n, WAD / 3n)

test('a purchase buys as many gems as the input pays for', () => {
  let bought = 0
  fc.assert(
    fc.property(
      fees,
      fc.constantFrom(1n, 1_000n, 10n ** 12n),
      fc.bigInt({ min: 1n, max: 10n ** 24n }),
      (tout, factor, dai) => {
        const costOf = (gems: bigint) => gems * factor + (gems * factor * tout) / WAD
        const state = psm({ tout, factor, gems: 10n ** 30n })
        if (costOf(1n) > dai) {
          expect(() => quote(state, false, dai)).toThrow(refusal('TOO_SMALL'))
          return
        }
        const { amountOut, state: after } = quote(state, false, dai)
        expect(costOf(amountOut)).toBeLessThanOrEqual(dai)
        expect(costOf(amountOut + 1n)).toBeGreaterThan(dai)
        // Only the cost is paid, not the rest of the input.
        expect([after.dai - state.dai, state.gems - after.gems]).toEqual([costOf(amountOut), amountOut])
        bought++
      },
    ),
  )
  expect(bought).toBeGreaterThan(50)
})

test('a sale pays the value less the fee, which is rounded down', () => {
  const state = psm({ tin: WAD / 3n, factor: 7n })
  // The value is 70, and 23.33 of it are the fee.
  expect(quote(state, true, 10n)).toMatchObject({
    ...{ amountOut: 47n, state: { dai: state.dai - 47n, gems: state.gems + 10n } },
  })
})

test('the whole reserve can be bought, and no more', () => {
  const state = psm({ dai: 5n * 10n ** 12n, gems: 5n })
  expect(quote(state, true, 5n).state.dai).toBe(0n)
  expect(() => quote(state, true, 6n)).toThrow(refusal('TOO_LARGE'))
  expect(quote(state, false, 5n * 10n ** 12n).state.gems).toBe(0n)
  expect(() => quote(state, false, 6n * 10n ** 12n)).toThrow(refusal('TOO_LARGE'))
})

test.each([0n, WAD / 100n])('the limit is accepted, and pays all but the last unit (fee %s)', (fee) => {
  const state = psm({ tin: fee, tout: fee, dai: 10n ** 18n, gems: 10n ** 6n })
  expect(quote(state, false, approximateMaxInput(state, false)).amountOut).toBe(state.gems)
  expect(() => quote(state, false, approximateMaxInput(state, false) + 1n)).toThrow(refusal('TOO_LARGE'))
  const sold = approximateMaxInput(state, true)
  expect(state.dai - quote(state, true, sold).amountOut).toBeLessThan(state.factor)
  expect(() => quote(state, true, sold + 1n)).toThrow(refusal('TOO_LARGE'))
})

test('a direction is halted by the fee of all, and a fee of the whole value leaves nothing', () => {
  expect(() => quote(psm({ tin: HALTED }), true, 5n)).toThrow(refusal('PAUSED'))
  expect(quote(psm({ tin: HALTED }), false, 10n ** 12n).amountOut).toBe(1n)
  expect(() => quote(psm({ tout: HALTED }), false, 10n ** 12n)).toThrow(refusal('PAUSED'))
  expect(quote(psm({ tout: HALTED }), true, 1n).amountOut).toBe(10n ** 12n)
  expect(approximateMaxInput(psm({ tin: WAD }), true)).toBe(0n)
  expect(() => quote(psm({ tin: WAD }), true, 5n)).toThrow(refusal('TOO_SMALL'))
})

test('the largest product of a sale is a word, also without a fee', () => {
  const state = psm({ factor: 1n, dai: HALTED })
  expect(quote(state, true, HALTED).amountOut).toBe(HALTED)
  expect(() => quote(state, true, HALTED + 1n)).toThrow(refusal('TOO_LARGE'))
  expect(() => quote({ ...state, tin: 2n }, true, HALTED / 2n + 1n)).toThrow(refusal('TOO_LARGE'))
  expect(quote({ ...state, tin: 2n }, true, HALTED / 2n).amountOut).toBeGreaterThan(0n)
})

test('the rate is that of a large trade', () => {
  const state = psm({ tin: WAD / 50n, tout: WAD / 20n })
  const [gems, dai] = [10n ** 9n, 10n ** 21n]
  expect(Number(quote(state, true, gems).amountOut) / Number(gems) / rateOf(state, true)).toBeCloseTo(1, 8)
  expect(Number(quote(state, false, dai).amountOut) / Number(dai) / rateOf(state, false)).toBeCloseTo(1, 8)
})

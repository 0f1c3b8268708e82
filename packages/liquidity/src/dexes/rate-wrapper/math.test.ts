/** Tests wrappers of rebasing tokens against amounts computed by hand. */
import { expect, test } from 'vitest'
import { quote } from './math.ts'

/** Ten shares represent thirteen units. */
const state = { pooled: 130n, shares: 100n, supply: 50n }
const refusal = (code: string) => expect.objectContaining({ code })

test('wrapping mints shares, rounded down', () => {
  // 20 units are 15.38 shares.
  expect(quote(state, true, 20n)).toEqual({ amountOut: 15n, state: { ...state, supply: 65n } })
  expect(() => quote(state, true, 1n)).toThrow(refusal('TOO_SMALL'))
  expect(quote(state, true, 2n).amountOut).toBe(1n)
})

test('unwrapping transfers whole shares, which can be worth less than reported', () => {
  // 15 shares are worth 19.5, which is reported as 19. These 19 are 14.6 shares. 14 whole shares move, and are worth 18.2.
  expect(quote(state, false, 15n)).toEqual({ amountOut: 18n, state: { ...state, supply: 35n } })
  // One share is reported as one unit, which is no whole share.
  expect(() => quote(state, false, 1n)).toThrow(refusal('TOO_SMALL'))
})

test('the whole supply can be unwrapped, and no more', () => {
  expect(quote(state, false, 50n).state.supply).toBe(0n)
  expect(() => quote(state, false, 51n)).toThrow(refusal('TOO_LARGE'))
})

test('a wrapper without units or without shares is empty', () => {
  for (const empty of [{ pooled: 0n }, { shares: 0n }])
    for (const wrap of [true, false]) expect(() => quote({ ...state, ...empty }, wrap, 20n)).toThrow(refusal('EMPTY'))
})

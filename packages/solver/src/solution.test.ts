import { type Address, toAddress } from '@sluice/chains'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Order } from './auction.ts'
import type { Fill } from './fill.ts'
import { solutionOf } from './solution.ts'

const [SELL, BUY] = ['1', '2'].map((digit) => toAddress(`0x${digit.repeat(40)}`)) as [Address, Address]
const ONE = 10n ** 18n
const SETTLEMENT_GAS = 106_391n
const order = (change: Partial<Order> = {}): Order => ({
  ...{ uid: `0x${'AB'.repeat(56)}`, sellToken: SELL, buyToken: BUY, sellAmount: 100n * ONE, buyAmount: 1n },
  ...{ kind: 'sell', partiallyFillable: false, class: 'market', ...change },
})
const fill = (change: Partial<Fill> = {}): Fill => ({
  ...{ input: 100n * ONE, output: 50n * ONE, interactions: [], gas: 93_609n, ...change },
})
/** Gas of 200,000 at 1 gwei, for a sell token that is worth a native token. */
const GAS_COST = 200_000n * 10n ** 9n
const terms = { id: 3, sellPrice: ONE, auction: { tokens: {}, effectiveGasPrice: 10n ** 9n } }

test('a market order has no fee, and is ranked by what gas leaves', () => {
  const { solution, rate } = solutionOf(order(), fill(), terms)!
  expect(solution).toMatchObject({
    id: 3,
    gas: 200_000,
    prices: { [SELL]: String(50n * ONE), [BUY]: String(100n * ONE) },
  })
  expect(solution.trades).toEqual([
    { kind: 'fulfillment', order: `0x${'ab'.repeat(56)}`, executedAmount: String(100n * ONE) },
  ])
  expect(rate).toBe((50n * ONE * ONE) / (100n * ONE + GAS_COST))
})

test('a limit order to sell leaves the fee out of what it executes and of what it is paid', () => {
  const { solution, rate } = solutionOf(order({ class: 'limit' }), fill(), terms)!
  const sold = 100n * ONE - GAS_COST
  expect(solution.trades).toMatchObject([{ executedAmount: String(sold), fee: String(GAS_COST) }])
  expect(solution.prices).toEqual({ [SELL]: String((sold * 50n * ONE) / (100n * ONE)), [BUY]: String(sold) })
  expect(rate).toBe((BigInt(solution.prices[SELL]!) * ONE) / (100n * ONE))
})

test('a limit order to buy pays the fee in addition', () => {
  const wanted = order({ class: 'limit', kind: 'buy', buyAmount: 50n * ONE, sellAmount: 101n * ONE })
  const { solution } = solutionOf(wanted, fill({ output: 50n * ONE + 7n }), terms)!
  expect(solution.trades).toMatchObject([{ executedAmount: String(50n * ONE), fee: String(GAS_COST) }])
  expect(solution.prices).toEqual({ [SELL]: String(50n * ONE), [BUY]: String(100n * ONE) })
  expect(solutionOf({ ...wanted, sellAmount: 100n * ONE + GAS_COST }, fill(), terms)).not.toBeNull()
  expect(solutionOf({ ...wanted, sellAmount: 100n * ONE + GAS_COST - 1n }, fill(), terms)).toBeNull()
})

test('there is no solution if the fee takes all, or if an output is short of an order to buy', () => {
  expect(solutionOf(order({ class: 'limit' }), fill(), { ...terms, sellPrice: 1n })).toBeNull()
  const buy = order({ kind: 'buy', buyAmount: 50n * ONE + 1n, sellAmount: 1_000n * ONE })
  expect(solutionOf(buy, fill(), terms)).toBeNull()
  expect(solutionOf({ ...buy, partiallyFillable: true }, fill(), terms)).not.toBeNull()
})

test('whatever the amounts, the limit price holds and no more is sold than ordered', () => {
  const amount = fc.bigInt({ min: 1n, max: 10n ** 24n })
  let solutionCount = 0
  fc.assert(
    fc.property(
      fc.record({ sellAmount: amount, buyAmount: amount, input: amount, output: amount }),
      fc.constantFrom('sell' as const, 'buy' as const),
      fc.constantFrom('market' as const, 'limit' as const),
      ({ sellAmount, buyAmount, input, output }, kind, kindOfFee) => {
        const wanted = order({ sellAmount, buyAmount, kind, class: kindOfFee, partiallyFillable: true })
        const cappedInput = kind === 'sell' && input > sellAmount ? sellAmount : input
        const ranked = solutionOf(wanted, fill({ input: cappedInput, output }), terms)
        if (!ranked) return
        const { prices, trades } = ranked.solution
        const fee = BigInt(trades[0]!.fee ?? 0)
        const [bought, sold] = [BigInt(prices[SELL]!), BigInt(prices[BUY]!) + fee]
        expect(sold).toBeLessThanOrEqual(sellAmount)
        expect(bought).toBeLessThanOrEqual(output)
        expect(sellAmount * bought).toBeGreaterThanOrEqual(buyAmount * sold)
        solutionCount++
      },
    ),
    { numRuns: 2_000 },
  )
  expect(solutionCount).toBeGreaterThan(200)
})

test('settlement gas is that of the protocol', () => {
  expect(solutionOf(order(), fill({ gas: 0n }), terms)!.solution.gas).toBe(Number(SETTLEMENT_GAS))
})

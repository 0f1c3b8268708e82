import { type Address, type Hex, toAddress } from '@sluice/chains'
import { expect, test } from 'vitest'
import { changesOf } from './flows.ts'
import { findSandwich, type Neighbor, poolTrades } from './sandwich.ts'

const account = (digit: string): Address => toAddress(`0x${digit.repeat(40)}`)
const [A, B, POOL, OTHER_POOL] = ['1', '2', 'c', 'd'].map(account) as [Address, Address, Address, Address]
const [ANN, EVE, ELI, ROUTER, BOT] = ['a', 'e', '7', '8', '9'].map(account) as [
  Address,
  Address,
  Address,
  Address,
  Address,
]

type Swap = {
  readonly from: Address
  readonly to?: Address
  readonly pool?: Address
  readonly sells: Address
  readonly amounts?: readonly [bigint, bigint]
}
/** Transactions of a block in their order. */
const block = (...swaps: readonly Swap[]): readonly Neighbor[] =>
  swaps.map(({ from, to = ROUTER, pool = POOL, sells, amounts: [amountIn, amountOut] = [100n, 50n] }, index) => {
    const buys = sells === A ? B : A
    const flows = [
      { token: sells, from, to: pool, amount: amountIn },
      { token: buys, from: pool, to: from, amount: amountOut },
    ]
    return { hash: `0x${index}` as Hex, index, from, to, changes: changesOf(flows) }
  })
const find = (all: readonly Neighbor[], victim: number) => findSandwich(all[victim]!, all)

test('one sender who trades with the victim before it and back after it', () => {
  const all = block(
    { from: EVE, sells: A, amounts: [100n, 50n] },
    { from: ANN, sells: A },
    { from: EVE, sells: B, amounts: [50n, 103n] },
  )
  const ends = { front: { hash: '0x0', index: 0 }, back: { hash: '0x2', index: 2 } }
  expect(find(all, 1)).toEqual({ pool: POOL, ...ends, by: EVE, token: A, gain: 3n })
})

test('two senders through one contract of their own, if what one bought is what the other sells', () => {
  const around = (to: Address, sold: bigint) =>
    block({ from: EVE, to, sells: A }, { from: ANN, sells: A }, { from: ELI, to, sells: B, amounts: [sold, 103n] })
  expect(find(around(BOT, 50n), 1)).toMatchObject({ by: BOT, gain: 3n })
  expect(find(around(BOT, 20n), 1)).toBeNull()
  // A contract that the victim calls, too, is a public one.
  expect(find(around(ROUTER, 50n), 1)).toBeNull()
})

test.each([
  ['another pool', block({ from: EVE, pool: OTHER_POOL, sells: A }, { from: ANN, sells: A }, { from: EVE, sells: B })],
  ['one direction', block({ from: EVE, sells: A }, { from: ANN, sells: A }, { from: EVE, sells: A })],
  ['the opposite direction', block({ from: EVE, sells: B }, { from: ANN, sells: A }, { from: EVE, sells: A })],
  ['the victim itself', block({ from: ANN, sells: A }, { from: ANN, sells: A }, { from: ANN, sells: B })],
  ['nothing after it', block({ from: EVE, sells: A }, { from: ANN, sells: A })],
  ['strangers', block({ from: EVE, sells: A }, { from: ANN, sells: A }, { from: ELI, to: BOT, sells: B })],
])('no sandwich: %s', (_, all) => {
  expect(find(all, 1)).toBeNull()
})

test('of several victims each is found, by the pair that is closest around it', () => {
  const all = block(
    ...[
      { from: EVE, sells: A },
      { from: ANN, sells: A },
      { from: ELI, sells: A },
      { from: EVE, sells: B },
    ],
  )
  for (const victim of [1, 2]) expect(find(all, victim)).toMatchObject({ front: { index: 0 }, back: { index: 3 } })
})

test('a pool takes one token and gives one', () => {
  const flow = (token: Address, from: Address, to: Address) => ({ token, from, to, amount: 5n })
  expect(poolTrades(changesOf([flow(A, ANN, POOL), flow(B, POOL, ANN)]))).toHaveLength(2)
  expect(poolTrades(changesOf([flow(A, ANN, POOL), flow(B, ANN, POOL)]))).toEqual([])
  expect(poolTrades(changesOf([flow(A, ANN, POOL)]))).toEqual([])
})

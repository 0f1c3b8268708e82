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

test('the pair next to the victim, in whatever order the node lists the block', () => {
  const all = block(
    { from: ELI, sells: A, amounts: [100n, 50n] },
    { from: EVE, sells: A, amounts: [100n, 50n] },
    { from: ANN, sells: A },
    { from: EVE, sells: B, amounts: [50n, 103n] },
    { from: ELI, sells: B, amounts: [50n, 109n] },
  )
  const ends = { by: EVE, front: { hash: '0x1', index: 1 }, back: { hash: '0x3', index: 3 } }
  for (const order of [all, all.toReversed(), [all[1]!, all[0]!, all[4]!, all[3]!, all[2]!]])
    expect(findSandwich(all[2]!, order)).toMatchObject(ends)
})

test.each([
  // An attacker who sells three times what it bought gains nothing by the rest.
  ['sold more than it bought', [100n, 50n], [150n, 320n], 6n],
  ['kept a part of what it bought', [100n, 50n], [25n, 52n], 2n],
] as const)('a sender who %s gains by the part that was both bought and sold', (_, bought, sold, gain) => {
  const all = block(
    { from: EVE, sells: A, amounts: bought },
    { from: ANN, sells: A },
    { from: EVE, sells: B, amounts: sold },
  )
  expect(find(all, 1)).toMatchObject({ gain })
})

test('each of 65 victims between the same two transactions', () => {
  const victims = Array.from({ length: 65 }, () => ({ from: ANN, sells: A }))
  const all = block({ from: EVE, sells: A }, ...victims, { from: EVE, sells: B, amounts: [50n, 103n] })
  for (let victim = 1; victim <= victims.length; victim++)
    expect(find(all, victim)).toMatchObject({ front: { index: 0 }, back: { index: 66 }, gain: 3n })
})

test('two senders through one contract of their own, if what one bought is what the other sells', () => {
  const around = (to: Address, sold: bigint) =>
    block({ from: EVE, to, sells: A }, { from: ANN, sells: A }, { from: ELI, to, sells: B, amounts: [sold, 103n] })
  expect(find(around(BOT, 50n), 1)).toMatchObject({ by: BOT, gain: 3n })
  expect(find(around(BOT, 20n), 1)).toBeNull()
  // A contract that the victim calls, too, is a public one.
  expect(find(around(ROUTER, 50n), 1)).toBeNull()
})

test('liquidity added before it and removed after it is not a sandwich', () => {
  const all = block({ from: EVE, sells: A }, { from: ANN, sells: A }, { from: EVE, sells: B })
  const both = (from: Address, to: Address) => [A, B].map((token) => ({ token, from, to, amount: 50n }))
  const [added, victim, removed] = all as readonly [Neighbor, Neighbor, Neighbor]
  const around = [
    { ...added, changes: changesOf(both(EVE, POOL)) },
    victim,
    { ...removed, changes: changesOf(both(POOL, EVE)) },
  ]
  expect(findSandwich(victim, around)).toBeNull()
  expect(findSandwich(victim, all)).not.toBeNull()
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

/** Compares the detection of sandwiches with a search over all triples of the swaps that made up a random block. */
import { type Address, type Hex, toAddress } from '@sluice/chains'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { changesOf } from './flows.ts'
import { findSandwich, type Neighbor } from './sandwich.ts'

/** A swap in a pool, before it becomes flows. */
type RandomSwap = {
  readonly pool: number
  readonly sells: 0 | 1
  readonly amountIn: number
  readonly amountOut: number
}
type RandomTransaction = {
  readonly sender: number
  readonly contract: number | null
  readonly swaps: readonly RandomSwap[]
}

const addressOf = (kind: string, index: number): Address => toAddress(`0x${kind.repeat(38)}${index}0`)
const [SENDERS, CONTRACTS, POOLS] = [4, 3, 3]
/** Each pool has tokens of its own, so that several swaps of a transaction do not cancel out. */
const tokenOf = (pool: number, side: number) => addressOf('f', 2 * pool + side)
const poolOf = (pool: number) => addressOf('c', pool)
const senderOf = (sender: number) => addressOf('a', sender)
const contractOf = (contract: number | null) => (contract === null ? null : addressOf('b', contract))

/** Few values, so that round trips through one contract happen. */
const amount = fc.constantFrom(100, 1_000, 1_009, 1_011, 5_000)
const randomSwap = fc.record({
  pool: fc.nat(POOLS - 1),
  sells: fc.constantFrom(0 as const, 1 as const),
  ...{ amountIn: amount, amountOut: amount },
})
const randomTransaction: fc.Arbitrary<RandomTransaction> = fc.record({
  sender: fc.nat(SENDERS - 1),
  contract: fc.option(fc.nat(CONTRACTS - 1), { freq: 8 }),
  swaps: fc.uniqueArray(randomSwap, { minLength: 1, maxLength: 2, selector: ({ pool }) => pool }),
})
const randomBlock = fc.array(randomTransaction, { minLength: 3, maxLength: 9 })

const blockOf = (transactions: readonly RandomTransaction[]): readonly Neighbor[] =>
  transactions.map(({ sender, contract, swaps }, index) => {
    const from = senderOf(sender)
    const flows = swaps.flatMap(({ pool, sells, amountIn, amountOut }) => [
      { token: tokenOf(pool, sells), from, to: poolOf(pool), amount: BigInt(amountIn) },
      { token: tokenOf(pool, 1 - sells), from: poolOf(pool), to: from, amount: BigInt(amountOut) },
    ])
    return { hash: `0x${index}` as Hex, index, from, to: contractOf(contract), changes: changesOf(flows) }
  })

type Triple = { readonly front: number; readonly back: number; readonly pool: number }

/** Lists every pair of transactions around the victim that the definition calls a sandwich, straight from the swaps. */
function triplesAround(all: readonly RandomTransaction[], victim: number): readonly Triple[] {
  const triples: Triple[] = []
  const target = all[victim]!
  for (const hit of target.swaps) {
    for (let front = 0; front < victim; front++) {
      for (let back = victim + 1; back < all.length; back++) {
        const [before, after] = [all[front]!, all[back]!]
        if (before.sender === target.sender || after.sender === target.sender) continue
        for (const first of before.swaps) {
          for (const second of after.swaps) {
            if (first.pool !== hit.pool || second.pool !== hit.pool) continue
            if (first.sells !== hit.sells || second.sells === hit.sells) continue
            const isOneSender = before.sender === after.sender
            const isOwnContract =
              before.contract !== null && before.contract === after.contract && before.contract !== target.contract
            const isRoundTrip = Math.abs(first.amountOut - second.amountIn) <= first.amountOut / 100
            if (isOneSender || (isOwnContract && isRoundTrip)) triples.push({ front, back, pool: hit.pool })
          }
        }
      }
    }
  }
  return triples
}

test('in random blocks it finds a sandwich exactly if one is there, and the closest front', () => {
  const counts = { present: 0, absent: 0 }
  fc.assert(
    fc.property(randomBlock, (transactions) => {
      const block = blockOf(transactions)
      for (const [victim, neighbor] of block.entries()) {
        const triples = triplesAround(transactions, victim)
        const sandwich = findSandwich(neighbor, block)
        counts[triples.length > 0 ? 'present' : 'absent']++
        expect(sandwich !== null).toBe(triples.length > 0)
        if (!sandwich) continue
        const front = Math.max(...triples.map((triple) => triple.front))
        expect(sandwich.front.index).toBe(front)
        const match = triples.filter((triple) => triple.front === front && poolOf(triple.pool) === sandwich.pool)
        expect(sandwich.back.index).toBe(Math.min(...match.map(({ back }) => back)))
      }
    }),
    { numRuns: 2_000 },
  )
  // Both answers must be common, or the property says nothing.
  expect(Math.min(counts.present, counts.absent)).toBeGreaterThan(500)
})

/** A planted sandwich by one sender, with bystanders that use other senders and pools. */
const planted = fc.record({
  bystanders: fc.array(
    randomTransaction.map((transaction) => ({
      ...transaction,
      sender: 3,
      swaps: transaction.swaps.map((swap) => ({ ...swap, pool: 1 + (swap.pool % 2) })).slice(0, 1),
    })),
    { maxLength: 4 },
  ),
  ...{ front: randomSwap, victim: randomSwap, back: randomSwap },
})
type Planted = { readonly [Part in 'front' | 'victim' | 'back']: RandomTransaction }

const CHANGES: Readonly<Record<string, (parts: Planted) => Planted>> = {
  'another pool before it': (parts) => ({ ...parts, front: inPool(parts.front, 2) }),
  'another pool behind it': (parts) => ({ ...parts, back: inPool(parts.back, 2) }),
  'the opposite direction before it': (parts) => ({ ...parts, front: turned(parts.front) }),
  'the same direction behind it': (parts) => ({ ...parts, back: turned(parts.back) }),
  'different senders and contracts': (parts) => ({ ...parts, back: { ...parts.back, sender: 2, contract: 2 } }),
  'different senders through a contract that the victim calls, too': ({ front, victim, back }) => ({
    front: { ...front, contract: 1 },
    victim,
    back: { ...back, sender: 2, contract: 1 },
  }),
  "the victim's own transactions": (parts) => ({ ...parts, victim: { ...parts.victim, sender: 0 } }),
}
const inPool = (transaction: RandomTransaction, pool: number) => ({
  ...transaction,
  swaps: transaction.swaps.map((swap) => ({ ...swap, pool })),
})
const turned = (transaction: RandomTransaction) => ({
  ...transaction,
  swaps: transaction.swaps.map((swap) => ({ ...swap, sells: (1 - swap.sells) as 0 | 1 })),
})

test.each(Object.entries(CHANGES))('a planted sandwich is found, and none with %s', (_, change) => {
  fc.assert(
    fc.property(planted, ({ bystanders, front, victim, back }) => {
      const transaction = (sender: number, swap: RandomSwap, sells: 0 | 1): RandomTransaction => ({
        ...{ sender, contract: sender, swaps: [{ ...swap, pool: 0, sells }] },
      })
      const parts = {
        front: transaction(0, front, 0),
        victim: transaction(1, victim, 0),
        back: transaction(0, back, 1),
      }
      const find = ({ front, victim, back }: Planted) => {
        const block = blockOf([front, ...bystanders, victim, ...bystanders, back])
        return findSandwich(block[1 + bystanders.length]!, block)
      }
      const sandwich = find(parts)
      expect(sandwich).toMatchObject({ pool: poolOf(0), by: senderOf(0), token: tokenOf(0, 0) })
      // The attacker gets out what it can sell of its purchase, at the price of the sale, in whole units.
      const [bought, sold] = [front, back].map(({ amountIn, amountOut }) => ({ amountIn, amountOut })) as [
        Pick<RandomSwap, 'amountIn' | 'amountOut'>,
        Pick<RandomSwap, 'amountIn' | 'amountOut'>,
      ]
      const part = Math.min(bought.amountOut, sold.amountIn)
      const gain = (sold.amountOut * part) / sold.amountIn - (bought.amountIn * part) / bought.amountOut
      expect(Math.abs(Number(sandwich!.gain) - gain)).toBeLessThanOrEqual(1)
      expect(find(change(parts))).toBeNull()
    }),
    { numRuns: 300 },
  )
})

/** Tests of the transaction list's bound. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type LedgerEntry, MAX_ENTRIES, withinLimit } from './ledger.ts'

const entry = (id: number, status: LedgerEntry['status']): LedgerEntry => ({
  ...{ id: String(id), kind: 'swap', chainId: 1, from: '0x', sentAt: id, status },
  src: { symbol: 'A', decimals: 18 },
  dst: { symbol: 'B', decimals: 6 },
  ...{ fromAmount: '1', toAmount: '1' },
})

test('the ledger is bounded, keeps its order, and drops settled entries before pending ones, the oldest first', () => {
  const statuses = fc.array(fc.constantFrom('pending', 'landed', 'failed'), { maxLength: 3 * MAX_ENTRIES })
  fc.assert(
    fc.property(statuses, (list) => {
      const all = list.map((status, id) => entry(id, status as LedgerEntry['status']))
      const remaining = withinLimit(all)
      expect(remaining).toHaveLength(Math.min(all.length, MAX_ENTRIES))
      expect(remaining.map(({ sentAt }) => sentAt)).toEqual(remaining.map(({ sentAt }) => sentAt).sort((a, b) => a - b))
      const dropped = all.filter((one) => !remaining.includes(one))
      const hasSettled = remaining.some(({ status }) => status !== 'pending')
      if (hasSettled) expect(dropped.every(({ status }) => status !== 'pending')).toBe(true)
      const settled = remaining.filter(({ status }) => status !== 'pending')
      for (const old of dropped.filter(({ status }) => status !== 'pending'))
        expect(settled.every(({ sentAt }) => sentAt < old.sentAt)).toBe(true)
    }),
  )
})

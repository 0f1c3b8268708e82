import { describe, expect, test } from 'vitest'
import { draws } from '../testing/draw.ts'
import { IdTable } from './id-table.ts'

type Named = { readonly id: string; readonly n: number }
const table = () => new IdTable<Named>(({ id }) => id)
const addressOf = (n: number) => `0x${n.toString(16).padStart(40, '0')}`

describe('values by id', () => {
  test.each([1, 2, 3])('are those of a plain map after any history, drawn from seed %i', (seed) => {
    const { pick, chance } = draws(seed)
    const [plain, values] = [new Map<string, Named>(), table()]
    for (let n = 0; n < 20_000; n++) {
      // Few ids at first, so that the same come and go.
      const id = addressOf(pick(0, n < 10_000 ? 300 : 6_000))
      if (chance(0.6)) {
        plain.set(id, { id, n })
        values.set({ id, n })
      } else {
        plain.delete(id)
        values.delete(id)
      }
      const queriedId = addressOf(pick(0, 6_000))
      expect(values.get(queriedId)?.n).toBe(plain.get(queriedId)?.n)
    }
    for (let k = 0; k < 6_000; k++) expect(values.get(addressOf(k))?.n).toBe(plain.get(addressOf(k))?.n)
  })

  test('are told apart where only digits differ that are not looked at, and where ids are short', () => {
    const values = table()
    const ids = [
      '',
      '0x',
      '0xa',
      ...Array.from({ length: 500 }, (_, n) => `0x1234${n.toString(16).padStart(8, '0')}00000000`),
    ]
    for (const [n, id] of ids.entries()) values.set({ id, n })
    for (const [n, id] of ids.entries()) expect(values.get(id)?.n).toBe(n)
    for (const id of ids.slice(0, 250)) values.delete(id)
    for (const [n, id] of ids.entries()) expect(values.get(id)?.n).toBe(n < 250 ? undefined : n)
  })
})

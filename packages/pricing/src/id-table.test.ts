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
    const isSame = (id: string) => values.get(id)?.n === plain.get(id)?.n
    let same = 0
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
      if (isSame(addressOf(pick(0, 6_000)))) same++
    }
    expect(same).toBe(20_000)
    expect(Array.from({ length: 6_000 }, (_, k) => addressOf(k)).filter((id) => !isSame(id))).toEqual([])
  })

  test('take no more room the longer they come and go', () => {
    const values = table()
    const slots = () => (values as unknown as { readonly hashes: Int32Array }).hashes.length
    const before = slots()
    for (let n = 0; n < 10_000; n++) {
      values.set({ id: addressOf(n), n })
      values.delete(addressOf(n))
    }
    expect(slots()).toBe(before)
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

  test.each([
    ['start', (n: number) => `0x${n.toString(16).padStart(4, '0')}${'0'.repeat(36)}`],
    ['end', (n: number) => `0x${'0'.repeat(36)}${n.toString(16).padStart(4, '0')}`],
  ])('are found with few comparisons if their ids differ at the %s only', (_, idOf) => {
    let comparisons = 0
    const values = new IdTable<Named>(({ id }) => {
      comparisons++
      return id
    })
    for (let n = 0; n < 2_000; n++) values.set({ id: idOf(n), n })
    comparisons = 0
    const numbers = Array.from({ length: 2_000 }, (_, n) => n)
    expect(numbers.map((n) => values.get(idOf(n))?.n)).toEqual(numbers)
    // One comparison each, and rarely one with an id of the same hash.
    expect(comparisons).toBeLessThan(2_100)
  })
})

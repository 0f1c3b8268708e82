import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Link, LinkedList } from './linked-list.ts'

test('values stand in order of entry, whichever of them leave, and what has left leads to nothing', () => {
  const step = fc.oneof(fc.constant('add' as const), fc.nat(20))
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const list = new LinkedList<number>()
      const links: Link<number>[] = []
      let expected: number[] = []
      for (const [k, step] of steps.entries()) {
        if (step === 'add') {
          links.push(list.add(k))
          expected.push(k)
        } else {
          const link = links[step]
          if (!link) continue
          expect(list.remove(link), 'once').toBe(expected.includes(link.value))
          expected = expected.filter((value) => value !== link.value)
          expect(link).toEqual({ value: link.value, previous: undefined, next: undefined, isLinked: false })
        }
        const values: number[] = []
        for (let link = list.first; link; link = link.next) values.push(link.value)
        expect(values).toEqual(expected)
        expect([list.size, list.first?.value, list.last?.value]).toEqual([
          expected.length,
          expected[0],
          expected.at(-1),
        ])
      }
    }),
  )
})

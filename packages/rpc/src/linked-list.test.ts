import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Link, LinkedList } from './linked-list.ts'

test('values stand in order of entry, whichever of them leave, and what has left leads to nothing', () => {
  const step = fc.oneof(fc.constant('add' as const), fc.nat(20))
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const list = new LinkedList<number>()
      const links: Link<number>[] = []
      let kept: number[] = []
      for (const [k, step] of steps.entries()) {
        if (step === 'add') {
          links.push(list.add(k))
          kept.push(k)
        } else {
          const link = links[step]
          if (!link) continue
          expect(list.remove(link), 'once').toBe(kept.includes(link.value))
          kept = kept.filter((value) => value !== link.value)
          expect(link).toEqual({ value: link.value, previous: undefined, next: undefined, isIn: false })
        }
        const values: number[] = []
        for (let link = list.first; link; link = link.next) values.push(link.value)
        expect(values).toEqual(kept)
        expect([list.size, list.first?.value, list.last?.value]).toEqual([kept.length, kept[0], kept.at(-1)])
      }
    }),
  )
})

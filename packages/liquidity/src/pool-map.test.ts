import { ZERO_ADDRESS } from '@sluice/chains'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Pool } from './family.ts'
import { PoolMap, poolChanges } from './pool-map.ts'

const pool = (id: string, state: number): Pool => ({
  id,
  family: 'test',
  dex: 'test',
  address: ZERO_ADDRESS,
  tokens: [],
  state,
})
const id = fc.integer({ min: 0, max: 40 }).map((n) => `0x${(n * 97).toString(16)}`)
const change = fc.record({ set: fc.array(fc.tuple(id, fc.nat())), gone: fc.array(id) })

test('holds what a plain map would, through any changes, and leaves earlier maps as they were', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 8 }), (changes) => {
      const plain = new Map<string, Pool>()
      let map = PoolMap.empty
      for (const { set, gone } of changes) {
        const before = [...map]
        const last = map
        const pools = set.map(([id, state]) => pool(id, state))
        map = map.with(pools, gone)
        expect([...last]).toEqual(before)
        for (const entry of pools) plain.set(entry.id, entry)
        for (const id of gone) plain.delete(id)
        expect(new Map(map)).toEqual(plain)
        expect(map.size).toBe(plain.size)
      }
    }),
  )
})

test('tells what differs from any earlier map, and plain maps apart in the same way', () => {
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 8 }), (changes) => {
      let map = PoolMap.empty
      const maps = [map]
      for (const { set, gone } of changes) {
        map = map.with(
          set.map(([id, state]) => pool(id, state)),
          gone,
        )
        maps.push(map)
      }
      for (const before of maps) {
        const { changed, gone } = poolChanges(before, map)
        expect(new Map(before.with(changed, gone))).toEqual(new Map(map))
        const plain = poolChanges(new Map(before), new Map(map))
        expect(new Set(plain.changed)).toEqual(new Set(changed))
        expect(new Set(plain.gone)).toEqual(new Set(gone))
      }
    }),
  )
})

test('the order of its pools depends on their ids alone, not on how the map came about', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 8 }), (changes) => {
      let map = PoolMap.empty
      for (const { set, gone } of changes)
        map = map.with(
          set.map(([id, state]) => pool(id, state)),
          gone,
        )
      expect([...PoolMap.empty.with([...map.values()].reverse()).keys()]).toEqual([...map.keys()])
    }),
  )
})

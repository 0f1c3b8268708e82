/** Tests of `PoolMap`, with a plain `Map` as the oracle. */
import { ZERO_ADDRESS } from '@sluice/chains'
import { atOnce } from '@sluice/rpc'
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

test('equals a plain map after any changes, and never mutates earlier maps', () => {
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

test('reports the differences from any earlier map, and between plain maps', () => {
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
        const { changedPools: changed, goneIds: gone } = poolChanges(before, map)
        expect(new Map(before.with(changed, gone))).toEqual(new Map(map))
        const plain = poolChanges(new Map(before), new Map(map))
        expect(new Set(plain.changedPools)).toEqual(new Set(changed))
        expect(new Set(plain.goneIds)).toEqual(new Set(gone))
        // A map with another history has no change log, but reports changes in the same order.
        expect(poolChanges(PoolMap.empty.with([...before.values()]), map)).toEqual({
          changedPools: changed,
          goneIds: gone,
        })
      }
    }),
  )
})

test('distinguishes ids with a common prefix, and keeps the last pool of the same id', () => {
  const ids = ['2', '0', '1'].map((digit) => `0x1234567${digit}00`)
  const pools = [...ids.map((id) => pool(id, 1)), ...ids.map((id) => pool(id, 2))]
  const sorted = [...ids].sort()
  for (const map of [PoolMap.empty.with(pools), atOnce(PoolMap.of(pools))]) {
    expect([...map.keys()]).toEqual(sorted)
    expect(map.size).toBe(3)
    for (const id of ids) expect(map.get(id)?.state).toBe(2)
    expect(map.get('0x1234567300')).toBeUndefined()
    const less = map.with([], [ids[1]!])
    expect([...less.keys()]).toEqual([ids[2], ids[0]])
    expect(poolChanges(map, less)).toEqual({ changedPools: [], goneIds: [ids[1]] })
  }
})

test('the order of pools depends only on their ids, not on the history of the map', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 8 }), (changes) => {
      let map = PoolMap.empty
      for (const { set, gone } of changes)
        map = map.with(
          set.map(([id, state]) => pool(id, state)),
          gone,
        )
      expect([...PoolMap.empty.with([...map.values()].reverse()).keys()]).toEqual([...map.keys()])
      expect([...atOnce(PoolMap.of([...map.values()].reverse())).keys()]).toEqual([...map.keys()])
    }),
  )
})

test('logs changes for 16 maps, and still reports differences beyond the log', () => {
  const many = Array.from({ length: 5_000 }, (_, n) => pool(`0x${n.toString(16)}`, 0))
  const first = PoolMap.empty.with(many)
  expect(first.idsChangedSince(PoolMap.empty)).toBeUndefined()
  let map = first
  for (let step = 1; step <= 40; step++) {
    map = map.with([pool('0x1', step)], step === 20 ? ['0x2'] : [])
    expect(map.idsChangedSince(first)).toEqual(step > 16 ? undefined : ['0x1'])
    const { changedPools: changed, goneIds: gone } = poolChanges(first, map)
    expect(changed).toEqual([pool('0x1', step)])
    expect(gone).toEqual(step >= 20 ? ['0x2'] : [])
  }
})

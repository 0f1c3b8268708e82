import { expect, test } from 'vitest'
import type { Pool } from '../family.ts'
import { PoolMap } from '../pool-map.ts'
import { differenceOf, entryBetween, entryText } from './codec.ts'
import { Fields, readEntry } from './fields.ts'
import { entriesBetween, rememberEntry } from './told.ts'

const ticksOf = (count: number, at: bigint) =>
  Array.from({ length: count }, (_, k) => ({ index: k, net: at + BigInt(k) }))
const made = (n: number, version: number, ticks: readonly unknown[] = []): Pool =>
  ({
    ...{ id: `0x${n.toString(16).padStart(40, '0')}`, address: `0x${n.toString(16).padStart(40, '0')}` },
    ...{ family: 'uniswap-v3', dex: '#a dex', tokens: ['0xaa', '0xbb'], fixed: { spacing: 60n } },
    state: { liquidity: 10n ** 20n + BigInt(version), text: '#', ticks },
  }) as unknown as Pool

const MOST = 1_000
const over = (pools: PoolMap, text: string) => {
  const entry = readEntry(text)
  return Fields.of(entry).over(pools, entry.gone)?.pools
}
const long = ticksOf(20, 1n)
const before = PoolMap.empty.with([made(1, 1, long), made(2, 1, ticksOf(3, 1n)), made(3, 1), made(4, 1, long)])

test.each([
  ['a state that changes', [made(1, 2, long)], []],
  ['long arrays that come', [made(2, 2, ticksOf(30, 5n)), made(5, 1, long)], []],
  ['long arrays that go', [made(1, 2, ticksOf(2, 1n)), made(4, 2)], []],
  ['pools that go', [], [made(1, 1).id, made(3, 1).id]],
  ['another identity under the same id', [{ ...made(1, 2, long), tokens: ['0xcc', '0xdd'] } as unknown as Pool], []],
  ['nothing', [], []],
])('%s: what is told between two states leads from one to the other', (_, changed, gone) => {
  const after = before.with(changed, gone)
  const text = entryBetween(before, after, MOST)!
  expect(new Map(over(before, text))).toEqual(new Map(after))
  // The same as is published.
  const { pools } = differenceOf(before, changed, gone)
  expect(new Map(over(before, entryText(pools, gone, [], [])))).toEqual(new Map(after))
})

test('what stays is not told: neither long arrays nor who a pool is', () => {
  let pools = before
  for (let version = 2; version < 5; version++) {
    const after = pools.with([
      {
        ...made(1, version, long),
        state: { ...(pools.get(made(1, 1).id)!.state as object), liquidity: BigInt(version) },
      } as Pool,
    ])
    const text = entryBetween(pools, after, MOST)!
    expect(text).not.toContain('net')
    expect(text).not.toContain('dex')
    pools = after
  }
  expect(entryBetween(before, PoolMap.empty.with([made(1, 2)]), 3)).toBeNull()
})

test('an entry that does not fit is not applied', () => {
  const text = entryBetween(before, before.with([made(1, 2, long)]), MOST)!
  expect(over(PoolMap.empty, text)).toBeUndefined()
})

test('entries are known by the states that they lead to, as far back as they are held', () => {
  const states = [before]
  for (let version = 2; version < 6; version++) states.push(states.at(-1)!.with([made(1, version)]))
  for (let k = 1; k < states.length; k++) rememberEntry(states[k - 1]!, states[k]!, `entry ${k}`)
  const between = (from: number, to: number, most = 9) =>
    entriesBetween(states[from]!, states[to]!, most)?.map(({ text }) => text) ?? null
  expect(between(1, 4)).toEqual(['entry 2', 'entry 3', 'entry 4'])
  expect(between(4, 4)).toEqual([])
  expect(between(4, 1)).toBeNull()
  expect(between(0, 4, 3)).toBeNull()
  expect(entriesBetween(states[0]!, states[4]!.with([made(9, 1)]), 9)).toBeNull()
})

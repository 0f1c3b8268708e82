import { expect, test } from 'vitest'
import type { Pool } from '../family.ts'
import { PoolMap } from '../pool-map.ts'
import { differenceOf, entryBetween, entryBytes } from './codec.ts'
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

const without = (name: 'fixed', { [name]: _, ...rest }: Pool): Pool => rest
const MOST = 1_000
const over = (pools: PoolMap, bytes: Uint8Array) => {
  const entry = readEntry(bytes)!
  return Fields.of(entry).over(pools, entry.gone)?.pools
}
const long = ticksOf(20, 1n)
/** The same map as somebody has it who was told of it. */
const toldOf = (pools: PoolMap) => over(PoolMap.empty, entryBetween(PoolMap.empty, pools, MOST)!)!
const stateOf = (pools: PoolMap, n: number) => pools.get(made(n, 0).id)!.state as { ticks: unknown; liquidity: bigint }
const before = PoolMap.empty.with([
  made(1, 1, long),
  made(2, 1, ticksOf(3, 1n)),
  made(3, 1),
  made(4, 1, long),
  made(6, 1),
])

test.each([
  ['a state that changes', [made(1, 2, long)], []],
  ['long arrays that come', [made(2, 2, ticksOf(30, 5n)), made(5, 1, long)], []],
  ['long arrays that go', [made(1, 2, ticksOf(2, 1n)), made(4, 2)], []],
  ['pools that go', [], [made(1, 1).id, made(3, 1).id]],
  ['another identity under the same id', [{ ...made(1, 2, long), tokens: ['0xcc', '0xdd'] } as unknown as Pool], []],
  ['an identity that has less than before', [without('fixed', made(6, 2))], []],
  ['nothing', [], []],
])('%s: what is told between two states leads from one to the other', (_, changed, gone) => {
  const after = before.with(changed, gone)
  const bytes = entryBetween(before, after, MOST)!
  expect(new Map(over(before, bytes))).toEqual(new Map(after))
  // The same as is published, and as is told by who was told himself and has read none of the arrays.
  const { told } = differenceOf(before, changed, gone)
  const published = entryBytes(told, gone, [], [])
  expect(new Map(over(before, published))).toEqual(new Map(after))
  const heard = toldOf(before)
  expect(String(entryBetween(heard, over(heard, published)!, MOST)!)).toBe(String(bytes))
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
    const text = String(entryBetween(pools, after, MOST)!)
    expect(text).not.toContain('net')
    expect(text).not.toContain('dex')
    pools = after
  }
  expect(entryBetween(before, PoolMap.empty.with([made(1, 2)]), 3)).toBeNull()
})

test('an array is read when it is asked for, once, and is the same in all states that were made of one another', () => {
  const told = toldOf(before)
  const swapped = over(told, entryBetween(before, before.with([made(1, 2, long)]), MOST)!)!
  const { ticks } = stateOf(swapped, 1)
  expect(ticks).toEqual(long)
  expect(stateOf(told, 1).ticks).toBe(ticks)
  expect(stateOf(swapped, 1).liquidity).toBe(10n ** 20n + 2n)
  // A state that a swap leaves: not told of anew, whether the array was read of the one before or not.
  const pool = swapped.get(made(1, 0).id)!
  const after = swapped.with([{ ...pool, state: { ...(pool.state as object), liquidity: 5n } }])
  expect(String(entryBetween(swapped, after, MOST)!)).not.toContain('net')
  expect(String(entryBetween(told, after, MOST)!)).not.toContain('net')
})

test.each([
  ['that ends too early', (text: string) => text.slice(0, -1)],
  ['without one of its arrays', (text: string) => text.slice(0, text.lastIndexOf('\n'))],
  ['with more than it names', (text: string) => `${text}\n[]`],
  ['whose array is none', (text: string) => text.replace(/\n.*/, '\n{}')],
  ['whose array is of no pool', (text: string) => text.replace(/"longs":\["[^"]*"/, '"longs":["ticks"')],
])('what is told %s is no entry', (_, broken) => {
  const text = String(entryBetween(PoolMap.empty, before, MOST)!)
  expect(readEntry(Buffer.from(text))).not.toBeNull()
  expect(broken(text)).not.toBe(text)
  expect(readEntry(Buffer.from(broken(text)))).toBeNull()
})

test('an entry that does not fit is not applied', () => {
  const bytes = entryBetween(before, before.with([made(1, 2, long)]), MOST)!
  expect(over(PoolMap.empty, bytes)).toBeUndefined()
})

test('entries are known by the states that they lead to, as far back as they are held', () => {
  const states = [before]
  for (let version = 2; version < 6; version++) states.push(states.at(-1)!.with([made(1, version)]))
  for (let k = 1; k < states.length; k++) rememberEntry(states[k - 1]!, states[k]!, Buffer.from(`entry ${k}`))
  const between = (from: number, to: number, most = 9) =>
    entriesBetween(states[from]!, states[to]!, most)?.map(({ bytes }) => String(bytes)) ?? null
  expect(between(1, 4)).toEqual(['entry 2', 'entry 3', 'entry 4'])
  expect(between(4, 4)).toEqual([])
  expect(between(4, 1)).toBeNull()
  expect(between(0, 4, 3)).toBeNull()
  expect(entriesBetween(states[0]!, states[4]!.with([made(9, 1)]), 9)).toBeNull()
})

/** Tests of the entry codec: encoding, decoding, and applying state changes. */
import { expect, test } from 'vitest'
import type { Pool } from '../family.ts'
import { PoolMap } from '../pool-map.ts'
import { encodeDifference, encodeEntry, encodeEntryBetween } from './codec.ts'
import { entriesBetween, rememberEntry } from './entry-cache.ts'
import { FieldCollector, readEntry } from './fields.ts'

const ticksOf = (count: number, at: bigint) =>
  Array.from({ length: count }, (_, k) => ({ index: k, net: at + BigInt(k) }))
const poolOf = (n: number, version: number, ticks: readonly unknown[] = []): Pool =>
  ({
    id: `0x${n.toString(16).padStart(40, '0')}`,
    address: `0x${n.toString(16).padStart(40, '0')}`,
    family: 'uniswap-v3',
    dex: '#a dex',
    tokens: ['0xaa', '0xbb'],
    fixed: { spacing: 60n },
    state: { liquidity: 10n ** 20n + BigInt(version), text: '#', ticks },
  }) as unknown as Pool

const without = (name: 'fixed', { [name]: _, ...rest }: Pool): Pool => rest
const MAX_CHANGED = 1_000
const over = (pools: PoolMap, bytes: Uint8Array) => {
  const entry = readEntry(bytes)!
  return FieldCollector.of(entry).applyTo(pools, entry.gone)?.pools
}
const long = ticksOf(20, 1n)
/** The pools as a consumer has them that decoded them from an entry. */
const decodedOf = (pools: PoolMap) => over(PoolMap.empty, encodeEntryBetween(PoolMap.empty, pools, MAX_CHANGED)!)!
const stateOf = (pools: PoolMap, n: number) =>
  pools.get(poolOf(n, 0).id)!.state as { ticks: unknown; liquidity: bigint }
const before = PoolMap.empty.with([
  poolOf(1, 1, long),
  poolOf(2, 1, ticksOf(3, 1n)),
  poolOf(3, 1),
  poolOf(4, 1, long),
  poolOf(6, 1),
])

test.each([
  ['a state that changes', [poolOf(1, 2, long)], []],
  ['long arrays that come', [poolOf(2, 2, ticksOf(30, 5n)), poolOf(5, 1, long)], []],
  ['long arrays that go', [poolOf(1, 2, ticksOf(2, 1n)), poolOf(4, 2)], []],
  ['pools that go', [], [poolOf(1, 1).id, poolOf(3, 1).id]],
  ['another identity under the same id', [{ ...poolOf(1, 2, long), tokens: ['0xcc', '0xdd'] } as unknown as Pool], []],
  ['an identity that has less than before', [without('fixed', poolOf(6, 2))], []],
  ['nothing', [], []],
])('%s: an entry between two states leads from one to the other', (_, changed, gone) => {
  const after = before.with(changed, gone)
  const bytes = encodeEntryBetween(before, after, MAX_CHANGED)!
  expect(new Map(over(before, bytes))).toEqual(new Map(after))
  // The publisher and a consumer that has parsed none of the arrays must encode the same bytes.
  const { encodedPools: encoded } = encodeDifference(before, changed, gone)
  const published = encodeEntry(encoded, gone, [], [])
  expect(new Map(over(before, published))).toEqual(new Map(after))
  const decoded = decodedOf(before)
  expect(String(encodeEntryBetween(decoded, over(decoded, published)!, MAX_CHANGED)!)).toBe(String(bytes))
})

test('an entry contains neither unchanged long arrays nor known identities', () => {
  let pools = before
  for (let version = 2; version < 5; version++) {
    const after = pools.with([
      {
        ...poolOf(1, version, long),
        state: { ...(pools.get(poolOf(1, 1).id)!.state as object), liquidity: BigInt(version) },
      } as Pool,
    ])
    const text = String(encodeEntryBetween(pools, after, MAX_CHANGED)!)
    expect(text).not.toContain('net')
    expect(text).not.toContain('dex')
    pools = after
  }
  expect(encodeEntryBetween(before, PoolMap.empty.with([poolOf(1, 2)]), 3)).toBeNull()
})

test('an array is parsed once, on first access, and shared by all states derived from one another', () => {
  const first = decodedOf(before)
  const swapped = over(first, encodeEntryBetween(before, before.with([poolOf(1, 2, long)]), MAX_CHANGED)!)!
  const { ticks } = stateOf(swapped, 1)
  expect(ticks).toEqual(long)
  expect(stateOf(first, 1).ticks).toBe(ticks)
  expect(stateOf(swapped, 1).liquidity).toBe(10n ** 20n + 2n)
  // After a swap the array is not sent again, whether or not it had been parsed.
  const pool = swapped.get(poolOf(1, 0).id)!
  const after = swapped.with([{ ...pool, state: { ...(pool.state as object), liquidity: 5n } }])
  expect(String(encodeEntryBetween(swapped, after, MAX_CHANGED)!)).not.toContain('net')
  expect(String(encodeEntryBetween(first, after, MAX_CHANGED)!)).not.toContain('net')
})

test.each([
  ['truncated at the end', (text: string) => text.slice(0, -1)],
  ['without one of the arrays', (text: string) => text.slice(0, text.lastIndexOf('\n'))],
  ['with more arrays than named', (text: string) => `${text}\n[]`],
  ['with an object for an array', (text: string) => text.replace(/\n.*/, '\n{}')],
  ['with an array of no pool', (text: string) => text.replace(/"longs":\["[^"]*"/, '"longs":["ticks"')],
])('bytes %s are not an entry', (_, broken) => {
  const text = String(encodeEntryBetween(PoolMap.empty, before, MAX_CHANGED)!)
  expect(readEntry(Buffer.from(text))).not.toBeNull()
  expect(broken(text)).not.toBe(text)
  expect(readEntry(Buffer.from(broken(text)))).toBeNull()
})

test('an entry that does not fit is not applied', () => {
  const bytes = encodeEntryBetween(before, before.with([poolOf(1, 2, long)]), MAX_CHANGED)!
  expect(over(PoolMap.empty, bytes)).toBeUndefined()
})

test('the entry cache finds entries by the states that they lead to, as far back as it holds them', () => {
  const states = [before]
  for (let version = 2; version < 6; version++) states.push(states.at(-1)!.with([poolOf(1, version)]))
  for (let k = 1; k < states.length; k++) rememberEntry(states[k - 1]!, states[k]!, Buffer.from(`entry ${k}`))
  const between = (from: number, to: number, limit = 9) =>
    entriesBetween(states[from]!, states[to]!, limit)?.map(({ bytes }) => String(bytes)) ?? null
  expect(between(1, 4)).toEqual(['entry 2', 'entry 3', 'entry 4'])
  expect(between(4, 4)).toEqual([])
  expect(between(4, 1)).toBeNull()
  expect(between(0, 4, 3)).toBeNull()
  expect(entriesBetween(states[0]!, states[4]!.with([poolOf(9, 1)]), 9)).toBeNull()
})

test.each([
  ['long arrays that change, come, and go', [poolOf(1, 2, ticksOf(25, 9n)), poolOf(2, 2, long), poolOf(4, 2)], []],
  ['pools that come and go', [poolOf(7, 1, long)], [poolOf(1, 1).id]],
])(
  'a collector that follows an entry holds the state after it, also if it follows it twice: %s',
  (_, changed, gone) => {
    const after = before.with(changed, gone)
    const collector = FieldCollector.of(readEntry(encodeEntryBetween(PoolMap.empty, before, MAX_CHANGED)!)!)
    const entry = readEntry(encodeEntryBetween(before, after, MAX_CHANGED)!)!
    for (let time = 0; time < 2; time++) {
      collector.applyEntry(entry)
      expect(new Map(collector.applyTo(PoolMap.empty, [])!.pools)).toEqual(new Map(after))
    }
  },
)

test('the entry cache holds a megabyte and 32 entries before the last one', () => {
  const statesOf = (sizes: readonly number[]) => {
    const states = [before]
    for (const [k, size] of sizes.entries()) {
      const next = states.at(-1)!.with([poolOf(1, k + 2)])
      rememberEntry(states.at(-1)!, next, Buffer.alloc(size))
      states.push(next)
    }
    return states
  }
  const isHeld = (sizes: readonly number[]) => {
    const states = statesOf(sizes)
    return entriesBetween(states[0]!, states.at(-1)!, 99) !== null
  }
  const half = 2 ** 19
  expect(isHeld([half, half, 2 ** 21])).toBe(true)
  expect(isHeld([half + 1, half, 2 ** 21])).toBe(false)
  expect([isHeld(Array(32).fill(1)), isHeld(Array(33).fill(1))]).toEqual([true, false])
})

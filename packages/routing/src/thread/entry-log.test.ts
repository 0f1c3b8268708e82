/** Tests which state changes a log covers. */
import { type Address, toAddress } from '@sluice/chains'
import { FieldCollector, type Pool, PoolMap, readEntry } from '@sluice/liquidity'
import { expect, test } from 'vitest'
import { EntryLog } from './entry-log.ts'

const at = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const pool = (n: number, reserve: number): Pool => ({
  ...{ id: at(n), family: 'uniswap-v2', dex: 'test', address: at(n), tokens: [at(1), at(2)] },
  state: { reserve0: BigInt(reserve), reserve1: 5n, feePpm: 3_000 },
})
/** States that each change one pool. */
const statesOf = (count: number) => {
  const states = [PoolMap.empty.with([pool(7, 0)])]
  while (states.length < count) states.push(states.at(-1)!.with([pool(7, states.length)]))
  return states
}
const applied = (before: PoolMap, entries: readonly Uint8Array[]) =>
  entries.reduce((pools, bytes) => {
    const entry = readEntry(bytes)!
    return FieldCollector.of(entry).applyTo(pools, entry.gone)!.pools
  }, before)

test('entries lead from each covered state to a later one, in shared memory', () => {
  const log = new EntryLog()
  const states = statesOf(6)
  expect(log.between(states[0]!, states[0]!)).toEqual([])
  for (const after of states.slice(1)) log.between(states[0]!, after)
  for (let from = 0; from < states.length; from++)
    for (let to = from; to < states.length; to++) {
      const entries = log.between(states[from]!, states[to]!)!
      expect(entries).toHaveLength(to - from)
      expect(new Map(applied(states[from]!, entries))).toEqual(new Map(states[to]!))
      for (const { buffer } of entries) expect(buffer).toBeInstanceOf(SharedArrayBuffer)
    }
})

test('neither unknown states, nor earlier ones, nor those more than 31 entries ago are covered', () => {
  const log = new EntryLog()
  const states = statesOf(40)
  for (const after of states) log.between(states[0]!, after)
  expect(log.between(states[35]!, states[32]!)).toBeNull()
  expect(log.between(PoolMap.empty, states[39]!)).toBeNull()
  expect(log.between(states[39 - 31]!, states[39]!)).toHaveLength(31)
  expect(log.between(states[39 - 32]!, states[39]!)).toBeNull()
})

test('after a change of more than a thousand pools, the log starts with the state after it', () => {
  const log = new EntryLog()
  const [before] = statesOf(1)
  log.between(before!, before!)
  const after = before!.with(Array.from({ length: 1_001 }, (_, k) => pool(100 + k, 1)))
  expect(log.between(before!, after)).toBeNull()
  const next = after.with([pool(7, 9)])
  expect(log.between(after, next)).toHaveLength(1)
  const small = before!.with(Array.from({ length: 1_000 }, (_, k) => pool(100 + k, 1)))
  const other = new EntryLog()
  other.between(before!, before!)
  expect(other.between(before!, small)).toHaveLength(1)
})

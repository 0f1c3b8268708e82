/** Tests of the record database. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ZERO_ADDRESS } from '@sluice/chains'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import type { Pool } from '../family.ts'
import { PoolMap } from '../pool-map.ts'
import type { Snapshot } from '../snapshot.ts'
import { findRecord, RecordDatabase } from './record-database.ts'
import { RecordFile } from './record-file.ts'

const dir = mkdtempSync(join(tmpdir(), 'sluice-records-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))
let files = 0
const newPath = () => join(dir, `${++files}.sqlite`)

const pool = (id: string, state: unknown): Pool => ({
  id,
  family: 'test',
  dex: 'test',
  address: ZERO_ADDRESS,
  tokens: [],
  state,
})
const snapshotAt = (number: number, pools: PoolMap): Snapshot => ({
  chainId: 7,
  block: {
    number,
    hash: `0x${number}`,
    parentHash: '0x',
    timestamp: number,
    gasLimit: 30_000_000n,
    baseFeePerGas: null,
    miner: ZERO_ADDRESS,
  },
  pools,
  changedIds: null,
})
const plenty = { records: 1_000, bytes: 50_000_000 }
const id = fc.integer({ min: 0, max: 30 }).map((n) => `0x${(n * 97).toString(16)}`)
const change = fc.record({ set: fc.array(fc.tuple(id, fc.bigInt())), gone: fc.array(id), again: fc.boolean() })

test('every record is found with the pools of its block, for any changes and restarts', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
      const path = newPath()
      let file = await RecordFile.open(path, plenty)
      let pools = PoolMap.empty
      const written: Snapshot[] = []
      for (const [number, { set, gone, again }] of changes.entries()) {
        // A new process does not know the content of the file.
        if (again) {
          await file.close()
          file = await RecordFile.open(path, plenty)
        }
        pools = pools.with(
          set.map(([id, state]) => pool(id, { state })),
          gone,
        )
        const snapshot = snapshotAt(number, pools)
        const hash = `h${number % 2}`
        await file.append(snapshot, {
          records: [{ id: `q${number}`, text: `text ${number}` }],
          sharedTexts: [{ hash, text: `part ${hash}` }],
        })
        written.push(snapshot)
      }
      for (const [number, snapshot] of written.entries()) {
        const record = findRecord(path, `q${number}`)!
        expect(record.text).toBe(`text ${number}`)
        expect(record.sharedTextOf(`h${number % 2}`)).toBe(`part h${number % 2}`)
        expect(record.snapshot.block).toEqual(snapshot.block)
        expect([...record.snapshot.pools]).toEqual([...snapshot.pools])
      }
      expect(findRecord(path, 'another')).toBeNull()
      await file.close()
    }),
    { numRuns: 20 },
  )
})

test('the oldest blocks are deleted, by number and by size, and the others stay complete', async () => {
  const state = (k: number) => ({ text: `${k}`.padEnd(2_000, 'x') })
  for (const limits of [
    { records: 10, bytes: 50_000_000 },
    { records: 1_000, bytes: 400_000 },
  ]) {
    const path = newPath()
    const file = await RecordFile.open(path, limits)
    let pools = PoolMap.empty.with(Array.from({ length: 20 }, (_, k) => pool(`0x${k}`, state(k))))
    const written: PoolMap[] = []
    for (let number = 0; number < 100; number++) {
      pools = pools.with(Array.from({ length: 4 }, (_, k) => pool(`0x${(number + k) % 20}`, state(number))))
      written.push(pools)
      const sharedTexts = ['of all', `of ${number}`].map((hash) => ({ hash, text: `text ${hash}` }))
      await file.append(snapshotAt(number, pools), { records: [{ id: `q${number}`, text: '' }], sharedTexts })
      // Deletes with the oldest blocks no text that the newest one uses.
      const record = findRecord(path, `q${number}`)!
      for (const { hash, text } of sharedTexts) expect(record.sharedTextOf(hash)).toBe(text)
    }
    await file.close()
    const remaining = written.flatMap((expected, number) => {
      const record = findRecord(path, `q${number}`)
      if (record) expect([...record.snapshot.pools]).toEqual([...expected])
      if (record) for (const hash of ['of all', `of ${number}`]) expect(record.sharedTextOf(hash)).toBe(`text ${hash}`)
      return record ? [number] : []
    })
    expect(remaining.at(-1)).toBe(99)
    expect(findRecord(path, 'q99')!.sharedTextOf('of 0')).toBeUndefined()
    expect(remaining.length).toBeGreaterThan(5)
    expect(remaining.length).toBeLessThan(60)
    expect(remaining).toEqual(remaining.map((_, k) => 100 - remaining.length + k))
  }
})

test('a block that exceeds the size limit is refused and leaves nothing behind', async () => {
  const path = newPath()
  const file = await RecordFile.open(path, { records: 10, bytes: 100_000 })
  const pools = PoolMap.empty.with(Array.from({ length: 20 }, (_, k) => pool(`0x${k}`, 'x'.repeat(20_000))))
  await expect(
    file.append(snapshotAt(1, pools), { records: [{ id: 'q', text: '' }], sharedTexts: [] }),
  ).rejects.toThrow('more than the log of quotes may hold')
  expect(findRecord(path, 'q')).toBeNull()
  await file.close()
})

test('an error names a missing file', () => {
  expect(() => findRecord(join(dir, 'nowhere.sqlite'), 'q')).toThrow('is no log of quotes')
})

test('after a refused block, the next one is written in full', async () => {
  const path = newPath()
  const file = await RecordFile.open(path, { records: 10, bytes: 100_000 })
  const small = PoolMap.empty.with(Array.from({ length: 5 }, (_, k) => pool(`0x${k}`, k)))
  const large = small.with([pool('0x9', 'x'.repeat(400_000))])
  const records = (id: string) => ({ records: [{ id, text: '' }], sharedTexts: [] })
  await file.append(snapshotAt(1, small), records('first'))
  await expect(file.append(snapshotAt(2, large), records('second'))).rejects.toThrow('more than the log of quotes')
  const next = small.with([pool('0x1', 'changed')])
  await file.append(snapshotAt(3, next), records('third'))
  expect([...findRecord(path, 'third')!.snapshot.pools]).toEqual([...next])
  await file.close()
})

test('a database is full above its limits of bytes or records, and is emptied only then', () => {
  const write = (limits: { readonly records: number; readonly bytes: number }, bytes: number) => {
    const path = newPath()
    const database = new RecordDatabase(path, limits)
    const { block } = snapshotAt(1, PoolMap.empty)
    database.begin()
    database.write([pool('0x1', 'x'.repeat(bytes))], [])
    const commit = () =>
      database.commit({
        ...{ chainId: 7, block, hasAllPools: true, sharedTexts: [{ hash: 'h', text: 'part' }] },
        records: [1, 2, 3].map((n) => ({ id: `q${n}`, text: `text ${n}` })),
      })
    return { path, database, commit }
  }
  const within = write({ records: 3, bytes: 300_000 }, 1_000)
  within.commit()
  expect(findRecord(within.path, 'q3')).toMatchObject({ text: 'text 3' })
  expect([...findRecord(within.path, 'q1')!.snapshot.pools]).toHaveLength(1)
  within.database.close()
  for (const beyond of [write({ records: 2, bytes: 300_000 }, 1_000), write({ records: 3, bytes: 300_000 }, 400_000)]) {
    expect(beyond.commit).toThrow('more than the log of quotes may hold')
    expect([1, 2, 3].map((n) => findRecord(beyond.path, `q${n}`))).toEqual([null, null, null])
    beyond.database.close()
  }
})

test('records of deleted blocks count no longer, so a full database keeps as many records as its limit', () => {
  const path = newPath()
  const database = new RecordDatabase(path, { records: 4, bytes: 50_000_000 })
  const idsOf = (number: number) => [`${number}a`, `${number}b`]
  for (let number = 1; number <= 9; number++) {
    const { block } = snapshotAt(number, PoolMap.empty)
    database.begin()
    const records = idsOf(number).map((id) => ({ id, text: id }))
    database.commit({ chainId: 7, block, hasAllPools: true, records, sharedTexts: [] })
  }
  expect(idsOf(8).map((id) => findRecord(path, id)?.text)).toEqual(['8a', '8b'])
  expect(idsOf(9).map((id) => findRecord(path, id)?.text)).toEqual(['9a', '9b'])
  expect(idsOf(7).map((id) => findRecord(path, id))).toEqual([null, null])
  database.close()
})

test('a block that is rolled back leaves nothing, and without one there is nothing to roll back', () => {
  const path = newPath()
  const database = new RecordDatabase(path, plenty)
  database.rollback()
  database.begin()
  database.write([pool('0x1', 1)], [])
  database.rollback()
  const { block } = snapshotAt(1, PoolMap.empty)
  database.begin()
  database.commit({ chainId: 7, block, hasAllPools: true, records: [{ id: 'q', text: '' }], sharedTexts: [] })
  expect([...findRecord(path, 'q')!.snapshot.pools]).toEqual([])
  database.close()
})

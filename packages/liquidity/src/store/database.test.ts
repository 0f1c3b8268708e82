/** Tests the snapshot file: what is saved is loaded, in full, and never mixed with what another process writes. */
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { toAddress } from '@sluice/chains'
import { afterAll, describe, expect, test } from 'vitest'
import type { Pool } from '../family.ts'
import { PoolMap } from '../pool-map.ts'
import { type SavedFacts, type SavedPool, SnapshotDatabase, STATE_FORMAT } from './database.ts'
import { copySnapshot, loadSnapshot } from './file.ts'
import { inBatches, StoreFile } from './store-thread.ts'

const dir = mkdtempSync(join(tmpdir(), 'sluice-store-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))
let files = 0
const newPath = () => join(dir, `${++files}.sqlite`)

const testAddress = (n: number) => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
/** A pool with a distinct value in every field. */
const pool = (n: number, state: unknown = { reserve0: BigInt(n), reserve1: 2n ** 200n }): Pool => ({
  id: testAddress(n),
  family: `family ${n}`,
  dex: `dex ${n}`,
  address: testAddress(1_000 + n),
  tokens: [testAddress(2_000 + n), testAddress(3_000)],
  fixed: { fee: n, hooks: testAddress(4_000 + n) },
  state,
})
const saved = (n: number, dexRow: number | null = n): SavedPool => ({ pool: { ...pool(n), state: null }, dexRow })
const factsAt = (number: number, extra: unknown = { list: [1n, 'a'] }): SavedFacts => ({
  chainId: 10,
  block: {
    number,
    hash: `0x${number}`,
    parentHash: `0x${number - 1}`,
    timestamp: 1_000 + number,
    gasLimit: 30_000_000n,
    baseFeePerGas: 7n,
    miner: testAddress(9),
  },
  extra,
})
const byId = (pools: Iterable<Pool>) => [...pools].sort((a, b) => (a.id < b.id ? -1 : 1))
const code = 'BAD_SNAPSHOT'

describe('a snapshot file', () => {
  test('returns all fields of pools and facts, also to a reader that opens it later', () => {
    const path = newPath()
    const database = new SnapshotDatabase(path)
    expect([database.facts(), database.load()]).toEqual([null, null])
    database.save(factsAt(5), {
      newPools: [saved(1), saved(2, null), saved(3)],
      changedPools: [pool(1), pool(3)],
      goneIds: [],
    })
    database.save(factsAt(6), {
      newPools: [],
      changedPools: [pool(2, { x: -1n }), pool(1, { y: [0n] })],
      goneIds: [testAddress(3)],
    })
    for (const reader of [database, new SnapshotDatabase(path, { readOnly: true })]) {
      const { savedPools, pools, ...facts } = reader.load()!
      expect(facts).toEqual(factsAt(6))
      expect([...savedPools].sort((a, b) => (a.pool.id < b.pool.id ? -1 : 1))).toEqual([
        saved(1),
        saved(2, null),
        saved(3),
      ])
      expect(byId(pools.values())).toEqual([pool(1, { y: [0n] }), pool(2, { x: -1n })])
      reader.close()
    }
  })

  test('replaces identity and row of a pool that is new again, and keeps its state', () => {
    const database = new SnapshotDatabase(newPath())
    database.save(factsAt(1), { newPools: [saved(1)], changedPools: [pool(1)], goneIds: [] })
    const moved = { pool: { ...pool(1), dex: 'renamed', state: null }, dexRow: 8 }
    database.save(factsAt(2), { newPools: [moved], changedPools: [], goneIds: [] })
    expect([...database.pools()]).toEqual([{ ...moved, state: pool(1).state }])
    database.close()
  })

  test('deletes all pools but those to keep', () => {
    const database = new SnapshotDatabase(newPath())
    database.save(factsAt(1), { newPools: [1, 2, 3].map((n) => saved(n)), changedPools: [], goneIds: [] })
    database.keepOnly(new Set([testAddress(2), testAddress(7)]))
    expect([...database.pools()].map(({ pool }) => pool.id)).toEqual([testAddress(2)])
    database.close()
  })

  test('undoes a transaction that fails, and can save afterwards', () => {
    const database = new SnapshotDatabase(newPath())
    database.save(factsAt(1), { newPools: [saved(1)], changedPools: [pool(1)], goneIds: [] })
    const failing = function* (): Generator<Pool> {
      yield pool(1, { lost: 1n })
      throw new Error('no more')
    }
    expect(() => database.save(factsAt(2), { newPools: [saved(2)], changedPools: failing(), goneIds: [] })).toThrow(
      'no more',
    )
    expect(database.load()).toMatchObject({ block: { number: 1 }, savedPools: [saved(1)] })
    database.rollback()
    database.save(factsAt(3), { newPools: [], changedPools: [pool(1, { found: 1n })], goneIds: [] })
    expect(byId(database.load()!.pools.values())).toEqual([pool(1, { found: 1n })])
    database.close()
  })

  test.each(['facts', 'pools'])('is refused, and not repaired, if its table %s was dropped', (table) => {
    const path = newPath()
    const database = new SnapshotDatabase(path)
    database.save(factsAt(1), { newPools: [saved(1)], changedPools: [pool(1)], goneIds: [] })
    database.close()
    const db = new DatabaseSync(path)
    db.exec(`DROP TABLE ${table}`)
    db.close()
    for (let k = 0; k < 2; k++)
      expect(() => new SnapshotDatabase(path)).toThrow(
        expect.objectContaining({ code, message: `${path} is not a snapshot: it lacks the table ${table}` }),
      )
  })

  test('refuses to save over what another process has saved', () => {
    const path = newPath()
    const [ours, theirs] = [new SnapshotDatabase(path), new SnapshotDatabase(path)]
    const none = { newPools: [], changedPools: [], goneIds: [] }
    ours.save(factsAt(1), none)
    expect(() => theirs.save(factsAt(2), none)).toThrow(expect.objectContaining({ code }))
    theirs.facts()
    theirs.save(factsAt(2), none)
    expect(() => ours.save(factsAt(3), none)).toThrow(/another process writes to it/)
    ours.close()
    theirs.close()
  })

  test('of another format, or of something else, is refused', async () => {
    const path = newPath()
    const database = new SnapshotDatabase(path)
    database.save(factsAt(1), { newPools: [], changedPools: [], goneIds: [] })
    database.close()
    const raw = new DatabaseSync(path)
    raw.exec(`UPDATE facts SET value = '${STATE_FORMAT - 1}' WHERE name = 'format'`)
    raw.close()
    await expect(loadSnapshot(path)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(`its format is ${STATE_FORMAT - 1}, this version reads ${STATE_FORMAT}`),
    })
    const text = newPath()
    writeFileSync(text, 'no database '.repeat(1_000))
    expect(() => new SnapshotDatabase(text)).toThrow(expect.objectContaining({ code }))
    await expect(loadSnapshot(newPath())).rejects.toMatchObject({ code })
  })
})

describe('a snapshot', () => {
  const { chainId, block } = factsAt(3)
  const snapshot = { chainId, block, pools: PoolMap.empty.with([pool(1), pool(2)]), changedIds: null }

  test('is loaded as it was saved', async () => {
    const path = newPath()
    const database = new SnapshotDatabase(path)
    database.save(factsAt(3), { newPools: [saved(1), saved(2)], changedPools: [pool(1), pool(2)], goneIds: [] })
    database.close()
    const loaded = await loadSnapshot(path)
    expect({ ...loaded, pools: byId(loaded.pools.values()) }).toEqual({ ...snapshot, pools: [pool(1), pool(2)] })
  })

  test('is copied while it is written to; an empty file is not', async () => {
    const [from, to] = [newPath(), newPath()]
    const database = new SnapshotDatabase(from)
    database.save(factsAt(8), { newPools: [saved(1)], changedPools: [pool(1)], goneIds: [] })
    writeFileSync(`${to}-wal`, 'of the file that is replaced')
    expect(await copySnapshot(from, to)).toEqual(factsAt(8))
    expect(existsSync(`${to}-wal`)).toBe(false)
    database.close()
    expect(byId((await loadSnapshot(to)).pools.values())).toEqual([pool(1)])
    const empty = newPath()
    new SnapshotDatabase(empty).close()
    await expect(copySnapshot(empty, newPath())).rejects.toMatchObject({
      code,
      message: expect.stringContaining('yet'),
    })
    await expect(loadSnapshot(empty)).rejects.toMatchObject({ code, message: expect.stringContaining('yet') })
    expect(readdirSync(dir).filter((name) => name.includes('draft'))).toEqual([])
  })
})

describe('a file in the thread', () => {
  /** More pools than one batch has. */
  const all = Array.from({ length: 230 }, (_, k) => pool(k + 1))
  async function* parts(...items: Parameters<StoreFile['save']>[1] extends AsyncIterable<infer P> ? P[] : never) {
    yield* items
  }
  const contentOf = async (file: StoreFile) => {
    const pools: Pool[] = []
    const lists: Record<string, unknown[]> = {}
    for await (const { pools: some, list } of file.batches()) {
      expect(some.length).toBeLessThanOrEqual(100)
      if (list) lists[list.name] = [...(lists[list.name] ?? []), ...list.items]
      for (const { pool, state } of some) if (state !== null) pools.push({ ...pool, state })
    }
    return { pools: byId(pools), lists }
  }

  test('saves lists and pools in parts, and yields them once', async () => {
    const path = newPath()
    const file = await StoreFile.open(path)
    expect(file.facts).toBeNull()
    const tokens = Array.from({ length: 12_000 }, (_, k) => k)
    await file.save(
      factsAt(4, { rows: 'r' }),
      parts(
        { do: 'list', name: 'tokens', items: tokens.slice(0, 7_000) },
        { do: 'list', name: 'tokens', items: tokens.slice(7_000) },
        { do: 'list', name: 'pairs', items: ['p'] },
        {
          do: 'write',
          newPools: all.map((one) => ({ pool: { ...one, state: null }, dexRow: 0 })),
          changedPools: [],
          goneIds: [],
        },
        { do: 'write', newPools: [], changedPools: all, goneIds: [] },
      ),
    )
    await file.close()
    const again = await StoreFile.open(path)
    expect(again.facts).toEqual(factsAt(4, { rows: 'r' }))
    expect(await contentOf(again)).toEqual({ pools: byId(all), lists: { tokens, pairs: ['p'] } })
    await again.save(
      factsAt(5, null),
      parts(
        { do: 'keep', ids: [testAddress(1)] },
        { do: 'keep', ids: [testAddress(2)] },
        { do: 'list', name: 'pairs', items: ['q'] },
      ),
    )
    await again.close()
    const last = await StoreFile.open(path)
    expect(last.facts).toEqual(factsAt(5, null))
    expect(await contentOf(last)).toEqual({ pools: [pool(1), pool(2)], lists: { pairs: ['q'] } })
    // The next save deletes nothing.
    await last.save(factsAt(6, null), parts({ do: 'write', newPools: [saved(3)], changedPools: [], goneIds: [] }))
    await last.close()
    const database = new SnapshotDatabase(path)
    expect([...database.pools()]).toHaveLength(3)
    database.close()
  })

  test('deletes pools only in the save that names those to keep', async () => {
    const path = newPath()
    const file = await StoreFile.open(path)
    const adding = (n: number) => ({ do: 'write', newPools: [saved(n)], changedPools: [], goneIds: [] }) as const
    await file.save(factsAt(1), parts(adding(1), adding(2), { do: 'keep', ids: [testAddress(1)] }))
    await file.save(factsAt(2), parts(adding(3)))
    const failing = (async function* () {
      yield { do: 'keep', ids: [testAddress(3)] } as const
      throw new Error('no more')
    })()
    await expect(file.save(factsAt(3), failing)).rejects.toThrow('no more')
    await file.save(factsAt(4), parts(adding(4)))
    await file.close()
    const database = new SnapshotDatabase(path)
    expect([...database.pools()].map(({ pool }) => pool.id).sort()).toEqual([1, 3, 4].map(testAddress))
    database.close()
  })

  test('undoes a save whose parts fail, and reports an unusable file', async () => {
    const path = newPath()
    const file = await StoreFile.open(path)
    await file.save(factsAt(1), parts({ do: 'write', newPools: [saved(1)], changedPools: [pool(1)], goneIds: [] }))
    const failing = (async function* () {
      yield { do: 'list', name: 'tokens', items: ['lost'] } as const
      yield { do: 'write', newPools: [saved(2)], changedPools: [pool(2)], goneIds: [testAddress(1)] } as const
      throw new Error('no more')
    })()
    await expect(file.save(factsAt(2), failing)).rejects.toThrow('no more')
    await file.save(factsAt(3), parts({ do: 'list', name: 'tokens', items: ['kept'] }))
    await file.close()
    const reopened = await StoreFile.open(path)
    const lists: unknown[] = []
    for await (const { list } of reopened.batches()) if (list) lists.push(list)
    await reopened.close()
    expect(lists).toEqual([{ name: 'tokens', items: ['kept'] }])
    const loaded = await loadSnapshot(path)
    expect([loaded.block.number, byId(loaded.pools.values())]).toEqual([3, [pool(1)]])
    const text = newPath()
    writeFileSync(text, 'no database '.repeat(1_000))
    await expect(StoreFile.open(text)).rejects.toMatchObject({ code })
  })
})

test.each([
  [0, []],
  [1, [1]],
  [3, [3]],
  [4, [3, 1]],
  [6, [3, 3]],
])('%d items make batches of at most three', async (count, sizes) => {
  const batches: (readonly number[])[] = []
  for await (const batch of inBatches(
    Array.from({ length: count }, (_, k) => k),
    3,
  ))
    batches.push(batch)
  expect(batches.map(({ length }) => length)).toEqual(sizes)
  expect(batches.flat()).toEqual(Array.from({ length: count }, (_, k) => k))
})

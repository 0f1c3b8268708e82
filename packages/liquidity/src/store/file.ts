/** Snapshots as files to hand on: for replaying quotes, or to start another service from. */
import { renameSync, rmSync } from 'node:fs'
import { MarketError } from '../errors.ts'
import type { Snapshot } from '../snapshot.ts'
import { type SavedFacts, SnapshotDatabase } from './database.ts'

/**
 * Writes a snapshot to one file, whole or not at all; a file that is there is replaced.
 *
 * @throws MarketError `BAD_SNAPSHOT` when the file cannot be written
 */
export async function saveSnapshot(path: string, { chainId, block, pools }: Snapshot): Promise<void> {
  const draft = `${path}.${process.pid}.draft`
  try {
    const database = new SnapshotDatabase(draft)
    try {
      const known = [...pools.values()].map((pool) => ({ pool: { ...pool, state: null }, dexRow: null }))
      database.save({ chainId, block, extra: null }, { known, changed: pools.values(), gone: [] })
    } finally {
      // Closing folds the log of changes into the file.
      database.close()
    }
    renameSync(draft, path)
  } finally {
    for (const rest of ['', '-wal', '-shm']) rmSync(draft + rest, { force: true })
  }
}

/**
 * The snapshot in a file, also in one that a running service keeps.
 *
 * @throws MarketError `BAD_SNAPSHOT` when the file is missing, empty or something else
 */
export async function loadSnapshot(path: string): Promise<Snapshot> {
  const database = new SnapshotDatabase(path, { readOnly: true })
  try {
    const saved = database.load()
    if (!saved) throw new MarketError('BAD_SNAPSHOT', `${path} holds no snapshot yet`)
    const { chainId, block, pools } = saved
    return { chainId, block, pools, changed: null }
  } finally {
    database.close()
  }
}

/**
 * Copies what a market saved, with all that another one needs to go on from it; also while it is being written.
 *
 * @returns what was copied
 * @throws MarketError `BAD_SNAPSHOT`
 */
export async function copySnapshot(from: string, to: string): Promise<SavedFacts> {
  const draft = `${to}.${process.pid}.draft`
  const database = new SnapshotDatabase(from, { readOnly: true })
  try {
    await database.copy(draft)
    const copied = new SnapshotDatabase(draft, { readOnly: true })
    let facts: SavedFacts | null
    try {
      facts = copied.facts()
    } finally {
      copied.close()
    }
    if (!facts) throw new MarketError('BAD_SNAPSHOT', `${from} holds no snapshot yet`)
    // What a log of changes says belongs to the file that is replaced.
    for (const rest of ['-wal', '-shm']) rmSync(to + rest, { force: true })
    renameSync(draft, to)
    return facts
  } finally {
    database.close()
    for (const rest of ['', '-wal', '-shm']) rmSync(draft + rest, { force: true })
  }
}

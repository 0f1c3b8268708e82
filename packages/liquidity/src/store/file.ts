/** Loads and copies snapshots as files, for replaying quotes or for starting another service. */
import { renameSync, rmSync } from 'node:fs'
import { MarketError } from '../errors.ts'
import type { Snapshot } from '../snapshot.ts'
import { type SavedFacts, SnapshotDatabase } from './database.ts'

/**
 * Loads a snapshot from a file, including one that a running service writes to.
 *
 * @throws MarketError `BAD_SNAPSHOT` if the file is missing, empty, or has another format
 */
export async function loadSnapshot(path: string): Promise<Snapshot> {
  const database = new SnapshotDatabase(path, { readOnly: true })
  try {
    const savedSnapshot = database.load()
    if (!savedSnapshot) throw new MarketError('BAD_SNAPSHOT', `${path} holds no snapshot yet`)
    const { chainId, block, pools } = savedSnapshot
    return { chainId, block, pools, changedIds: null }
  } finally {
    database.close()
  }
}

/**
 * Copies a market's file, with everything that another market needs to continue from it, even while it is being
 * written.
 *
 * @returns the facts of the copied save
 * @throws MarketError `BAD_SNAPSHOT`
 */
export async function copySnapshot(from: string, to: string): Promise<SavedFacts> {
  const draft = `${to}.${process.pid}.draft`
  const database = new SnapshotDatabase(from, { readOnly: true })
  try {
    await database.copy(draft)
    const draftCopy = new SnapshotDatabase(draft, { readOnly: true })
    let facts: SavedFacts | null
    try {
      facts = draftCopy.facts()
    } finally {
      draftCopy.close()
    }
    if (!facts) throw new MarketError('BAD_SNAPSHOT', `${from} holds no snapshot yet`)
    // Delete the write-ahead log of the file that is replaced.
    for (const suffix of ['-wal', '-shm']) rmSync(to + suffix, { force: true })
    renameSync(draft, to)
    return facts
  } finally {
    database.close()
    for (const suffix of ['', '-wal', '-shm']) rmSync(draft + suffix, { force: true })
  }
}

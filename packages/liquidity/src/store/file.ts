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
 * Copies a market's file, even while the market writes it. Another market can continue from the copy.
 *
 * @returns the facts of the copied save
 * @throws MarketError `BAD_SNAPSHOT`
 */
export async function copySnapshot(fromPath: string, toPath: string): Promise<SavedFacts> {
  const draftPath = `${toPath}.${process.pid}.draft`
  const database = new SnapshotDatabase(fromPath, { readOnly: true })
  try {
    await database.copy(draftPath)
    const draftDatabase = new SnapshotDatabase(draftPath, { readOnly: true })
    let facts: SavedFacts | null
    try {
      facts = draftDatabase.facts()
    } finally {
      draftDatabase.close()
    }
    if (!facts) throw new MarketError('BAD_SNAPSHOT', `${fromPath} holds no snapshot yet`)
    // Delete the write-ahead log of the file that is replaced.
    for (const suffix of ['-wal', '-shm']) rmSync(toPath + suffix, { force: true })
    renameSync(draftPath, toPath)
    return facts
  } finally {
    database.close()
    for (const suffix of ['', '-wal', '-shm']) rmSync(draftPath + suffix, { force: true })
  }
}

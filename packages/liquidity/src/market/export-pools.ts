/** Exports a pool list from the database file in which a service saves a chain's pools. */
import type { Chain, DexRow } from '@sluice/chains'
import { families as allFamilies } from '../dexes/index.ts'
import { MarketError } from '../errors.ts'
import type { ListedPool } from '../family.ts'
import type { ListedDeployment, PoolList } from '../pool-list/pool-list.ts'
import { SnapshotDatabase } from '../store/database.ts'
import type { FileExtra } from '../store/worker.ts'
import { PoolDirectory } from './pool-directory.ts'
import { rowsHash, type SavedExtra } from './saver.ts'

/**
 * Number of the last scanned blocks that the list reports as not scanned. The importer scans them again, because a reorg
 * may have replaced them.
 */
const REORG_BLOCKS = 64

/**
 * Lists the pools in a service's database of a chain.
 *
 * @throws MarketError `BAD_SNAPSHOT` if the file is not a database of the service, or was saved with different rows of
 * the chain's file
 */
export function exportPools(path: string, chain: Chain): PoolList {
  const directory = new PoolDirectory(chain, allFamilies)
  const { rows } = directory
  const database = new SnapshotDatabase(path, { readOnly: true })
  try {
    const facts = database.facts()
    const extra = (facts?.extra as FileExtra | null | undefined)?.rest as SavedExtra | null | undefined
    if (!facts || facts.chainId !== chain.chainId || extra?.rows !== rowsHash(rows))
      throw new MarketError('BAD_SNAPSHOT', `${path} was saved with a different version of the chain's file`)
    const poolsByRow = new Map(rows.map((row) => [row, [] as ListedPool[]]))
    for (const { pool, dexRow } of database.pools()) {
      const entry = directory.exactEntryOf({ row: rows[dexRow!]!, pool })
      const { id, address, tokens, fixed } = entry.pool
      poolsByRow.get(entry.row)!.push({ id, address, tokens, ...(fixed !== undefined && { fixed }) })
    }
    const nextBlockByRow = new Map(extra.scannedTo)
    const deployments = rows.flatMap((row, i) => deploymentOf(row, poolsByRow.get(row)!, nextBlockByRow.get(i)))
    return { chainId: chain.chainId, block: facts.block.number, deployments }
  } finally {
    database.close()
  }
}

/** Returns the list of one deployment; empty if it has no pools. @param nextBlock - first block that was not scanned */
function deploymentOf({ family, address, startBlock }: DexRow, pools: ListedPool[], nextBlock = 0): ListedDeployment[] {
  const scannedTo = nextBlock - 1 - REORG_BLOCKS
  const isScanned = startBlock !== undefined && scannedTo >= startBlock
  if (pools.length === 0 && !isScanned) return []
  pools.sort((a, b) => (a.id < b.id ? -1 : 1))
  return [{ family, address, ...(isScanned && { scannedTo }), pools }]
}

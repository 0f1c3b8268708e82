/** Tests which blocks an exported pool list states as scanned. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Address, loadRegistry, toAddress } from '@sluice/chains'
import type { BlockHeader } from '@sluice/rpc'
import { afterAll, expect, test } from 'vitest'
import { families } from '../dexes/index.ts'
import { SnapshotDatabase } from '../store/database.ts'
import { exportPools } from './export-pools.ts'
import { PoolDirectory } from './pool-directory.ts'
import { rowsHash } from './saver.ts'

const dir = mkdtempSync(join(tmpdir(), 'sluice-export-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const chain = loadRegistry().chain(1)!
const { rows } = new PoolDirectory(chain, families)
const addressOf = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const block: BlockHeader = {
  ...{ number: 90_000_000, hash: '0x01', parentHash: '0x02', timestamp: 1 },
  ...{ gasLimit: 1n, baseFeePerGas: null, miner: addressOf(9) },
}

function exported(name: string, scannedTo: readonly (readonly [number, number])[], hash = rowsHash(rows)) {
  const path = join(dir, name)
  const database = new SnapshotDatabase(path)
  const extra = { rest: { rows: hash, scannedTo }, lists: {} }
  const [row] = rows
  const pool = { id: 'x', family: row!.family, dex: row!.brand, address: addressOf(1), state: null }
  const newPools = [{ pool: { ...pool, tokens: [addressOf(2), addressOf(3)] }, dexRow: 0 }]
  database.save({ chainId: chain.chainId, block, extra }, { newPools, changedPools: [], goneIds: [] })
  database.close()
  return exportPools(path, chain)
}

test('a list ends 64 blocks below the last scanned one, so that a reorg near the head leaves no gap', () => {
  const scannedRow = rows.findIndex(({ startBlock }, k) => k > 0 && startBlock !== undefined)
  const { family, address, startBlock } = rows[scannedRow]!
  const nextBlock = startBlock! + 1_000
  const { deployments, block: listedBlock } = exported('scanned', [[scannedRow, nextBlock]])
  expect(listedBlock).toBe(block.number)
  expect(deployments).toContainEqual({ family, address, scannedTo: nextBlock - 65, pools: [] })
  expect(deployments.flatMap(({ pools }) => pools)).toMatchObject([{ id: 'x', tokens: [addressOf(2), addressOf(3)] }])
  // A scan that has just begun has no blocks that are certain.
  const begun = exported('begun', [[scannedRow, startBlock! + 64]])
  expect(begun.deployments.filter((deployment) => deployment.address === address)).toEqual([])
})

test('a file of other rows is refused', () => {
  expect(() => exported('other', [], 'another hash')).toThrow(expect.objectContaining({ code: 'BAD_SNAPSHOT' }))
})

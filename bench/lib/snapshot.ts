/** Snapshots of synthetic pools. */
import { toAddress } from '@sluice/chains'
import type { Pool, Snapshot } from '@sluice/liquidity'

/** Returns a snapshot of pools at the first block of a chain. */
export function snapshotOf(pools: readonly Pool[], chainId = 1): Snapshot {
  const block = {
    number: 1,
    hash: '0x01',
    parentHash: '0x00',
    timestamp: 0,
    gasLimit: 30_000_000n,
    baseFeePerGas: 0n,
    miner: toAddress(`0x${'00'.repeat(20)}`),
  } as const
  return { chainId, block, pools: new Map(pools.map((pool) => [pool.id, pool])), changedIds: null }
}

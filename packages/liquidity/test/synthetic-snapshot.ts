/** Snapshots of made-up pools, for what does not look into them. */
import { type Hex, toAddress } from '@sluice/chains'
import { toBeHex } from 'ethers'
import type { Pool, Snapshot } from '../src/index.ts'
import { PoolMap } from '../src/pool-map.ts'

const addressOf = (n: number) => toAddress(toBeHex((BigInt(n) * 0x9e3779b97f4a7c15n) % (1n << 160n), 20))

/** A block in which every pool holds its number as both reserves. */
export function syntheticSnapshot(number: number, count: number): Snapshot & { readonly pools: PoolMap } {
  const hash = (n: number) => toBeHex(n, 32) as Hex
  const pools: Pool[] = Array.from({ length: count }, (_, n) => ({
    id: addressOf(n + 1),
    family: 'uniswap-v2',
    dex: 'Made up',
    address: addressOf(n + 1),
    tokens: [addressOf(10_000_000 + n), addressOf(20_000_000 + n)],
    state: { reserve0: BigInt(number), reserve1: BigInt(number), feePpm: 3000 },
  }))
  const block = {
    number,
    hash: hash(number),
    parentHash: hash(number - 1),
    timestamp: 1_700_000_000 + number,
    gasLimit: 30_000_000n,
    baseFeePerGas: null,
    miner: addressOf(7),
  }
  return { chainId: 31337, block, pools: PoolMap.empty.with(pools), changedIds: null }
}

/** Imports a pool list: verifies its pools on chain in batches, before the market uses them. */
import { type Address, type DexRow, ZERO_ADDRESS } from '@sluice/chains'
import type { RequestOptions } from '@sluice/rpc'
import { chunks } from '../dexes/common/chunks.ts'
import { pairKey } from '../dexes/common/direction.ts'
import type { DexFamily, ListedPool, Pool, Reads } from '../family.ts'
import { deploymentKey, type PoolList } from '../pool-list/pool-list.ts'
import type { MarketFollower, MarketParts } from './follow.ts'
import type { PoolDirectory } from './pool-directory.ts'
import type { PoolEntry } from './pool-reader.ts'
import { runReads } from './reads.ts'

/** Pools verified per batch, in one or two calls. */
const POOL_BATCH = 400

/** Result of verifying a pool list. */
export type PoolListImportCount = {
  /** Pools that exist on chain. */
  readonly proven: number
  /** Pools that do not exist, or whose deployment is not in the chain's file. */
  readonly refused: number
}

type ListedBatch = { readonly row: DexRow; readonly listedPools: readonly ListedPool[] }
type DeploymentCount = { proven: number; refused: number; readonly scannedTo: number | undefined }

/** Verification of one pool list. */
export class PoolListImport {
  private readonly parts: MarketParts
  private readonly follower: MarketFollower
  private readonly pendingBatches: ListedBatch[] = []
  private readonly counts = new Map<DexRow, DeploymentCount>()
  private provenCount = 0
  private refusedCount = 0

  /** @param isKnown - true for deployments whose pools memory already has; these are skipped */
  constructor(
    list: PoolList,
    { parts, follower }: { readonly parts: MarketParts; readonly follower: MarketFollower },
    isKnown: (row: DexRow, scannedTo: number | undefined) => boolean,
  ) {
    this.parts = parts
    this.follower = follower
    const { directory } = parts
    const rows = new Map(directory.rows.map((row) => [deploymentKey(row), row]))
    for (const deployment of list.deployments) {
      const { pools, scannedTo } = deployment
      const row = rows.get(deploymentKey(deployment))
      if (!row) this.refusedCount += pools.length
      else if (!isKnown(row, scannedTo)) this.enqueue(row, pools, scannedTo)
    }
    // Verify first the pools that only past logs would reveal; factories are asked for the others anyway.
    const rank = ({ row, listedPools }: ListedBatch) =>
      (directory.familyOf(row).listedByLogs ? 0 : 2) + (hasKnownTokens(directory, listedPools) ? 0 : 1)
    this.pendingBatches.sort((a, b) => rank(b) - rank(a))
  }

  private enqueue(row: DexRow, pools: readonly ListedPool[], scannedTo: number | undefined): void {
    const { directory } = this.parts
    const parts = chunks(knownTokensFirst(directory, pools), POOL_BATCH).map(
      (listedPools): ListedBatch => ({ row, listedPools }),
    )
    this.pendingBatches.push(...parts)
    this.counts.set(row, { proven: 0, refused: 0, scannedTo })
  }

  get isDone(): boolean {
    return this.pendingBatches.length === 0
  }

  get count(): PoolListImportCount {
    return { proven: this.provenCount, refused: this.refusedCount }
  }

  /**
   * The block up to which each deployment needs no scan, once all pools are verified. A deployment with a refused pool
   * is scanned from the start, since its list may be incomplete. A deployment without pools is skipped only if no pool
   * of the whole list was refused.
   */
  get scannedRows(): readonly (readonly [DexRow, number])[] {
    const isGenuine = this.provenCount > 0 && this.refusedCount === 0
    return [...this.counts].flatMap(([row, { proven, refused, scannedTo }]) =>
      scannedTo !== undefined && refused === 0 && (proven > 0 || isGenuine) ? [[row, scannedTo] as const] : [],
    )
  }

  /**
   * Verifies the next batch.
   *
   * @returns the pools that exist
   * @throws RpcError if the node fails; the same batch is tried again
   */
  async prove(options: RequestOptions): Promise<readonly PoolEntry[]> {
    const { row, listedPools } = this.pendingBatches.at(-1)!
    const { rpc, directory } = this.parts
    const family = directory.familyOf(row)
    const reads = () => family.provePools?.(row, listedPools) ?? proveByPair(family, row, listedPools)
    const [pools] = await this.follower.retrying(({ hash }) => runReads(rpc, { blockHash: hash }, [reads()], options))
    this.pendingBatches.pop()
    const foundPools = pools!.flatMap((pool) => (pool ? [{ row, pool }] : []))
    const count = this.counts.get(row)!
    count.proven += foundPools.length
    count.refused += listedPools.length - foundPools.length
    this.provenCount += foundPools.length
    this.refusedCount += listedPools.length - foundPools.length
    return foundPools
  }
}

const hasKnownTokens = ({ tokens }: PoolDirectory, [first]: readonly ListedPool[]) =>
  first?.tokens.every((token) => tokens.has(token)) === true

/** Orders pools with followed tokens first, because quotes wait for them. */
function knownTokensFirst(directory: PoolDirectory, pools: readonly ListedPool[]): readonly ListedPool[] {
  const [withKnownTokens, others] = [true, false].map((expected) =>
    pools.filter((pool) => hasKnownTokens(directory, [pool]) === expected),
  )
  return [...withKnownTokens!, ...others!]
}

/** Verifies pools by asking the deployment for each pool's pair, as discovery does. */
function* proveByPair(
  { findPools }: DexFamily,
  row: DexRow,
  listedPools: readonly ListedPool[],
): Reads<readonly (Pool<null> | null)[]> {
  const wrappedNative = row.contracts?.wrappedNative
  // Ask for pools of the native token by the wrapper's address.
  const wrappedIfNative = (token: Address) => (token === ZERO_ADDRESS && wrappedNative ? wrappedNative : token)
  const pairs = new Map<string, readonly [Address, Address]>()
  for (const { tokens } of listedPools) {
    const pair = [wrappedIfNative(tokens[0]!), wrappedIfNative(tokens[1]!)] as const
    if (pair[0] !== pair[1]) pairs.set(pairKey(pair), pair)
  }
  const foundPools = new Map((yield* findPools(row, [...pairs.values()])).map((pool) => [pool.id, pool]))
  return listedPools.map(({ id }) => foundPools.get(id) ?? null)
}

/**
 * Imports a pool list: verifies its pools on chain in batches, before the market uses them. A row is the entry of one
 * DEX deployment in the chain's file.
 */
import { type Address, type DexRow, ZERO_ADDRESS } from '@sluice/chains'
import type { RequestOptions } from '@sluice/rpc'
import { chunks } from '../dexes/common/chunks.ts'
import { pairKey } from '../dexes/common/direction.ts'
import type { DexFamily, ListedPool, Pool, PoolReads } from '../family.ts'
import { deploymentKey, type PoolList } from '../pool-list/pool-list.ts'
import type { MarketComponents, MarketFollower } from './follow.ts'
import type { PoolDirectory } from './pool-directory.ts'
import type { PoolEntry } from './pool-reader.ts'
import { isolatedReads, runReads } from './reads.ts'

/** Pools verified per batch, in one or two calls. */
const POOLS_PER_BATCH = 400

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
  private readonly components: MarketComponents
  private readonly follower: MarketFollower
  private readonly pendingBatches: ListedBatch[] = []
  private readonly countByRow = new Map<DexRow, DeploymentCount>()
  private provenCount = 0
  private refusedCount = 0

  /** @param isAlreadyLoaded - true for a deployment whose pools are all in memory; the import skips it */
  constructor(
    list: PoolList,
    { components, follower }: { readonly components: MarketComponents; readonly follower: MarketFollower },
    isAlreadyLoaded: (row: DexRow, scannedTo: number | undefined) => boolean,
  ) {
    this.components = components
    this.follower = follower
    const { directory } = components
    const rowByDeployment = new Map(directory.rows.map((row) => [deploymentKey(row), row]))
    for (const deployment of list.deployments) {
      const { pools, scannedTo } = deployment
      const row = rowByDeployment.get(deploymentKey(deployment))
      if (!row) this.refusedCount += pools.length
      else if (!isAlreadyLoaded(row, scannedTo)) this.enqueue(row, pools, scannedTo)
    }
    // `prove` takes batches from the end of the list. Pools that no getter lists must be verified first, because
    // discovery finds all other pools through their factories too.
    const rankOf = ({ row, listedPools }: ListedBatch) =>
      (directory.familyOf(row).listedByLogs ? 0 : 2) + (hasFollowedTokens(directory, listedPools) ? 0 : 1)
    this.pendingBatches.sort((a, b) => rankOf(b) - rankOf(a))
  }

  private enqueue(row: DexRow, pools: readonly ListedPool[], scannedTo: number | undefined): void {
    const { directory } = this.components
    const batches = chunks(sortFollowedTokensFirst(directory, pools), POOLS_PER_BATCH).map(
      (listedPools): ListedBatch => ({ row, listedPools }),
    )
    this.pendingBatches.push(...batches)
    this.countByRow.set(row, { proven: 0, refused: 0, scannedTo })
  }

  get isDone(): boolean {
    return this.pendingBatches.length === 0
  }

  get importCount(): PoolListImportCount {
    return { proven: this.provenCount, refused: this.refusedCount }
  }

  /**
   * Deployments that need no scan of past logs, each with the last block that the list covers. Valid once all pools are
   * verified. Leaves out a deployment with a refused pool, since its list may be incomplete. Includes a deployment
   * without pools only if the list has proven pools and no refused pool.
   */
  get scannedRows(): readonly (readonly [DexRow, number])[] {
    const isListTrusted = this.provenCount > 0 && this.refusedCount === 0
    return [...this.countByRow].flatMap(([row, { proven, refused, scannedTo }]) =>
      scannedTo !== undefined && refused === 0 && (proven > 0 || isListTrusted) ? [[row, scannedTo] as const] : [],
    )
  }

  /**
   * Verifies the next batch. Refuses a pool whose content the family cannot read.
   *
   * @returns the pools that exist
   * @throws RpcError if the node fails; the next call tries the same batch again
   */
  async prove(options: RequestOptions): Promise<readonly PoolEntry[]> {
    const { row, listedPools } = this.pendingBatches.at(-1)!
    const { rpc, directory } = this.components
    const family = directory.familyOf(row)
    const provePools = (pools: readonly ListedPool[]) =>
      family.provePools?.(row, pools) ?? proveByPairs(family, row, pools)
    const [results] = await this.follower.retryOnReorg(({ hash }) =>
      runReads(rpc, { blockHash: hash }, [isolatedReads(listedPools, provePools)], options),
    )
    this.pendingBatches.pop()
    const foundEntries = results!.flat().flatMap((pool) => (pool ? [{ row, pool }] : []))
    const count = this.countByRow.get(row)!
    count.proven += foundEntries.length
    count.refused += listedPools.length - foundEntries.length
    this.provenCount += foundEntries.length
    this.refusedCount += listedPools.length - foundEntries.length
    return foundEntries
  }
}

/** True if all tokens of the first pool are followed. */
const hasFollowedTokens = ({ tokens }: PoolDirectory, [firstPool]: readonly ListedPool[]) =>
  firstPool?.tokens.every((token) => tokens.has(token)) === true

/** Orders pools with followed tokens first, because quotes wait for them. */
function sortFollowedTokensFirst(directory: PoolDirectory, pools: readonly ListedPool[]): readonly ListedPool[] {
  const [poolsOfFollowedTokens, otherPools] = [true, false].map((expected) =>
    pools.filter((pool) => hasFollowedTokens(directory, [pool]) === expected),
  )
  return [...poolsOfFollowedTokens!, ...otherPools!]
}

/**
 * Verifies pools by searching their token pairs in the deployment, as discovery does. Returns null for a pool that was
 * not found, and for all pools of a family that is not searched by pairs.
 */
function* proveByPairs(
  { findPools }: DexFamily,
  row: DexRow,
  listedPools: readonly ListedPool[],
): PoolReads<Pool<null>> {
  if (!findPools) return listedPools.map(() => null)
  const wrappedNative = row.contracts?.wrappedNative
  // Pools of the native token are searched by the wrapper's address.
  const wrappedIfNative = (token: Address) => (token === ZERO_ADDRESS && wrappedNative ? wrappedNative : token)
  const pairByKey = new Map<string, readonly [Address, Address]>()
  for (const { tokens } of listedPools) {
    const pair = [wrappedIfNative(tokens[0]!), wrappedIfNative(tokens[1]!)] as const
    if (pair[0] !== pair[1]) pairByKey.set(pairKey(pair), pair)
  }
  const poolById = new Map((yield* findPools(row, [...pairByKey.values()])).map((pool) => [pool.id, pool]))
  return listedPools.map(({ id }) => poolById.get(id) ?? null)
}

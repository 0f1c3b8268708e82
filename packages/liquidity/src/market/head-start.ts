/** Takes up a list of pools that somebody else made: each is proven by the chain, a few hundred at a time, before it is listed as found. */
import { type Address, type DexRow, ZERO_ADDRESS } from '@sluice/chains'
import type { RequestOptions } from '@sluice/rpc'
import { chunks } from '../dexes/common/chunks.ts'
import { pairKey } from '../dexes/common/direction.ts'
import type { DexFamily, ListedPool, Pool, Reads } from '../family.ts'
import { deploymentKey, type PoolList } from '../pool-list/pool-list.ts'
import type { Follower, MarketParts } from './follow.ts'
import type { PoolDirectory } from './pool-directory.ts'
import type { FoundPool } from './pool-reader.ts'
import { runReads } from './reads.ts'

/** Pools proven together: a call or two. */
const POOLS_AT_ONCE = 400

export type HeadStartCount = {
  /** Pools of the list that the chain has. */
  readonly proven: number
  /** Pools that it does not have, or that no deployment of the chain's file has. */
  readonly refused: number
}

type Part = { readonly row: DexRow; readonly listed: readonly ListedPool[] }
type DeploymentCount = { proven: number; refused: number; readonly scannedTo: number | undefined }

export class HeadStart {
  private readonly parts: MarketParts
  private readonly follower: Follower
  private readonly waiting: Part[] = []
  private readonly counts = new Map<DexRow, DeploymentCount>()
  private proven = 0
  private refused = 0

  /** @param isKnown - true for deployments whose pools are known already, which are passed over */
  constructor(
    list: PoolList,
    { parts, follower }: { readonly parts: MarketParts; readonly follower: Follower },
    isKnown: (row: DexRow, scannedTo: number | undefined) => boolean,
  ) {
    this.parts = parts
    this.follower = follower
    const { directory } = parts
    const rows = new Map(directory.rows.map((row) => [deploymentKey(row), row]))
    for (const deployment of list.deployments) {
      const { pools, scannedTo } = deployment
      const row = rows.get(deploymentKey(deployment))
      if (!row) this.refused += pools.length
      else if (!isKnown(row, scannedTo)) this.enqueue(row, pools, scannedTo)
    }
    // Those that past logs alone would tell of first: factories are asked for the others anyway.
    const rank = ({ row, listed }: Part) =>
      (directory.familyOf(row).listedByLogs ? 0 : 2) + (hasKnownTokens(directory, listed) ? 0 : 1)
    this.waiting.sort((a, b) => rank(b) - rank(a))
  }

  private enqueue(row: DexRow, pools: readonly ListedPool[], scannedTo: number | undefined): void {
    const { directory } = this.parts
    const parts = chunks(knownTokensFirst(directory, pools), POOLS_AT_ONCE).map((listed): Part => ({ row, listed }))
    this.waiting.push(...parts)
    this.counts.set(row, { proven: 0, refused: 0, scannedTo })
  }

  get isDone(): boolean {
    return this.waiting.length === 0
  }

  get count(): HeadStartCount {
    return { proven: this.proven, refused: this.refused }
  }

  /**
   * The blocks up to which deployments need not be searched, once all pools are proven: a deployment with a pool that is not there is
   * not believed to be listed whole, and one without pools is believed where the chain has every pool of the list.
   */
  get scanned(): readonly (readonly [DexRow, number])[] {
    const isGenuine = this.proven > 0 && this.refused === 0
    return [...this.counts].flatMap(([row, { proven, refused, scannedTo }]) =>
      scannedTo !== undefined && refused === 0 && (proven > 0 || isGenuine) ? [[row, scannedTo] as const] : [],
    )
  }

  /**
   * Proves some of the pools.
   *
   * @returns those that are there
   * @throws RpcError when the node fails; the same pools come again
   */
  async prove(options: RequestOptions): Promise<readonly FoundPool[]> {
    const { row, listed } = this.waiting.at(-1)!
    const { rpc, directory } = this.parts
    const family = directory.familyOf(row)
    const reads = () => family.provePools?.(row, listed) ?? proveByPair(family, row, listed)
    const [pools] = await this.follower.retrying(({ hash }) => runReads(rpc, { blockHash: hash }, [reads()], options))
    this.waiting.pop()
    const found = pools!.flatMap((pool) => (pool ? [{ row, pool }] : []))
    const count = this.counts.get(row)!
    count.proven += found.length
    count.refused += listed.length - found.length
    this.proven += found.length
    this.refused += listed.length - found.length
    return found
  }
}

const hasKnownTokens = ({ tokens }: PoolDirectory, [first]: readonly ListedPool[]) =>
  first?.tokens.every((token) => tokens.has(token)) === true

/** Orders pools with known tokens first: quotes wait for those. */
function knownTokensFirst(directory: PoolDirectory, pools: readonly ListedPool[]): readonly ListedPool[] {
  const [known, others] = [true, false].map((is) => pools.filter((pool) => hasKnownTokens(directory, [pool]) === is))
  return [...known!, ...others!]
}

/** Asks the deployment for each listed pool's pair, as discovery does: a pool counts where the deployment itself names it. */
function* proveByPair(
  { findPools }: DexFamily,
  row: DexRow,
  listed: readonly ListedPool[],
): Reads<readonly (Pool<null> | null)[]> {
  const wrapped = row.contracts?.wrappedNative
  // Pools of the native token are asked for by its wrapper.
  const wrappedIfNative = (token: Address) => (token === ZERO_ADDRESS && wrapped ? wrapped : token)
  const pairs = new Map<string, readonly [Address, Address]>()
  for (const { tokens } of listed) {
    const pair = [wrappedIfNative(tokens[0]!), wrappedIfNative(tokens[1]!)] as const
    if (pair[0] !== pair[1]) pairs.set(pairKey(pair), pair)
  }
  const found = new Map((yield* findPools(row, [...pairs.values()])).map((pool) => [pool.id, pool]))
  return listed.map(({ id }) => found.get(id) ?? null)
}

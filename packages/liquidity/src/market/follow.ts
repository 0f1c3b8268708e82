/**
 * Brings the ledger to the node's head: applies blocks from their logs, undoes reorged blocks, or reads all pools
 * again.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Hex } from '@sluice/chains'
import { type BlockHeader, inSlices, type Log, type Priority, type Rpc, RpcError, type Steps } from '@sluice/rpc'
import { MarketError } from '../errors.ts'
import type { Pool, SampledSwap } from '../family.ts'
import { PoolMap, poolChanges } from '../pool-map.ts'
import type { Snapshot } from '../snapshot.ts'
import { applyLogs } from './apply.ts'
import { logsOf } from './block-logs.ts'
import { findBranch } from './branch.ts'
import { DoubtfulBlocks } from './doubtful-blocks.ts'
import { History, type HistoryEntry } from './history.ts'
import type { Ledger } from './ledger.ts'
import type { PoolDirectory } from './pool-directory.ts'
import { readPools, refreshPools } from './pool-reader.ts'
import { runReads } from './reads.ts'
import { BACKGROUND_TIMEOUT_MS, sleep } from './timing.ts'

/** Components that the classes of a market share. */
export type MarketParts = {
  readonly rpc: Rpc
  readonly directory: PoolDirectory
  readonly ledger: Ledger
  /** Aborted when the market stops. */
  readonly signal: AbortSignal
}

/** Maximum consecutive heads that may be reorged away before they are read. */
const MAX_ATTEMPTS = 8
/** Pause for a node that is processing a reorg and still announces a head that it no longer has. */
const PAUSE_MS = 10
/** True if the error can be caused by a reorg that removed the block. */
function isOfTheBlock(error: unknown): boolean {
  return error instanceof RpcError ? error.mayDependOnBlock : error instanceof MarketError && error.code === 'REORGED'
}

/** True if the error states that the block is gone. */
function isGone(error: unknown): boolean {
  return (error instanceof RpcError && error.code === 'BLOCK_GONE') || error instanceof MarketError
}

const NONE: ReadonlySet<string> = new Set()

type Differences = { readonly differingPools: readonly Pool[]; readonly goneIds: readonly string[] }

/** Compares memory with a fresh read of the pools with these ids. */
function* compare(pools: PoolMap, ids: Iterable<string>, read: readonly Pool[]): Steps<Differences> {
  const readable = new Set(read.map(({ id }) => id))
  const differingPools: Pool[] = []
  for (const pool of read) {
    if (!isDeepStrictEqual(pool.state, pools.get(pool.id)?.state)) differingPools.push(pool)
    yield
  }
  // A pool that can no longer be read, such as a paused one, must not be quoted from old state.
  return { differingPools, goneIds: [...ids].filter((id) => !readable.has(id) && pools.has(id)) }
}

export class MarketFollower {
  private readonly parts: MarketParts
  private readonly forgetPairs: () => void
  private readonly doubtful = new DoubtfulBlocks()

  /** @param forgetPairs - called when pools may have been created without being seen */
  constructor(parts: MarketParts, forgetPairs: () => void) {
    this.parts = parts
    this.forgetPairs = forgetPairs
  }

  /**
   * Follows the node to its head. On failure memory is unchanged; a head that was reorged away is replaced by its
   * successor. The caller holds the ledger's mutex.
   *
   * @throws RpcError, MarketError
   */
  async follow(): Promise<Snapshot> {
    let previousHash: Hex | undefined
    for (let attempt = 1; ; attempt++) {
      const head = await this.head()
      try {
        await this.followTo(head, head.hash === previousHash)
        await this.recheck()
        return this.parts.ledger.snapshot()
      } catch (error) {
        if (!isOfTheBlock(error) || attempt >= MAX_ATTEMPTS) throw error
        // A head that was seen twice exists, so the node is at fault, unless it is processing a reorg.
        if (head.hash === previousHash) {
          if (!isGone(error)) throw error
          await sleep(PAUSE_MS)
        }
        previousHash = head.hash
      }
    }
  }

  /**
   * Runs `work` at the newest block; if that block is reorged away, follows the head and tries again. The caller must
   * not hold the ledger's mutex.
   *
   * @throws RpcError, MarketError
   */
  async retrying<T>(work: (block: BlockHeader) => Promise<T>): Promise<T> {
    const { ledger } = this.parts
    for (let attempt = 1; ; attempt++) {
      const { block } = ledger.snapshot()
      try {
        return await work(block)
      } catch (error) {
        if (!isOfTheBlock(error) || attempt >= MAX_ATTEMPTS) throw error
        await ledger.mutex.run(() => this.follow())
        if (ledger.snapshot().block.hash !== block.hash) continue
        if (!isGone(error)) throw error
        await sleep(PAUSE_MS)
      }
    }
  }

  private async head(): Promise<BlockHeader> {
    const { rpc, ledger, signal } = this.parts
    const head = await rpc.getBlock('latest', { signal })
    if (!head) throw new MarketError('NOT_READY', `the node of chain ${ledger.chainId} has no latest block`)
    return head
  }

  /**
   * @param wasSeenTwice - the head was seen in two requests, so a missing ancestor does not mean that it was reorged
   * away
   */
  private async followTo(head: BlockHeader, wasSeenTwice: boolean): Promise<void> {
    const { rpc, ledger, signal } = this.parts
    const { history } = ledger
    if (!history) {
      ledger.commit(new History([{ block: head, pools: PoolMap.empty, changedIds: new Set() }]), null)
    } else if (head.hash !== history.top.block.hash) {
      const branch = await findBranch(rpc, history, head, { signal })
      if (branch === 'broken' && !wasSeenTwice) throw new MarketError('REORGED', `block ${head.number} is gone`)
      if (branch && branch !== 'broken') await this.replay(history, branch.from, branch.blocks)
      else await this.rereadAll(head)
    } else if (!ledger.newest) ledger.commit(history, null)
  }

  /**
   * Reads pools at the end of a block. Pools that cannot be read are left out.
   *
   * @param chosenIds - sampled pools to read; default: those whose turn it is
   */
  async read(
    block: BlockHeader,
    ids: Iterable<string>,
    priority: Priority = 'quote',
    chosenIds?: ReadonlySet<string>,
  ): Promise<readonly Pool[]> {
    const { rpc, directory, signal } = this.parts
    const options = { signal, priority, ...(priority === 'background' && { timeoutMs: BACKGROUND_TIMEOUT_MS }) }
    const foundPools = [...ids].flatMap((id) => directory.followedPools.get(id) ?? [])
    // Sampled pools are read within their budget only.
    const sampledIds = foundPools.flatMap(({ pool: { id } }) => (directory.sampling.has(id) ? [id] : []))
    const dueIds = sampledIds.length > 0 ? (chosenIds ?? this.dueSampledIds(block)) : NONE
    const entries = foundPools.filter(({ pool: { id } }) => dueIds.has(id) || !directory.sampling.has(id))
    const incomplete = entries.filter((entry) => directory.isDueToComplete(entry, block.number))
    const complete = entries.filter((entry) => !directory.isIncomplete(entry))
    const read = await readPools(rpc, block, { complete, incomplete }, directory.families, options)
    for (const entry of read.completed) directory.complete(entry)
    this.recordSamples(
      sampledIds.filter((id) => dueIds.has(id)),
      read.pools,
      block.number,
    )
    for (const { pool } of incomplete) {
      // The pool may have been dropped during the read.
      const entry = directory.followedPools.get(pool.id)
      if (entry && directory.isIncomplete(entry)) directory.recordIncomplete(entry, block.number)
    }
    return read.pools.filter(({ id }) => directory.followedPools.has(id))
  }

  /** Ids of the sampled pools whose turn it is at a block. */
  private dueSampledIds({ number }: BlockHeader): ReadonlySet<string> {
    const { directory, ledger } = this.parts
    const { sampledIds, unsampledIds } = directory.sampling.choose(ledger.history?.top.pools ?? PoolMap.empty, number)
    return new Set([...sampledIds, ...unsampledIds])
  }

  private recordSamples(ids: Iterable<string>, read: readonly Pool[], block: number): void {
    const readable = new Set(read.map(({ id }) => id))
    for (const id of ids) this.parts.directory.sampling.recordSample(id, readable.has(id), block)
  }

  /** Undoes the blocks above `from` and applies the logs of `blocks`. */
  private async replay(history: History, from: HistoryEntry, blocks: readonly BlockHeader[]): Promise<void> {
    const { rpc, directory, ledger, signal } = this.parts
    const logs = await Promise.all(
      blocks.map((block) => logsOf(rpc, block, directory.topics, signal, () => this.doubtful.add(block.hash))),
    )
    const undone = history.above(from)
    const entries: HistoryEntry[] = []
    // Pools dropped meanwhile stay dropped.
    const droppedIds = undone.length > 0 ? poolChanges(from.pools, history.top.pools).goneIds : []
    const createdIds = new Set<string>()
    let pools = from.pools.with(
      [],
      droppedIds.filter((id) => !directory.followedPools.has(id)),
    )
    for (const [i, block] of blocks.entries()) {
      const { changedPools, idsToReread } = await inSlices(
        'follow',
        applyLogs(pools, logs[i]!, (id) => directory.families.get(id), directory.idOf),
      )
      const last = i === blocks.length - 1
      const createdPoolIds = directory.createdIds(logs[i]!)
      for (const id of createdPoolIds) createdIds.add(id)
      const awaitedIds = directory.awaitedIds(pools, logs[i]!)
      const dirty = new Set([...idsToReread, ...awaitedIds, ...createdPoolIds])
      const updatedPools = pools.with(changedPools.values())
      const silent = last ? directory.silent(updatedPools).filter((id) => !dirty.has(id)) : []
      const sources = await Promise.all([
        this.reread(block, pools, dirty),
        this.refresh(block, updatedPools, silent),
        ...(last ? [this.sample(block, updatedPools)] : []),
      ])
      const differingPools = sources.flatMap((result) => result.differingPools)
      const goneIds = sources.flatMap((result) => result.goneIds)
      pools = updatedPools.with(differingPools, goneIds)
      entries.push({
        block,
        pools,
        // Include awaited pools even if unreadable: an earlier read of them is outdated.
        changedIds: new Set([...changedPools.keys(), ...differingPools.map(({ id }) => id), ...goneIds, ...awaitedIds]),
      })
    }
    const next = history.continueFrom(from, entries)
    // Pools added since `from` are not in its map: read them at the new top.
    const missing = undone.length > 0 ? poolChanges(history.top.pools, pools).goneIds : []
    const read = [...(await this.read(next.top.block, missing))]
    // Tokens may have been requested since the logs were filtered. Their factories were asked at an earlier block, so
    // pools created in these blocks would be missed. Nothing is awaited between the last check and the commit.
    for (
      let missedIds = this.createdOutside(createdIds, logs);
      missedIds.length > 0;
      missedIds = this.createdOutside(createdIds, logs)
    )
      read.push(...(await this.read(next.top.block, missedIds)))
    const changedIds = new Set([...undone, ...entries].flatMap((entry) => [...entry.changedIds]))
    for (const { id } of read) changedIds.add(id)
    const topChanged = new Set([...next.top.changedIds, ...missing, ...read.map(({ id }) => id)])
    const top = { ...next.top, pools: pools.with(read), changedIds: topChanged }
    ledger.commit(next.replaceTop(top), [...changedIds])
  }

  /** Rereads the pools of logs that arrived late. */
  private async recheck(): Promise<void> {
    if (this.doubtful.isEmpty) return
    const { rpc, directory, ledger, signal } = this.parts
    for (const blockHash of this.doubtful.takeDue()) {
      if (!ledger.history?.find(blockHash)) {
        this.doubtful.drop(blockHash)
        continue
      }
      // A failed request is repeated at the next block.
      const logs = await rpc.getLogs({ blockHash, topics: [directory.topics] }, { signal }).catch(() => [])
      if (logs.length === 0) continue
      this.doubtful.drop(blockHash)
      const touchedIds = logs.map(directory.idOf).filter((id) => directory.followedPools.has(id))
      await this.repair(new Set([...touchedIds, ...directory.createdIds(logs)]))
    }
  }

  /**
   * Reads pools again at the newest block and corrects those that differ. The caller holds the ledger's mutex.
   *
   * @returns the number of pools corrected
   */
  async repair(ids: ReadonlySet<string>): Promise<number> {
    const { ledger } = this.parts
    const history = ledger.history!
    const { top } = history
    const { differingPools, goneIds } = await this.reread(top.block, top.pools, ids)
    const changedIds = [...differingPools.map(({ id }) => id), ...goneIds]
    if (changedIds.length === 0) return 0
    const entry = {
      ...top,
      pools: top.pools.with(differingPools, goneIds),
      changedIds: new Set([...top.changedIds, ...changedIds]),
    }
    ledger.commit(history.replaceTop(entry), changedIds)
    return changedIds.length
  }

  /** Returns the ids of wanted pools created by the logs that are not yet in `knownIds`, and adds them to it. */
  private createdOutside(knownIds: Set<string>, logs: readonly (readonly Log[])[]): readonly string[] {
    const ids = logs
      .flatMap((blockLogs) => this.parts.directory.createdIds(blockLogs))
      .filter((id) => !knownIds.has(id))
    for (const id of ids) knownIds.add(id)
    return ids
  }

  /** Reads pools at the end of a block and compares them with memory. */
  async reread(
    block: BlockHeader,
    pools: PoolMap,
    ids: ReadonlySet<string>,
    priority?: Priority,
  ): Promise<Differences> {
    return inSlices('follow', compare(pools, ids, await this.read(block, ids, priority)))
  }

  /** Updates the pools that can change without a log, at the end of a block. @throws RpcError */
  async refreshPools(block: BlockHeader, pools: PoolMap, ids: readonly string[]): Promise<PoolMap> {
    const { directory } = this.parts
    const { differingPools, goneIds } = await this.refresh(
      block,
      pools,
      ids.filter((id) => directory.isSilent(id)),
    )
    return pools.with(differingPools, goneIds)
  }

  /** Reads the changes of these pools that no log reports, at the end of a block. */
  private async refresh(block: BlockHeader, pools: PoolMap, ids: readonly string[]): Promise<Differences> {
    const { rpc, directory, signal } = this.parts
    const knownPools = ids.map((id) => ({ row: directory.followedPools.get(id)!.row, pool: pools.get(id)! }))
    return inSlices(
      'follow',
      compare(pools, ids, await refreshPools(rpc, block, knownPools, directory.families, { signal })),
    )
  }

  /**
   * Samples the pools whose turn it is at a block. The other sampled pools lose their state, since they could have
   * changed.
   */
  private async sample(block: BlockHeader, pools: PoolMap): Promise<Differences> {
    const { directory } = this.parts
    if (directory.sampling.size === 0) return { differingPools: [], goneIds: [] }
    const { sampledIds, unsampledIds } = directory.sampling.choose(pools, block.number)
    const stale = directory.sampling.ids().filter((id) => pools.has(id) && !sampledIds.has(id))
    const [refresh, read] = await Promise.all([
      this.refresh(block, pools, [...sampledIds]),
      this.read(block, unsampledIds, 'quote', unsampledIds),
    ])
    for (const id of refresh.goneIds) directory.sampling.recordSample(id, false, block.number)
    return { differingPools: [...refresh.differingPools, ...read], goneIds: [...refresh.goneIds, ...stale] }
  }

  /**
   * Samples pools of the newest block at the inputs of swaps, so that quotes of these inputs are exact. Publishes the
   * result as another snapshot of that block. Does nothing if the chain has moved on.
   *
   * @throws RpcError
   */
  async refine(block: BlockHeader, swaps: ReadonlyMap<string, readonly SampledSwap[]>): Promise<void> {
    const { rpc, directory, ledger, signal } = this.parts
    const before = ledger.history?.top
    if (!before || before.block.hash !== block.hash) return
    const pools = [...swaps.keys()].flatMap((id) =>
      directory.followedPools.has(id) ? (before.pools.get(id) ?? []) : [],
    )
    const generators = pools.map((pool) => {
      const { row } = directory.followedPools.get(pool.id)!
      return directory.familyOf(row).sampled!.refine(row, pool, swaps.get(pool.id)!)
    })
    const states = await runReads(rpc, { blockHash: block.hash }, generators, { signal })
    await ledger.mutex.run(async () => {
      const { history } = ledger
      if (!history || history.top.block.hash !== block.hash) return
      const { top } = history
      const differingPools = pools.flatMap((pool, k) => {
        // Skip a pool that another caller has refined meanwhile; the next quote samples it again.
        const isSame = top.pools.get(pool.id) === pool && directory.followedPools.has(pool.id)
        return isSame && states[k] !== null ? [{ ...pool, state: states[k] }] : []
      })
      if (differingPools.length === 0) return
      const changedIds = differingPools.map(({ id }) => id)
      const entry = {
        ...top,
        pools: top.pools.with(differingPools),
        changedIds: new Set([...top.changedIds, ...changedIds]),
      }
      ledger.commit(history.replaceTop(entry), changedIds)
    })
  }

  /**
   * Reads all pools at a head too far from the history. Pools created in between are found when their tokens are
   * requested again.
   */
  private async rereadAll(head: BlockHeader): Promise<void> {
    const { directory, ledger } = this.parts
    const pools = await inSlices('follow', PoolMap.of(await this.read(head, directory.followedPools.keys())))
    this.forgetPairs()
    ledger.commit(new History([{ block: head, pools, changedIds: new Set() }]), null)
  }
}

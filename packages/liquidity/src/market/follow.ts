/**
 * Brings a market's ledger (the last blocks, each with its pools) to the node's head: applies the logs of new blocks,
 * undoes reorged blocks, or reads all pools again. `market.ts` calls `follow` at every poll. Discovery, the audit, and
 * quotes also use this class to read pools.
 *
 * A pool is "silent" if its state can change without a log, and "sampled" if it is quoted from swaps that are simulated
 * at every block. A pool that its own family (the exact family) cannot read is handed over to the family's sampled
 * twin, which quotes the same pool from samples.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Hex } from '@sluice/chains'
import { type BlockHeader, inSlices, type Log, type Priority, type Rpc, RpcError, type Steps } from '@sluice/rpc'
import { MarketError } from '../errors.ts'
import type { Pool, SampledSwap } from '../family.ts'
import { PoolMap, poolChanges } from '../pool-map.ts'
import type { Snapshot } from '../snapshot.ts'
import { applyLogs } from './apply.ts'
import { BlockLogs } from './block-logs.ts'
import { type Branch, findBranch } from './branch.ts'
import { DoubtfulBlocks } from './doubtful-blocks.ts'
import { History, type HistoryEntry } from './history.ts'
import type { Ledger } from './ledger.ts'
import type { PoolDirectory } from './pool-directory.ts'
import { readPools, refreshPools } from './pool-reader.ts'
import { runReads } from './reads.ts'
import { LOST_POOLS, NEW_POOLS, RefreshRetries } from './refresh-retries.ts'
import { BACKGROUND_TIMEOUT_MS, sleep } from './timing.ts'

/** Components that the classes of a market share. */
export type MarketComponents = {
  readonly rpc: Rpc
  readonly directory: PoolDirectory
  readonly ledger: Ledger
  /** Aborted when the market stops. */
  readonly signal: AbortSignal
}

/** Maximum attempts of an operation whose block is reorged away each time. */
const MAX_ATTEMPTS = 8
/** Milliseconds before the next attempt if a node reports, during a reorg, a head that it no longer has. */
const PAUSE_MS = 10
/** True if the error can be caused by a reorg that removed the block. */
function isPossibleReorg(error: unknown): boolean {
  return error instanceof RpcError ? error.mayDependOnBlock : error instanceof MarketError && error.code === 'REORGED'
}

/** True if the error states that the block is gone; for errors that pass `isPossibleReorg`. */
function isBlockGone(error: unknown): boolean {
  return (error instanceof RpcError && error.code === 'BLOCK_GONE') || error instanceof MarketError
}

const NO_IDS: ReadonlySet<string> = new Set()

type PoolDifferences = {
  /** Pools whose state on chain differs from their state in memory, with the state on chain. */
  readonly differingPools: readonly Pool[]
  /** Ids of pools in memory that can no longer be read. */
  readonly goneIds: readonly string[]
}

/** Compares the pools in memory with `loadedPools`, the result of reading the pools `ids` again. */
function* findDifferences(pools: PoolMap, ids: Iterable<string>, loadedPools: readonly Pool[]): Steps<PoolDifferences> {
  const readableIds = new Set(loadedPools.map(({ id }) => id))
  const differingPools: Pool[] = []
  for (const pool of loadedPools) {
    if (!isDeepStrictEqual(pool.state, pools.get(pool.id)?.state)) differingPools.push(pool)
    yield
  }
  // A pool that can no longer be read, such as a paused pool, must not be quoted from its old state.
  return { differingPools, goneIds: [...ids].filter((id) => !readableIds.has(id) && pools.has(id)) }
}

export class MarketFollower {
  private readonly components: MarketComponents
  private readonly forgetPairs: () => void
  /** Blocks for which the node returned no logs although their bloom filter matched. */
  private readonly doubtfulBlocks = new DoubtfulBlocks()
  private readonly blockLogs = new BlockLogs()
  /** Pools that lost their state because a read failed. */
  private readonly lostPools = new RefreshRetries(LOST_POOLS)
  /** Pools whose first read failed. */
  private readonly newPools = new RefreshRetries(NEW_POOLS)

  /** @param forgetPairs - called when the market may have missed the creation of pools */
  constructor(components: MarketComponents, forgetPairs: () => void) {
    this.components = components
    this.forgetPairs = forgetPairs
  }

  /**
   * Follows the node to its head. If the head is reorged away, follows the next head instead. A failure leaves the
   * ledger unchanged. The caller holds the ledger's mutex.
   *
   * @throws RpcError, MarketError
   */
  async follow(): Promise<Snapshot> {
    let previousHash: Hex | undefined
    for (let attempt = 1; ; attempt++) {
      const head = await this.readHead()
      try {
        await this.followTo(head, head.hash === previousHash)
        await this.readLateLogs()
        return this.components.ledger.snapshot()
      } catch (error) {
        if (!isPossibleReorg(error) || attempt >= MAX_ATTEMPTS) throw error
        // The node has reported this head twice, so the head is probably not reorged away. Try again only if the node
        // says that the block is gone. A node may say so while it processes a reorg.
        if (head.hash === previousHash) {
          if (!isBlockGone(error)) throw error
          await sleep(PAUSE_MS)
        }
        previousHash = head.hash
      }
    }
  }

  /**
   * Runs `operation` at the newest block; if that block is reorged away, follows the head and tries again. The caller
   * must not hold the ledger's mutex.
   *
   * @throws RpcError, MarketError
   */
  async retryOnReorg<T>(operation: (block: BlockHeader) => Promise<T>): Promise<T> {
    const { ledger } = this.components
    for (let attempt = 1; ; attempt++) {
      const { block } = ledger.snapshot()
      try {
        return await operation(block)
      } catch (error) {
        if (!isPossibleReorg(error) || attempt >= MAX_ATTEMPTS) throw error
        await ledger.mutex.run(() => this.follow())
        if (ledger.snapshot().block.hash !== block.hash) continue
        if (!isBlockGone(error)) throw error
        await sleep(PAUSE_MS)
      }
    }
  }

  private async readHead(): Promise<BlockHeader> {
    const { rpc, ledger, signal } = this.components
    const head = await rpc.getBlock('latest', { signal })
    if (!head) throw new MarketError('NOT_READY', `the node of chain ${ledger.chainId} has no latest block`)
    return head
  }

  /**
   * @param isConfirmedHead - the head was seen in two requests, so a missing ancestor does not mean that the head was
   * reorged away
   */
  private async followTo(head: BlockHeader, isConfirmedHead: boolean): Promise<void> {
    const { rpc, directory, ledger, signal } = this.components
    const { history } = ledger
    if (!history) {
      ledger.commit(new History([{ block: head, pools: PoolMap.empty, changedIds: new Set() }]), null)
    } else if (head.hash !== history.top.block.hash) {
      const branch = await findBranch(rpc, history, head, { signal })
      if (branch === 'broken' && !isConfirmedHead) throw new MarketError('REORGED', `block ${head.number} is gone`)
      if (branch && branch !== 'broken') {
        const onDoubt = (block: BlockHeader) => this.doubtfulBlocks.add(block.hash)
        const request = { blocks: branch.blocks, topics: directory.topics, signal, isConfirmedHead, onDoubt }
        const logs = await this.blockLogs.read(rpc, request)
        if (logs !== 'refused') return this.replay(history, branch, logs)
        await this.rereadAll(head)
        return this.blockLogs.recordReread(head.number)
      }
      await this.rereadAll(head)
    } else if (!ledger.newest) ledger.commit(history, null)
  }

  /**
   * Reads pools at the end of a block. Pools that cannot be read are left out. A pool that its exact family cannot read
   * is handed over to the sampled twin. A pool that the twin cannot sample is handed back.
   *
   * @param chosenIds - ids of the sampled pools to read; default: the pools that the sampling budget selects for this
   * block
   */
  async read(
    block: BlockHeader,
    ids: Iterable<string>,
    priority: Priority = 'quote',
    chosenIds?: ReadonlySet<string>,
  ): Promise<readonly Pool[]> {
    const { rpc, directory, signal } = this.components
    const options = { signal, priority, ...(priority === 'background' && { timeoutMs: BACKGROUND_TIMEOUT_MS }) }
    const requestedEntries = [...ids].flatMap((id) => directory.followedPools.get(id) ?? [])
    // Of the sampled pools, read only those in `dueIds`.
    const sampledIds = requestedEntries.flatMap(({ pool: { id } }) => (directory.sampling.has(id) ? [id] : []))
    const dueIds = sampledIds.length > 0 ? (chosenIds ?? this.dueSampledIds(block)) : NO_IDS
    const entries = requestedEntries.filter(({ pool: { id } }) => dueIds.has(id) || !directory.sampling.has(id))
    const incompleteEntries = entries.filter((entry) => directory.isDueToComplete(entry, block.number))
    const completeEntries = entries.filter((entry) => !directory.isIncomplete(entry))
    const result = await readPools(rpc, block, { completeEntries, incompleteEntries }, directory.families, options)
    for (const entry of result.newlyCompleteEntries) directory.complete(entry)
    const readableIds = new Set(result.pools.map(({ id }) => id))
    const unreadableIds = [...completeEntries, ...result.newlyCompleteEntries].flatMap(({ pool: { id } }) =>
      readableIds.has(id) || directory.sampling.has(id) ? [] : [id],
    )
    this.recordSamples(
      sampledIds.filter((id) => dueIds.has(id)),
      readableIds,
      block.number,
    )
    for (const { pool } of incompleteEntries) {
      // The pool may have been dropped during the read.
      const entry = directory.followedPools.get(pool.id)
      if (entry && directory.isIncomplete(entry)) directory.recordIncomplete(entry, block.number)
    }
    const handedOverIds = unreadableIds.filter((id) => directory.handOver(id))
    const sampledPools = handedOverIds.length > 0 ? await this.read(block, handedOverIds, priority) : []
    // A concurrent read may have dropped a pool, or handed it over or back.
    return [...result.pools, ...sampledPools].filter((pool) => directory.isCurrent(pool))
  }

  /** Returns the ids of the pools that the sampling budget selects for a block. */
  private dueSampledIds({ number }: BlockHeader): ReadonlySet<string> {
    const { directory, ledger } = this.components
    const { sampledIds, unsampledIds } = directory.sampling.choose(ledger.history?.top.pools ?? PoolMap.empty, number)
    return new Set([...sampledIds, ...unsampledIds])
  }

  /** Records which of the pools `ids` could be sampled, and hands back the pools that could not. */
  private recordSamples(ids: Iterable<string>, readableIds: ReadonlySet<string>, block: number): void {
    const { directory } = this.components
    for (const id of ids) {
      directory.sampling.recordSample(id, readableIds.has(id), block)
      if (!readableIds.has(id)) directory.handBack(id)
    }
  }

  /** Undoes the blocks above the fork of a branch, and applies the logs of the branch's blocks. */
  private async replay(history: History, { from, blocks }: Branch, logs: readonly (readonly Log[])[]): Promise<void> {
    const { directory, ledger } = this.components
    for (const blockLogs of logs) directory.handBackAfter(blockLogs)
    const undoneEntries = history.entriesAbove(from)
    const newEntries: HistoryEntry[] = []
    // Pools that were dropped after the block `from` stay dropped.
    const droppedIds = undoneEntries.length > 0 ? poolChanges(from.pools, history.top.pools).goneIds : []
    const createdIds = new Set<string>()
    // A pool that changed its family in an undone block or in a failed replay stays with the new family. The new family
    // cannot use states of the old family.
    const outdatedIds = directory.outdatedIds(from.pools)
    let pools = from.pools.with([], [...droppedIds.filter((id) => !directory.followedPools.has(id)), ...outdatedIds])
    for (const [i, block] of blocks.entries()) {
      const { changedPools, idsToReread } = await inSlices(
        'follow',
        applyLogs(pools, logs[i]!, (id) => directory.families.get(id), directory.poolIdsOf),
      )
      const isLast = i === blocks.length - 1
      const createdPoolIds = directory.registerCreatedPools(logs[i]!)
      for (const id of createdPoolIds) createdIds.add(id)
      const knownPools = pools
      // A pool also waits if it lost its state in an undone block: if this replay fails, the undone block may return.
      const isWaiting = (id: string) =>
        directory.followedPools.has(id) && !(knownPools.has(id) && history.top.pools.has(id))
      const retriedIds = isLast
        ? [this.lostPools, this.newPools].flatMap((retries) => retries.takeDue(block.number, isWaiting))
        : []
      const statelessIds = [...directory.statelessIdsIn(pools, logs[i]!), ...retriedIds]
      const idsToRead = new Set([...idsToReread, ...statelessIds, ...createdPoolIds])
      const updatedPools = pools.with(changedPools.values())
      const silentIds = isLast ? directory.chooseSilentIds(updatedPools, idsToRead) : []
      const differences = await Promise.all([
        this.reread(block, pools, idsToRead),
        this.refresh(block, updatedPools, silentIds),
        ...(isLast ? [this.sample(block, updatedPools)] : []),
      ])
      const differingPools = differences.flatMap((result) => result.differingPools)
      const goneIds = differences.flatMap((result) => result.goneIds)
      pools = updatedPools.with(differingPools, goneIds)
      const lostIds = [...differences[0]!.goneIds, ...differences[1]!.goneIds]
      this.retryLater([...lostIds, ...retriedIds.filter((id) => !pools.has(id))], block)
      newEntries.push({
        block,
        pools,
        // Include pools without a state even if they still cannot be read. Discovery then discards results that it read
        // for them at an earlier block.
        changedIds: new Set([
          ...changedPools.keys(),
          ...differingPools.map(({ id }) => id),
          ...goneIds,
          ...statelessIds,
        ]),
      })
    }
    const newHistory = history.continueFrom(from, newEntries)
    // Pools that were added after the block `from` are not in its map: read them at the new top.
    const missingIds = undoneEntries.length > 0 ? poolChanges(history.top.pools, pools).goneIds : []
    const poolsReadAtTop = [...(await this.read(newHistory.top.block, missingIds))]
    // A token that was requested during this replay was searched at an earlier block. Its pools that were created in
    // the replayed blocks are therefore still missing. No `await` may come between the last check of this loop and the
    // commit.
    for (
      let missedIds = this.takeMissedIds(createdIds, logs);
      missedIds.length > 0;
      missedIds = this.takeMissedIds(createdIds, logs)
    )
      poolsReadAtTop.push(...(await this.read(newHistory.top.block, missedIds)))
    const changedIds = new Set([...undoneEntries, ...newEntries].flatMap((entry) => [...entry.changedIds]))
    const idsChangedAtTop = [...outdatedIds, ...poolsReadAtTop.map(({ id }) => id)]
    for (const id of idsChangedAtTop) changedIds.add(id)
    const topChangedIds = new Set([...newHistory.top.changedIds, ...missingIds, ...idsChangedAtTop])
    const top = { ...newHistory.top, pools: pools.with(poolsReadAtTop), changedIds: topChangedIds }
    this.retryUnread([...createdIds, ...missingIds], top.pools, top.block)
    ledger.commit(newHistory.replaceTop(top), [...changedIds])
  }

  /** Requests the logs of `doubtfulBlocks` again, and rereads the pools of logs that arrived late. */
  private async readLateLogs(): Promise<void> {
    if (this.doubtfulBlocks.isEmpty) return
    const { rpc, directory, ledger, signal } = this.components
    for (const blockHash of this.doubtfulBlocks.takeDue()) {
      if (!ledger.history?.find(blockHash)) {
        this.doubtfulBlocks.drop(blockHash)
        continue
      }
      try {
        const logs = await rpc.getLogs({ blockHash, topics: [directory.topics] }, { signal })
        if (logs.length === 0) continue
        directory.handBackAfter(logs)
        const touchedIds = logs.flatMap(directory.poolIdsOf).filter((id) => directory.followedPools.has(id))
        const createdIds = directory.registerCreatedPools(logs)
        await this.repair(new Set([...touchedIds, ...createdIds]))
        const { top } = ledger.history!
        this.retryUnread(createdIds, top.pools, top.block)
        this.doubtfulBlocks.drop(blockHash)
      } catch (error) {
        if (!(error instanceof RpcError || error instanceof MarketError)) throw error
        // The node failed: restart the checks of this block, even if this was its last check.
        this.doubtfulBlocks.drop(blockHash)
        this.doubtfulBlocks.add(blockHash)
        return
      }
    }
  }

  /**
   * Reads pools again at the newest block and corrects those that differ. The caller holds the ledger's mutex.
   *
   * @returns the number of pools corrected
   */
  async repair(ids: ReadonlySet<string>): Promise<number> {
    const { ledger } = this.components
    const history = ledger.history!
    const { top } = history
    const { differingPools, goneIds } = await this.reread(top.block, top.pools, ids)
    this.retryLater(goneIds, top.block)
    const changedIds = [...differingPools.map(({ id }) => id), ...goneIds]
    if (changedIds.length === 0) return 0
    const newTop = {
      ...top,
      pools: top.pools.with(differingPools, goneIds),
      changedIds: new Set([...top.changedIds, ...changedIds]),
    }
    ledger.commit(history.replaceTop(newTop), changedIds)
    return changedIds.length
  }

  /**
   * Returns the ids of new pools between followed tokens in the logs, except `knownIds`, and adds them to `knownIds`.
   */
  private takeMissedIds(knownIds: Set<string>, logs: readonly (readonly Log[])[]): readonly string[] {
    const { directory } = this.components
    const ids = logs.flatMap((blockLogs) => directory.registerCreatedPools(blockLogs, knownIds))
    for (const id of ids) knownIds.add(id)
    return ids
  }

  /** Schedules retries of pools that lost their state. Sampled pools are left out: their budget chooses them again. */
  private retryLater(ids: readonly string[], block: BlockHeader): void {
    const { sampling } = this.components.directory
    const uniqueIds = new Set(ids.filter((id) => !sampling.has(id)))
    for (const id of uniqueIds)
      (this.newPools.isWaiting(id) ? this.newPools : this.lostPools).recordFailures([id], block.number)
  }

  /** Schedules retries of the followed pools among `ids` that have no state in `pools`. */
  retryUnread(ids: readonly string[], pools: PoolMap, block: BlockHeader): void {
    const { sampling, followedPools } = this.components.directory
    const unreadIds = ids.filter((id) => followedPools.has(id) && !pools.has(id) && !sampling.has(id))
    this.newPools.recordFailures(
      unreadIds.filter((id) => !this.newPools.isWaiting(id) && !this.lostPools.isWaiting(id)),
      block.number,
    )
  }

  /** Reads the pools `ids` at the end of a block and compares them with `pools`. */
  async reread(
    block: BlockHeader,
    pools: PoolMap,
    ids: ReadonlySet<string>,
    priority?: Priority,
  ): Promise<PoolDifferences> {
    return inSlices('follow', findDifferences(pools, ids, await this.read(block, ids, priority)))
  }

  /** Returns `pools` with the silent pools among `ids` updated to the end of a block. @throws RpcError */
  async refreshSilentPools(block: BlockHeader, pools: PoolMap, ids: readonly string[]): Promise<PoolMap> {
    const { directory } = this.components
    const { differingPools, goneIds } = await this.refresh(
      block,
      pools,
      ids.filter((id) => directory.isSilent(pools.get(id)!)),
    )
    this.retryLater(goneIds, block)
    return pools.with(differingPools, goneIds)
  }

  /** Reads the states of silent pools at the end of a block. */
  private async refresh(block: BlockHeader, pools: PoolMap, ids: readonly string[]): Promise<PoolDifferences> {
    const { rpc, directory, signal } = this.components
    const knownEntries = ids.flatMap((id) => {
      const pool = pools.get(id)!
      return directory.isCurrent(pool) ? [{ row: directory.followedPools.get(id)!.row, pool }] : []
    })
    return inSlices(
      'follow',
      findDifferences(pools, ids, await refreshPools(rpc, block, knownEntries, directory.families, { signal })),
    )
  }

  /**
   * Samples the pools that the sampling budget selects for a block. All other pools of sampled families lose their
   * state, which may be outdated.
   */
  private async sample(block: BlockHeader, pools: PoolMap): Promise<PoolDifferences> {
    const { directory } = this.components
    if (directory.sampling.size === 0) return { differingPools: [], goneIds: [] }
    // A concurrent read may have handed over a pool; then `pools` has only the state of the exact family.
    const samples = {
      get(id: string): Pool | undefined {
        const pool = pools.get(id)
        return pool && directory.isCurrent(pool) ? pool : undefined
      },
    }
    const { sampledIds, unsampledIds } = directory.sampling.choose(samples, block.number)
    const [newSamples, firstSamples] = await Promise.all([
      this.refresh(block, pools, [...sampledIds]),
      this.read(block, unsampledIds, 'quote', unsampledIds),
    ])
    this.recordSamples(newSamples.goneIds, NO_IDS, block.number)
    const readIds = new Set([...sampledIds, ...firstSamples.map(({ id }) => id)])
    const staleIds = directory.sampling.ids().filter((id) => pools.has(id) && !readIds.has(id))
    return {
      differingPools: [...newSamples.differingPools, ...firstSamples],
      goneIds: [...newSamples.goneIds, ...staleIds],
    }
  }

  /**
   * Samples pools of the newest block at the inputs of swaps, so that quotes of these inputs are exact. Publishes the
   * result as another snapshot of that block. Does nothing if `block` is no longer the newest block.
   *
   * @param swaps - by pool id
   * @throws RpcError
   */
  async refine(block: BlockHeader, swaps: ReadonlyMap<string, readonly SampledSwap[]>): Promise<void> {
    const { rpc, directory, ledger, signal } = this.components
    const topAtStart = ledger.history?.top
    if (!topAtStart || topAtStart.block.hash !== block.hash) return
    // Skip a pool that a running replay has dropped or handed back.
    const pools = [...swaps.keys()].flatMap((id) => {
      const pool = topAtStart.pools.get(id)
      return pool && directory.isCurrent(pool) ? [pool] : []
    })
    const generators = pools.map((pool) => {
      const { row } = directory.followedPools.get(pool.id)!
      return directory.familyOf(row).sampled!.refine(row, pool, swaps.get(pool.id)!)
    })
    const states = await runReads(rpc, { blockHash: block.hash }, generators, { signal })
    await ledger.mutex.run(async () => {
      const { history } = ledger
      if (!history || history.top.block.hash !== block.hash) return
      const { top } = history
      const differingPools = pools.flatMap((pool, i) => {
        // Skip a pool that another caller has refined meanwhile; the next quote samples it again.
        const isUnchanged = top.pools.get(pool.id) === pool && directory.isCurrent(pool)
        return isUnchanged && states[i] !== null ? [{ ...pool, state: states[i] }] : []
      })
      if (differingPools.length === 0) return
      const changedIds = differingPools.map(({ id }) => id)
      const newTop = {
        ...top,
        pools: top.pools.with(differingPools),
        changedIds: new Set([...top.changedIds, ...changedIds]),
      }
      ledger.commit(history.replaceTop(newTop), changedIds)
    })
  }

  /**
   * Reads all pools at a head that is too far from the history. Pools that were created in between are found when their
   * tokens are requested again.
   */
  private async rereadAll(head: BlockHeader): Promise<void> {
    const { directory, ledger } = this.components
    const pools = await inSlices('follow', PoolMap.of(await this.read(head, directory.followedPools.keys())))
    this.forgetPairs()
    ledger.commit(new History([{ block: head, pools, changedIds: new Set() }]), null)
  }
}

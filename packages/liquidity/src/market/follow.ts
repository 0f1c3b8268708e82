/**
 * Brings the ledger to the node's head: block by block from logs, back and up another branch, or by reading all anew.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Hex } from '@sluice/chains'
import { type BlockHeader, inSlices, type Log, type Priority, type Rpc, RpcError, type Steps } from '@sluice/rpc'
import { MarketError } from '../errors.ts'
import type { Pool } from '../family.ts'
import { PoolMap, poolChanges } from '../pool-map.ts'
import type { Snapshot } from '../snapshot.ts'
import { applyLogs } from './apply.ts'
import { logsOf } from './block-logs.ts'
import { findBranch } from './branch.ts'
import { DoubtfulBlocks } from './doubtful-blocks.ts'
import { type Entry, History } from './history.ts'
import type { Ledger } from './ledger.ts'
import type { PoolDirectory } from './pool-directory.ts'
import { readPools, refreshPools } from './pool-reader.ts'
import { BACKGROUND_TIMEOUT_MS, sleep } from './timing.ts'

export type MarketParts = {
  readonly rpc: Rpc
  readonly directory: PoolDirectory
  readonly ledger: Ledger
  /** Aborted when the market is stopped. */
  readonly signal: AbortSignal
}

/** Heads in a row that may be gone before they are read. */
const MOST_ATTEMPTS = 8
/** For a node that is in the midst of a reorg: it names a head that it does not have any more. */
const PAUSE_MS = 10
/** A failure that a block which is not there any more would explain. */
function isOfTheBlock(error: unknown): boolean {
  return error instanceof RpcError ? error.ofBlock : error instanceof MarketError && error.code === 'REORGED'
}

/** A failure that says so. */
function isGone(error: unknown): boolean {
  return (error instanceof RpcError && error.code === 'BLOCK_GONE') || error instanceof MarketError
}

type Differences = { readonly differ: readonly Pool[]; readonly gone: readonly string[] }

/** Memory beside what was read of the pools with these ids. */
function* compare(pools: PoolMap, ids: Iterable<string>, read: readonly Pool[]): Steps<Differences> {
  const readable = new Set(read.map(({ id }) => id))
  const differ: Pool[] = []
  for (const pool of read) {
    if (!isDeepStrictEqual(pool.state, pools.get(pool.id)?.state)) differ.push(pool)
    yield
  }
  // One that can no longer be read, such as a paused one, must not be quoted from what it was.
  return { differ, gone: [...ids].filter((id) => !readable.has(id) && pools.has(id)) }
}

export class Follower {
  private readonly parts: MarketParts
  private readonly forgetPairs: () => void
  private readonly doubtful = new DoubtfulBlocks()

  /** @param forgetPairs - called when pools may have been made that were not seen */
  constructor(parts: MarketParts, forgetPairs: () => void) {
    this.parts = parts
    this.forgetPairs = forgetPairs
  }

  /**
   * Nothing changes when any read fails, but that a head which is gone before it was read is left for the one in its place.
   * The caller holds the ledger's mutex.
   *
   * @throws RpcError, MarketError
   */
  async follow(): Promise<Snapshot> {
    let before: Hex | undefined
    for (let attempt = 1; ; attempt++) {
      const head = await this.head()
      try {
        await this.followTo(head, head.hash === before)
        await this.recheck()
        return this.parts.ledger.snapshot()
      } catch (error) {
        if (!isOfTheBlock(error) || attempt >= MOST_ATTEMPTS) throw error
        // The same head twice is there: it is the node that fails, unless it is in the midst of the reorg.
        if (head.hash === before) {
          if (!isGone(error)) throw error
          await sleep(PAUSE_MS)
        }
        before = head.hash
      }
    }
  }

  /**
   * Work at the newest block; once more at the head of the node where the block is gone. The caller does not hold the
   * ledger's mutex.
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
        if (!isOfTheBlock(error) || attempt >= MOST_ATTEMPTS) throw error
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

  /** @param isThere - the head was seen twice, so that a missing ancestor is no sign of its being gone */
  private async followTo(head: BlockHeader, isThere: boolean): Promise<void> {
    const { rpc, ledger, signal } = this.parts
    const { history } = ledger
    if (!history) {
      ledger.commit(new History([{ block: head, pools: PoolMap.empty, changed: new Set() }]), null)
    } else if (head.hash !== history.top.block.hash) {
      const branch = await findBranch(rpc, history, head, { signal })
      if (branch === 'broken' && !isThere) throw new MarketError('REORGED', `block ${head.number} is gone`)
      if (branch && branch !== 'broken') await this.replay(history, branch.from, branch.blocks)
      else await this.rereadAll(head)
    } else if (!ledger.newest) ledger.commit(history, null)
  }

  /** Pools of these ids as they are at the end of a block; those that cannot be read are left out. */
  async read(block: BlockHeader, ids: Iterable<string>, priority: Priority = 'quote'): Promise<readonly Pool[]> {
    const { rpc, directory, signal } = this.parts
    const options = { signal, priority, ...(priority === 'background' && { timeoutMs: BACKGROUND_TIMEOUT_MS }) }
    const wanted = [...ids].flatMap((id) => directory.found.get(id) ?? [])
    const incomplete = wanted.filter((entry) => directory.isDueToComplete(entry, block.number))
    const complete = wanted.filter((entry) => !directory.isIncomplete(entry))
    const read = await readPools(rpc, block, { complete, incomplete }, directory.families, options)
    for (const entry of read.completed) directory.complete(entry)
    for (const { pool } of incomplete) {
      // One may have been dropped meanwhile.
      const entry = directory.found.get(pool.id)
      if (entry && directory.isIncomplete(entry)) directory.couldNotComplete(entry, block.number)
    }
    return read.pools.filter(({ id }) => directory.found.has(id))
  }

  /** Goes on from a block that is known: undoes what stood above it and applies the logs of what stands there now. */
  private async replay(history: History, from: Entry, blocks: readonly BlockHeader[]): Promise<void> {
    const { rpc, directory, ledger, signal } = this.parts
    const logs = await Promise.all(
      blocks.map((block) => logsOf(rpc, block, directory.topics, signal, () => this.doubtful.add(block.hash))),
    )
    const undone = history.above(from)
    const entries: Entry[] = []
    // Pools that were dropped since stay dropped.
    const dropped = undone.length > 0 ? poolChanges(from.pools, history.top.pools).gone : []
    const made = new Set<string>()
    let pools = from.pools.with(
      [],
      dropped.filter((id) => !directory.found.has(id)),
    )
    for (const [i, block] of blocks.entries()) {
      const { changed, reread } = await inSlices(
        'follow',
        applyLogs(pools, logs[i]!, (id) => directory.families.get(id), directory.idOf),
      )
      const last = i === blocks.length - 1
      const created = directory.created(logs[i]!)
      for (const id of created) made.add(id)
      const awaited = directory.awaited(pools, logs[i]!)
      const dirty = new Set([...reread, ...awaited, ...created])
      const told = pools.with(changed.values())
      const silent = last ? directory.silent(told).filter((id) => !dirty.has(id)) : []
      const found = await Promise.all([this.reread(block, pools, dirty), this.refresh(block, told, silent)])
      const differ = found.flatMap((each) => each.differ)
      const gone = found.flatMap((each) => each.gone)
      pools = told.with(differ, gone)
      entries.push({
        block,
        pools,
        // Those that are awaited too, though they may not be readable: what was read of one before does not hold any more.
        changed: new Set([...changed.keys(), ...differ.map(({ id }) => id), ...gone, ...awaited]),
      })
    }
    const next = history.goOn(from, entries)
    // Pools found since `from` are not in it: they are read where the history stands now.
    const missing = undone.length > 0 ? poolChanges(history.top.pools, pools).gone : []
    const read = [...(await this.read(next.top.block, missing))]
    // Tokens may have been asked for since the logs were looked at. Factories were then asked at a block before these, so
    // that the pools made in them would never be found. Nothing is awaited between the last look and the commit.
    for (let late = this.createdBeside(made, logs); late.length > 0; late = this.createdBeside(made, logs))
      read.push(...(await this.read(next.top.block, late)))
    const changed = new Set([...undone, ...entries].flatMap((entry) => [...entry.changed]))
    for (const { id } of read) changed.add(id)
    const topChanged = new Set([...next.top.changed, ...missing, ...read.map(({ id }) => id)])
    const top = { ...next.top, pools: pools.with(read), changed: topChanged }
    ledger.commit(next.replaceTop(top), [...changed])
  }

  /** Logs that came late: their pools are read again at the newest block. */
  private async recheck(): Promise<void> {
    if (this.doubtful.isEmpty) return
    const { rpc, directory, ledger, signal } = this.parts
    for (const blockHash of this.doubtful.takeDue()) {
      if (!ledger.history?.find(blockHash)) {
        this.doubtful.drop(blockHash)
        continue
      }
      // What fails now is asked for at the next block.
      const logs = await rpc.getLogs({ blockHash, topics: [directory.topics] }, { signal }).catch(() => [])
      if (logs.length === 0) continue
      this.doubtful.drop(blockHash)
      const touched = logs.map(directory.idOf).filter((id) => directory.found.has(id))
      await this.repair(new Set([...touched, ...directory.created(logs)]))
    }
  }

  /**
   * Reads pools again at the newest block, where memory has them wrong. The caller holds the ledger's mutex.
   *
   * @returns the number of those that were wrong
   */
  async repair(ids: ReadonlySet<string>): Promise<number> {
    const { ledger } = this.parts
    const history = ledger.history!
    const { top } = history
    const { differ, gone } = await this.reread(top.block, top.pools, ids)
    const changed = [...differ.map(({ id }) => id), ...gone]
    if (changed.length === 0) return 0
    const entry = { ...top, pools: top.pools.with(differ, gone), changed: new Set([...top.changed, ...changed]) }
    ledger.commit(history.replaceTop(entry), changed)
    return changed.length
  }

  /** Ids of wanted pools that the logs made, beside those known to be, which they join. */
  private createdBeside(known: Set<string>, logs: readonly (readonly Log[])[]): readonly string[] {
    const ids = logs.flatMap((each) => this.parts.directory.created(each)).filter((id) => !known.has(id))
    for (const id of ids) known.add(id)
    return ids
  }

  /** Differences between pools as read at the end of a block and memory. */
  async reread(
    block: BlockHeader,
    pools: PoolMap,
    ids: ReadonlySet<string>,
    priority?: Priority,
  ): Promise<Differences> {
    return inSlices('follow', compare(pools, ids, await this.read(block, ids, priority)))
  }

  /** Pools as they are at the end of a block, where those with these ids may have moved without a log. @throws RpcError */
  async refreshed(block: BlockHeader, pools: PoolMap, ids: readonly string[]): Promise<PoolMap> {
    const { directory } = this.parts
    const { differ, gone } = await this.refresh(
      block,
      pools,
      ids.filter((id) => directory.isSilent(id)),
    )
    return pools.with(differ, gone)
  }

  /** The changes of these pools at the end of a block, beside what its logs told. */
  private async refresh(block: BlockHeader, pools: PoolMap, ids: readonly string[]): Promise<Differences> {
    const { rpc, directory, signal } = this.parts
    const known = ids.map((id) => ({ row: directory.found.get(id)!.row, pool: pools.get(id)! }))
    return inSlices(
      'follow',
      compare(pools, ids, await refreshPools(rpc, block, known, directory.families, { signal })),
    )
  }

  /**
   * Starts over at a block too far from those that are known. Pools made meanwhile are found when their tokens are
   * asked for again.
   */
  private async rereadAll(head: BlockHeader): Promise<void> {
    const { directory, ledger } = this.parts
    const pools = await inSlices('follow', PoolMap.of(await this.read(head, directory.found.keys())))
    this.forgetPairs()
    ledger.commit(new History([{ block: head, pools, changed: new Set() }]), null)
  }
}

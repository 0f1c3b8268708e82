/** A chain's pools in memory: found on demand, followed block by block. The only part of this package that does I/O. */
import { isDeepStrictEqual } from 'node:util'
import type { Address, Chain, DexRow, Hex } from '@sluice/chains'
import type { BlockHeader, Log, Rpc } from '@sluice/rpc'
import { pairKey } from '../dexes/common/direction.ts'
import { families as allFamilies } from '../dexes/index.ts'
import type { DexFamily, Pool } from '../family.ts'
import type { Market, MarketHealth, Snapshot } from '../snapshot.ts'
import { applyLogs } from './apply.ts'
import { findBranch } from './branch.ts'
import { MarketError } from './errors.ts'
import { type Entry, History } from './history.ts'
import { Mutex } from './mutex.ts'
import { type Pair, pairsOf } from './pairs.ts'
import { PoolMap } from './pool-map.ts'
import { type Families, type FoundPool, findPools, readPools, servedRows } from './pool-reader.ts'
import { scanLogs } from './scan.ts'

export type MarketOptions = {
  readonly chain: Chain
  readonly rpc: Rpc
  /** All by default. */
  readonly families?: readonly DexFamily[]
  /** How often the node is asked for its head; half a block time by default, within 200 ms and 2 s. */
  readonly pollMs?: number
}

/** A failing node is asked again after a pause that grows up to this. */
const MAX_PAUSE_MS = 5_000
/** How long a token that is asked for waits for the search of past logs; what is found later joins by itself. */
const SCAN_PATIENCE_MS = 500
/** How often a request that waits for a block asks the node itself. */
const WAIT_STEP_MS = 50

export function createMarket(options: MarketOptions): Market {
  return new ChainMarket(options)
}

class ChainMarket implements Market {
  readonly chainId: number
  private readonly chain: Chain
  private readonly rpc: Rpc
  private readonly families: Families
  private readonly rows: readonly DexRow[]
  private readonly rowByFactory: ReadonlyMap<Address, DexRow>
  private readonly topics: readonly Hex[]
  /** For contracts that speak for many pools. */
  private readonly idByTopic: ReadonlyMap<Hex, (log: Log) => string>
  private readonly pollMs: number

  private history: History | null = null
  private published: Snapshot | null = null
  private readonly listeners = new Set<(snapshot: Snapshot) => void>()
  /** Held by whoever changes the history: the newest block stands still meanwhile. */
  private readonly mutex = new Mutex()
  private running: Promise<Snapshot> | null = null

  /** Every pool found, also those that cannot be read yet, with the DEX it belongs to. */
  private readonly found = new Map<string, FoundPool>()
  /** Pools that the search of past logs has met, whether anybody wants their tokens or not. */
  private readonly listed = new Map<string, FoundPool>()
  private readonly scannedTo = new Map<DexRow, number>()
  private scanning: Promise<void> | null = null

  /** Tokens whose pools were asked for. */
  private readonly tokens = new Set<Address>()
  /** Pairs asked for, or being asked for. */
  private readonly asked = new Map<string, Promise<void>>()

  private readonly stopped = new AbortController()
  private loop: Promise<void> | null = null
  private lastSyncMs: number | null = null
  private lastError: string | null = null

  constructor({ chain, rpc, families = allFamilies, pollMs }: MarketOptions) {
    this.chainId = chain.chainId
    this.chain = chain
    this.rpc = rpc
    this.families = new Map(families.map((family) => [family.id, family]))
    this.rows = servedRows(chain, this.families)
    this.rowByFactory = new Map(this.rows.map((row) => [row.address, row]))
    const served = new Set(this.rows.map((row) => this.families.get(row.family)!))
    this.topics = [...served].flatMap(({ topics, creationTopics = [] }) => [...topics, ...creationTopics])
    this.idByTopic = new Map(
      [...served].flatMap(({ topics, poolIdOf }) => (poolIdOf ? topics.map((topic) => [topic, poolIdOf]) : [])),
    )
    this.pollMs = pollMs ?? Math.min(2_000, Math.max(200, chain.blockTimeMs / 2))
  }

  snapshot(): Snapshot {
    if (!this.published) throw new MarketError('NOT_READY', `chain ${this.chainId} has not been read yet`)
    return this.published
  }

  sync({ signal }: { signal?: AbortSignal } = {}): Promise<Snapshot> {
    if (!this.running) {
      const run = this.mutex.run(() => this.follow())
      this.running = run
      const clear = () => {
        this.running = null
      }
      run.then(clear, clear)
    }
    return abortable(this.running, signal)
  }

  async ensure(tokens: readonly Address[], { signal }: { signal?: AbortSignal } = {}): Promise<Snapshot> {
    if (!this.published) await this.sync(signal && { signal })
    for (const token of tokens) this.tokens.add(token)
    const pairs = pairsOf(tokens, this.chain.hubs)
    const fresh = pairs.filter((pair) => !this.asked.has(pairKey(pair)))
    if (fresh.length > 0) {
      // A search that fails is taken up again with the next token.
      const scan = this.scan().catch(() => undefined)
      const asking = Promise.race([scan, sleep(SCAN_PATIENCE_MS)]).then(() => this.discover(fresh))
      for (const pair of fresh) this.asked.set(pairKey(pair), asking)
      // A pair that could not be asked for is asked for again next time.
      asking.catch(() => {
        for (const pair of fresh) this.asked.delete(pairKey(pair))
      })
    }
    const waiting = new Set(pairs.flatMap((pair) => this.asked.get(pairKey(pair)) ?? []))
    await abortable(Promise.all(waiting), signal)
    return this.snapshot()
  }

  async waitForBlock(number: number, timeoutMs: number, signal?: AbortSignal): Promise<Snapshot> {
    const deadline = Date.now() + timeoutMs
    for (;;) {
      if (this.published && this.published.block.number >= number) return this.published
      const left = deadline - Date.now()
      if (left <= 0) {
        const at = this.published ? `at block ${this.published.block.number}` : 'not read yet'
        throw new MarketError('BEHIND', `chain ${this.chainId} is ${at}, not at ${number}`)
      }
      // A node that fails is no reason to stop waiting: the time limit is.
      await abortable(Promise.race([this.sync().catch(() => undefined), sleep(left)]), signal)
      if (this.published && this.published.block.number >= number) continue
      await abortable(sleep(Math.min(WAIT_STEP_MS, Math.max(0, deadline - Date.now()))), signal)
    }
  }

  onSnapshot(listener: (snapshot: Snapshot) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  health(): MarketHealth {
    return {
      head: this.published?.block ?? null,
      lagMs: this.lastSyncMs === null ? null : Date.now() - this.lastSyncMs,
      error: this.lastError,
    }
  }

  start(): void {
    this.loop ??= this.poll()
  }

  async stop(): Promise<void> {
    this.stopped.abort(new MarketError('STOPPED', `the market of chain ${this.chainId} was stopped`))
    await this.loop
    await this.mutex.idle()
  }

  private async poll(): Promise<void> {
    const { signal } = this.stopped
    let failures = 0
    while (!signal.aborted) {
      try {
        await this.sync({ signal })
        await this.ensure(this.chain.hubs, { signal })
        failures = 0
      } catch {
        // `follow` has kept the reason for `health`; the node is asked again after a pause.
        failures++
      }
      const pauseMs = Math.min(this.pollMs * 2 ** Math.min(failures, 10), Math.max(MAX_PAUSE_MS, this.pollMs))
      await abortable(sleep(pauseMs), signal).catch(() => undefined)
    }
  }

  /** Brings the history to the node's head. Nothing changes when any read fails. */
  private async follow(): Promise<Snapshot> {
    const options = { signal: this.stopped.signal }
    try {
      const head = await this.rpc.getBlock('latest', options)
      if (!head) throw new MarketError('NOT_READY', `the node of chain ${this.chainId} has no latest block`)
      if (!this.history) {
        this.commit(new History([{ block: head, pools: PoolMap.empty, changed: new Set() }]), null)
      } else if (head.hash !== this.history.top.block.hash) {
        const branch = await findBranch(this.rpc, this.history, head, options)
        if (branch) await this.replay(this.history, branch.from, branch.blocks)
        else await this.rereadAll(head)
      }
      this.lastSyncMs = Date.now()
      this.lastError = null
      return this.snapshot()
    } catch (error) {
      this.lastError = error instanceof Error ? error.message : String(error)
      throw error
    }
  }

  /** Goes on from a block that is known: undoes what stood above it and applies the logs of what stands there now. */
  private async replay(history: History, from: Entry, blocks: readonly BlockHeader[]): Promise<void> {
    const options = { signal: this.stopped.signal }
    const logs = await Promise.all(
      blocks.map(({ hash }) => this.rpc.getLogs({ blockHash: hash, topics: [this.topics] }, options)),
    )
    const undone = history.above(from)
    const entries: Entry[] = []
    let pools = from.pools
    for (const [i, block] of blocks.entries()) {
      const { changed, reread } = applyLogs(pools, logs[i]!, (id) => this.families.get(id), this.idOf)
      const last = i === blocks.length - 1
      const silent = last ? this.silent(pools) : []
      const dirty = new Set([...silent, ...reread, ...this.awaited(pools, logs[i]!), ...this.created(logs[i]!)])
      const read = await this.read(block, dirty)
      const readable = new Set(read.map(({ id }) => id))
      // One that can no longer be read, such as a paused one, must not be quoted from what it was.
      const gone = [...dirty].filter((id) => !readable.has(id) && pools.has(id))
      const differ = read.filter(({ id, state }) => !isDeepStrictEqual(state, pools.get(id)?.state))
      pools = pools.with([...changed.values(), ...differ], gone)
      entries.push({
        block,
        pools,
        changed: new Set([...changed.keys(), ...differ.map(({ id }) => id), ...gone]),
      })
    }
    const next = history.goOn(from, entries)
    // Pools found since `from` are not in it: they are read where the history stands now.
    const missing = undone.length > 0 ? [...history.top.pools.keys()].filter((id) => !pools.has(id)) : []
    const read = await this.read(next.top.block, missing)
    const changed = new Set([...undone, ...entries].flatMap((entry) => [...entry.changed]))
    for (const { id } of read) changed.add(id)
    const top = { ...next.top, pools: pools.with(read), changed: new Set([...next.top.changed, ...missing]) }
    this.commit(next.replaceTop(top), [...changed])
  }

  /** Starts over at a block too far from those that are known. Pools made meanwhile are found when their tokens are asked for again. */
  private async rereadAll(head: BlockHeader): Promise<void> {
    const pools = PoolMap.empty.with(await this.read(head, this.found.keys()))
    this.asked.clear()
    this.commit(new History([{ block: head, pools, changed: new Set() }]), null)
  }

  /** Pools that no log tells about. */
  private silent(pools: PoolMap): readonly string[] {
    return [...this.found.values()]
      .filter(({ row, pool }) => this.families.get(row.family)?.changesSilently && pools.has(pool.id))
      .map(({ pool }) => pool.id)
  }

  private readonly idOf = (log: Log): string => this.idByTopic.get(log.topics[0]!)?.(log) ?? log.address

  /** Pools found but not readable so far that a block's logs speak of: one that was given its first price, say. */
  private awaited(pools: PoolMap, logs: readonly Log[]): readonly string[] {
    return logs.map(this.idOf).filter((id) => this.found.has(id) && !pools.has(id))
  }

  /** Pools that a block made between tokens that are known. */
  private created(logs: readonly Log[]): readonly string[] {
    return logs.flatMap((log) => {
      const row = this.rowByFactory.get(log.address)
      if (!row) return []
      const family = this.families.get(row.family)
      if (!family?.createdPool || !family.creationTopics?.includes(log.topics[0]!)) return []
      const pool = family.createdPool(row, log)
      if (!pool) return []
      if (family.listedByLogs) this.listed.set(pool.id, { row, pool })
      if (!this.isWanted(pool)) return []
      this.found.set(pool.id, { row, pool })
      return [pool.id]
    })
  }

  private read(block: BlockHeader, ids: Iterable<string>): Promise<readonly Pool[]> {
    const pools = [...ids].flatMap((id) => this.found.get(id) ?? [])
    return readPools(this.rpc, { blockHash: block.hash }, pools, this.families, { signal: this.stopped.signal })
  }

  /** Finds the pools of pairs and reads them at the newest block, which waits meanwhile. */
  private async discover(pairs: readonly Pair[]): Promise<void> {
    const options = { signal: this.stopped.signal }
    const block = { blockHash: this.snapshot().block.hash }
    const found = await findPools(this.rpc, block, this.rows, this.families, pairs, options)
    await this.add([...found, ...this.listed.values()].filter(({ pool }) => this.isWanted(pool)))
  }

  /** A pool that trades at least two tokens that somebody asked for. */
  private isWanted({ tokens }: Pool<null>): boolean {
    return tokens.filter((token) => this.tokens.has(token)).length >= 2
  }

  /** Reads pools at the newest block, which waits meanwhile, and takes them in. */
  private add(found: readonly FoundPool[]): Promise<void> {
    return this.mutex.run(async () => {
      const history = this.history!
      const { top } = history
      const fresh = found.filter(({ pool }) => !top.pools.has(pool.id))
      for (const entry of fresh) this.found.set(entry.pool.id, entry)
      if (fresh.length === 0) return
      const read = await this.read(
        top.block,
        fresh.map(({ pool }) => pool.id),
      )
      const changed = read.map(({ id }) => id)
      const entry = { ...top, pools: top.pools.with(read), changed: new Set([...top.changed, ...changed]) }
      this.commit(history.replaceTop(entry), changed)
    })
  }

  /** Searches past logs for the pools of families without getters; goes on where it was interrupted. */
  private scan(): Promise<void> {
    this.scanning ??= this.scanRows().catch((error: unknown) => {
      this.scanning = null
      throw error
    })
    return this.scanning
  }

  private async scanRows(): Promise<void> {
    const options = { signal: this.stopped.signal }
    const to = this.snapshot().block.number
    for (const row of this.rows) {
      const family = this.families.get(row.family)!
      if (!family.listedByLogs || !family.creationTopics || row.startBlock === undefined) continue
      const from = this.scannedTo.get(row) ?? row.startBlock
      const filter = { address: row.address, topics: [family.creationTopics] }
      for await (const { logs, scannedTo } of scanLogs(this.rpc, filter, from, to, options)) {
        const pools = logs.flatMap((log) => family.createdPool?.(row, log) ?? [])
        for (const pool of pools) this.listed.set(pool.id, { row, pool })
        const wanted = pools.filter((pool) => this.isWanted(pool))
        if (wanted.length > 0) await this.add(wanted.map((pool) => ({ row, pool })))
        this.scannedTo.set(row, scannedTo + 1)
      }
    }
  }

  private commit(history: History, changed: readonly string[] | null): void {
    this.history = history
    const { block, pools } = history.top
    const snapshot = { chainId: this.chainId, block, pools, changed }
    this.published = snapshot
    for (const listener of this.listeners) listener(snapshot)
  }
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref())

/** The promise, unless the caller gives up first; the work itself goes on for those who still want it. */
function abortable<T>(promise: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (!signal) return promise
  return new Promise((resolve, reject) => {
    const give = () => reject(signal.reason)
    if (signal.aborted) give()
    signal.addEventListener('abort', give, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', give))
  })
}

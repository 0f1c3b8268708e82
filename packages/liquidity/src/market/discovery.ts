/** Finds pools: by asking factories for pairs, and by searching past logs where a family has no getters. */

import type { Address } from '@sluice/chains'
import type { Priority } from '@sluice/rpc'
import type { StateCount } from '@sluice/simulation'
import { chunks } from '../dexes/common/chunks.ts'
import { AskedPairs } from './asked-pairs.ts'
import { Background } from './background.ts'
import type { Evictor } from './evictor.ts'
import type { Follower, MarketParts } from './follow.ts'
import type { MarketLimits } from './limits.ts'
import { type Pair, pairsOf } from './pairs.ts'
import { type FoundPool, findPools } from './pool-reader.ts'
import { scanLogs } from './scan.ts'
import { abortable, BACKGROUND_TIMEOUT_MS, sleep } from './timing.ts'

/** How long a token that is asked for waits for the search of past logs; what is found later joins by itself. */
const SCAN_PATIENCE_MS = 500
/** Tokens looked for together in the background: a megabyte or two, and a part of a second of the node's time. */
const TOKENS_AT_ONCE = 25
/** Pools read while the newest block waits. */
const POOLS_AT_ONCE = 200

export type DiscoveryOptions = {
  readonly parts: MarketParts
  readonly hubs: readonly Address[]
  readonly follower: Follower
  readonly evictor: Evictor
  readonly limits: MarketLimits
}

export class Discovery {
  private readonly parts: MarketParts
  private readonly hubs: readonly Address[]
  private readonly follower: Follower
  private readonly evictor: Evictor
  private readonly asked: AskedPairs
  private readonly background: Background<Address>
  private scanning: Promise<void> | null = null

  constructor({ parts, hubs, follower, evictor, limits }: DiscoveryOptions) {
    this.parts = parts
    this.hubs = hubs
    this.evictor = evictor
    this.follower = follower
    this.asked = new AskedPairs(parts.book.tokens, limits)
    this.background = new Background((tokens) => this.find(tokens), limits.queued, TOKENS_AT_ONCE)
  }

  get counts(): Readonly<Record<'pairs' | 'queued', StateCount>> {
    return { pairs: this.asked.count, queued: this.background.count }
  }

  /** Pairs that need not be asked for again. */
  get pairs(): Iterable<string> {
    return this.asked.keys()
  }

  remember(pairs: Iterable<string>): void {
    this.asked.remember(pairs)
  }

  forgetPairs(): void {
    this.asked.forgetAll()
  }

  /** Resolves when the pools of each group of tokens, with one another and with the hubs, are in memory. @throws RpcError */
  async ensure(groups: readonly (readonly Address[])[], signal?: AbortSignal): Promise<void> {
    for (const token of groups.flat()) this.parts.book.tokens.add(token)
    const pairs = groups.flatMap((tokens) => pairsOf(tokens, this.hubs))
    await abortable(this.askFor(pairs, 'lookup'), signal)
  }

  /** The same of one token with the hubs, in its turn and within the budget of the background. @throws RpcError, MarketError `BUSY` */
  async seek(token: Address): Promise<void> {
    const { tokens } = this.parts.book
    const known = tokens.has(token)
    // One that is followed stays so while it is asked for; a new one is followed when its turn comes.
    if (known) tokens.add(token)
    if (known && pairsOf([token], this.hubs).every((pair) => !this.asked.isNew(pair) && !this.asked.asking(pair)))
      return
    await this.background.add(token, token)
  }

  private async find(tokens: readonly Address[]): Promise<void> {
    for (const token of tokens) this.parts.book.tokens.add(token)
    await this.askFor(
      tokens.flatMap((token) => pairsOf([token], this.hubs)),
      'background',
    )
  }

  private async askFor(pairs: readonly Pair[], priority: Priority): Promise<void> {
    const fresh = pairs.filter((pair) => this.asked.isNew(pair))
    if (fresh.length > 0) {
      // A search that fails is taken up again with the next token.
      const scan = this.scan().catch(() => undefined)
      const asking = Promise.race([scan, sleep(SCAN_PATIENCE_MS)]).then(() => this.discover(fresh, priority))
      this.asked.ask(fresh, asking)
    }
    await Promise.all(new Set(pairs.flatMap((pair) => this.asked.asking(pair) ?? [])))
  }

  private async discover(pairs: readonly Pair[], priority: Priority): Promise<void> {
    const { rpc, book, signal } = this.parts
    const options = { signal, priority, ...(priority === 'background' && { timeoutMs: BACKGROUND_TIMEOUT_MS }) }
    const found = await this.follower.retrying(({ hash }) =>
      findPools(rpc, { blockHash: hash }, book.rows, book.families, pairs, options),
    )
    await this.add([...found, ...book.listed.values()])
  }

  /** Takes in those of the pools that are wanted, some at a time: the newest block waits while they are read. */
  private async add(found: readonly FoundPool[]): Promise<void> {
    const { book, ledger } = this.parts
    const wanted = found.filter(({ pool }) => book.isWanted(pool) && !ledger.newest?.pools.has(pool.id))
    for (const some of chunks(wanted, POOLS_AT_ONCE)) await ledger.mutex.run(() => this.addSome(some))
    if (wanted.length > 0) this.evictor.run()
  }

  private addSome(found: readonly FoundPool[]): Promise<void> {
    const { book, ledger } = this.parts
    return this.follower.atHead(async (top) => {
      const fresh = found.filter(({ pool }) => book.isWanted(pool) && !top.pools.has(pool.id))
      const ids = fresh.filter((entry) => book.add(entry)).map(({ pool }) => pool.id)
      if (ids.length === 0) return
      const read = await this.follower.read(top.block, ids)
      const changed = read.map(({ id }) => id)
      const entry = { ...top, pools: top.pools.with(read), changed: new Set([...top.changed, ...changed]) }
      ledger.commit(ledger.history!.replaceTop(entry), changed)
    })
  }

  /** Goes on where it was interrupted. */
  private scan(): Promise<void> {
    this.scanning ??= this.scanRows().catch((error: unknown) => {
      this.scanning = null
      throw error
    })
    return this.scanning
  }

  private async scanRows(): Promise<void> {
    const { rpc, book, ledger, signal } = this.parts
    const options = { signal, priority: 'background', timeoutMs: BACKGROUND_TIMEOUT_MS } as const
    const to = ledger.snapshot().block.number
    for (const row of book.rows) {
      const family = book.familyOf(row)
      if (!family.listedByLogs || !family.creationTopics || row.startBlock === undefined) continue
      const from = book.scannedTo.get(row) ?? row.startBlock
      const filter = { address: row.address, topics: [family.creationTopics] }
      for await (const { logs, scannedTo } of scanLogs(rpc, filter, from, to, options)) {
        const pools = logs.flatMap((log) => family.createdPool?.(row, log) ?? [])
        for (const pool of pools) book.listed.set(pool.id, { row, pool })
        await this.add(pools.map((pool) => ({ row, pool })))
        book.scannedTo.set(row, scannedTo + 1)
      }
    }
  }
}

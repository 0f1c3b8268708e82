/** Finds pools: by asking factories for pairs, and by searching past logs where a family has no getters. */
import type { Address } from '@sluice/chains'
import { pairKey } from '../dexes/common/direction.ts'
import type { Follower, MarketParts } from './follow.ts'
import { type Pair, pairsOf } from './pairs.ts'
import { type FoundPool, findPools } from './pool-reader.ts'
import { scanLogs } from './scan.ts'
import { abortable, sleep } from './timing.ts'

/** How long a token that is asked for waits for the search of past logs; what is found later joins by itself. */
const SCAN_PATIENCE_MS = 500

export class Discovery {
  private readonly parts: MarketParts
  private readonly hubs: readonly Address[]
  private readonly follower: Follower
  /** Pairs asked for, or being asked for. */
  private readonly asked = new Map<string, Promise<void>>()
  /** Of these, those whose pools are in memory. */
  private readonly answered = new Set<string>()
  private scanning: Promise<void> | null = null

  constructor(parts: MarketParts, hubs: readonly Address[], follower: Follower) {
    this.parts = parts
    this.hubs = hubs
    this.follower = follower
  }

  /** Pairs that need not be asked for again. */
  get pairs(): Iterable<string> {
    return this.answered
  }

  remember(pairs: Iterable<string>): void {
    for (const pair of pairs) {
      this.asked.set(pair, Promise.resolve())
      this.answered.add(pair)
    }
  }

  forgetPairs(): void {
    this.asked.clear()
    this.answered.clear()
  }

  /** Resolves when the pools of the tokens, with one another and with the hubs, are in memory. @throws RpcError */
  async ensure(tokens: readonly Address[], signal?: AbortSignal): Promise<void> {
    const { book } = this.parts
    for (const token of tokens) book.tokens.add(token)
    const pairs = pairsOf(tokens, this.hubs)
    const fresh = pairs.filter((pair) => !this.asked.has(pairKey(pair)))
    if (fresh.length > 0) {
      // A search that fails is taken up again with the next token.
      const scan = this.scan().catch(() => undefined)
      const asking = Promise.race([scan, sleep(SCAN_PATIENCE_MS)]).then(() => this.discover(fresh))
      for (const pair of fresh) this.asked.set(pairKey(pair), asking)
      const keep = () => {
        for (const pair of fresh) this.answered.add(pairKey(pair))
      }
      // A pair that could not be asked for is asked for again next time.
      const forget = () => {
        for (const pair of fresh) this.asked.delete(pairKey(pair))
      }
      asking.then(keep, forget)
    }
    const waiting = new Set(pairs.flatMap((pair) => this.asked.get(pairKey(pair)) ?? []))
    await abortable(Promise.all(waiting), signal)
  }

  private async discover(pairs: readonly Pair[]): Promise<void> {
    const { rpc, book, ledger, signal } = this.parts
    const block = { blockHash: ledger.snapshot().block.hash }
    const found = await findPools(rpc, block, book.rows, book.families, pairs, { signal })
    await this.add([...found, ...book.listed.values()].filter(({ pool }) => book.isWanted(pool)))
  }

  /** Reads pools at the newest block, which waits meanwhile, and takes them in. */
  private add(found: readonly FoundPool[]): Promise<void> {
    const { book, ledger } = this.parts
    return ledger.mutex.run(async () => {
      const history = ledger.history!
      const { top } = history
      const fresh = found.filter(({ pool }) => !top.pools.has(pool.id))
      for (const entry of fresh) book.found.set(entry.pool.id, entry)
      if (fresh.length === 0) return
      const read = await this.follower.read(
        top.block,
        fresh.map(({ pool }) => pool.id),
      )
      const changed = read.map(({ id }) => id)
      const entry = { ...top, pools: top.pools.with(read), changed: new Set([...top.changed, ...changed]) }
      ledger.commit(history.replaceTop(entry), changed)
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
    const to = ledger.snapshot().block.number
    for (const row of book.rows) {
      const family = book.familyOf(row)
      if (!family.listedByLogs || !family.creationTopics || row.startBlock === undefined) continue
      const from = book.scannedTo.get(row) ?? row.startBlock
      const filter = { address: row.address, topics: [family.creationTopics] }
      for await (const { logs, scannedTo } of scanLogs(rpc, filter, from, to, { signal })) {
        const pools = logs.flatMap((log) => family.createdPool?.(row, log) ?? [])
        for (const pool of pools) book.listed.set(pool.id, { row, pool })
        const wanted = pools.filter((pool) => book.isWanted(pool))
        if (wanted.length > 0) await this.add(wanted.map((pool) => ({ row, pool })))
        book.scannedTo.set(row, scannedTo + 1)
      }
    }
  }
}

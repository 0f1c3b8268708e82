/** Consumes the workers' requests for pools from a stream in Redis, and records which token pairs were loaded. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type IndexedMarket, type PairScope, pairKeysOf } from '@sluice/liquidity'
import { Semaphore } from '@sluice/rpc'
import { type Connection, fieldsOf, type RedisReply } from './connection.ts'
import { isAtOrAfter } from './head.ts'
import type { ChainKeys } from './keys.ts'
import { readRequest } from './request-stream.ts'

/** Milliseconds that a read of requests blocks. */
const WAIT_MS = 500
/** Maximum requests per read, and maximum requests processed at a time. */
const MAX_REQUESTS = 50
/**
 * Number of pending requests at which reading pauses. Meanwhile the stream drops old requests, but workers repeat them.
 */
const MAX_PENDING = 2 * MAX_REQUESTS
/** Milliseconds between two checks whether requests may be read again. */
const FULL_PAUSE_MS = 50
/** Maximum age in milliseconds of requests that a new owner reads. Workers repeat requests that are still needed. */
const RECENT_MS = 5_000

type Options = {
  readonly keys: ChainKeys
  readonly scope: PairScope
  /** Returns the market; undefined while another process owns the chain. */
  readonly market: () => IndexedMarket | undefined
  readonly signal: AbortSignal
  /** Called when the pools of a request are loaded. */
  readonly onLoaded: () => void
}

/** Processes requests for pairs while this process owns the chain. */
export class PairRequests {
  private readonly options: Options
  private readonly slots = new Semaphore(MAX_REQUESTS)
  /** Number of requests that are processed or wait for a slot. */
  private pendingCount = 0
  /** Loaded pairs by the market that loaded them, because the next owner's market may lack them. */
  private readonly loadedPairs = new WeakMap<IndexedMarket, Set<string>>()

  constructor(options: Options) {
    this.options = options
  }

  /** Returns the pairs that a market has loaded since the last call. */
  takeLoadedPairs(market: IndexedMarket): Iterable<string> {
    const pairs = this.loadedPairs.get(market) ?? []
    this.loadedPairs.delete(market)
    return pairs
  }

  async listen(connection: Connection): Promise<void> {
    const { keys, signal, market } = this.options
    let lastId: string | null = null
    while (!signal.aborted) {
      const ownedMarket = market()
      if (!ownedMarket) {
        lastId = null
        await sleep(WAIT_MS / 2, undefined, { signal })
        continue
      }
      if (this.pendingCount >= MAX_PENDING) {
        await sleep(FULL_PAUSE_MS, undefined, { signal })
        continue
      }
      lastId ??= await streamIdAt(connection, RECENT_MS)
      const answer: [string, [string, RedisReply[]][]][] | null = await connection.call(
        ...['XREAD', 'COUNT', MAX_REQUESTS, 'BLOCK', WAIT_MS, 'STREAMS', keys.requests, lastId],
      )
      for (const [id, flat] of answer?.[0]?.[1] ?? []) {
        lastId = id
        this.pendingCount++
        void this.slots
          .run(() => this.processRequest(ownedMarket, fieldsOf(flat).want))
          // A worker that still waits repeats a failed request.
          .catch(() => {})
          .finally(() => this.pendingCount--)
      }
      // If Redis restarted with an earlier clock, new ids are lower than `lastId`, and reads would never return them.
      if (!answer) lastId = isAtOrAfter(lastId, await streamIdAt(connection)) ? null : lastId
    }
  }

  private async processRequest(market: IndexedMarket, text: string | undefined): Promise<void> {
    const request = readRequest(text)
    if (!request) return
    const { scope, signal, onLoaded } = this.options
    const { groups = [], tokens = [], block } = request
    if (block !== undefined && block > (market.health().head?.number ?? 0)) await market.sync({ signal })
    if (groups.length > 0) await market.ensureGroups(groups, { signal })
    if (tokens.length > 0) await market.searchPools(tokens)
    const loadedPairs = this.loadedPairs.get(market) ?? new Set()
    for (const pair of pairKeysOf({ groups, tokens }, scope)) loadedPairs.add(pair)
    this.loadedPairs.set(market, loadedPairs)
    onLoaded()
  }
}

/** Returns a stream id that is `agoMs` old by the clock of Redis, or up to a second newer. */
async function streamIdAt(connection: Connection, agoMs = 0): Promise<string> {
  const [seconds] = await connection.call<[string, string]>('TIME')
  return `${(Number(seconds) + 1) * 1_000 - agoMs}-0`
}

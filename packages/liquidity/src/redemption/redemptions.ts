/**
 * Cache of the assets that share tokens (vault shares, LP tokens) redeem for. Tokens are checked on request, and shares
 * are read again at each requested block. `packages/pricing` prices shares from these readings.
 */
import { type Address, type Chain, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import type { BlockHeader, Rpc } from '@sluice/rpc'
import { BoundedMap, type StateCount } from '@sluice/simulation'
import { BatchQueue } from '../market/batch-queue.ts'
import { runReads } from '../market/reads.ts'
import { type Redemption, readRedemptions, UNREADABLE } from './read.ts'

/** Maximum cached shares, and maximum cached tokens that are not shares. */
const MAX_CACHED_TOKENS = 20_000
/** Milliseconds for which a token is cached as not a share. */
const NOT_A_SHARE_MS = 3_600_000
/** Milliseconds for which a token that cannot be read is cached as not a share. */
const UNREADABLE_MS = 60_000
/** Milliseconds for which a token is cached as having no supply. */
const UNISSUED_MS = 2_000
/** Tokens per batch, and maximum tokens in the queue. */
const BATCH_SIZE = 40
const MAX_QUEUED = 2_000
/** Maximum nesting: shares of shares of shares. */
const MAX_LEVELS = 3
/** Timeout of the reads of one batch. */
const TIMEOUT_MS = 5_000

/**
 * Readings of a share, newest first. `readings` is empty if the share could not be read at the last requested block, such
 * as a paused vault. `blockHash` identifies that block.
 */
type CachedReadings = { readonly readings: readonly Redemption[]; readonly blockHash: string }
/** Node and block to read from. */
export type RedemptionSource = {
  readonly rpc: Rpc
  readonly block: BlockHeader
  /** Returns an account that may hold some of a share. */
  readonly holderOf?: ((share: Address) => Address | undefined) | undefined
}

/** Redemption cache of one chain. */
export class RedemptionCache {
  private readonly ignoredTokens: ReadonlySet<Address>
  private readonly addressProvider: Address | undefined
  private readonly readingsByShare = new BoundedMap<Address, CachedReadings>(MAX_CACHED_TOKENS)
  private readonly nonShares = new BoundedMap<Address, true>(MAX_CACHED_TOKENS, { ttl: NOT_A_SHARE_MS })
  /** Tokens without supply, or without code yet. */
  private readonly unissuedTokens = new BoundedMap<Address, true>(MAX_CACHED_TOKENS, { ttl: UNISSUED_MS })
  private readonly queue = new BatchQueue<Address>((tokens) => this.read(tokens), MAX_QUEUED, BATCH_SIZE)
  private latestSource: RedemptionSource | undefined

  /** Ignores tokens that pools price directly, and shares that the chain's file lists as pools. */
  constructor({ hubs, stables, wrappedNative, dexes }: Chain) {
    const pricedTokens = [wrappedNative, ...stables].flatMap((token) => (token ? [token.address] : []))
    const rows = dexes.map(({ address }) => address)
    this.ignoredTokens = new Set([NATIVE, ZERO_ADDRESS, ...hubs, ...pricedTokens, ...rows])
    this.addressProvider = dexes.find(({ version }) => version === 'address-provider')?.address
  }

  get stateCount(): StateCount {
    const [shares, nonShares] = [this.readingsByShare.count, this.nonShares.count]
    return { entries: shares.entries + nonShares.entries, evicted: shares.evicted + nonShares.evicted }
  }

  /** Returns the last reading, then the reading of an earlier block; undefined if the token is not a known share. */
  readingsOf(token: Address): readonly Redemption[] | undefined {
    const readings = this.readingsByShare.peek(token)?.readings
    return readings?.length ? readings : undefined
  }

  /** False if the token is a share that was read at another block, or had no supply. */
  isCurrentAt(token: Address, { hash }: BlockHeader): boolean {
    const cachedReadings = this.readingsByShare.peek(token)
    return (!cachedReadings || cachedReadings.blockHash === hash) && !this.unissuedTokens.has(token)
  }

  /**
   * Checks whether tokens are shares, and reads the shares among them at a block, down to their parts.
   *
   * @returns the parts of all shares
   * @throws RpcError; MarketError `BUSY` if the queue is full
   */
  async readShares(tokens: readonly Address[], source: RedemptionSource): Promise<readonly Address[]> {
    this.latestSource = source
    const allParts = new Set<Address>()
    let levelTokens = tokens
    for (let depth = 0; depth < MAX_LEVELS && levelTokens.length > 0; depth++) {
      await Promise.all(levelTokens.filter((token) => this.isDue(token)).map((token) => this.queue.add(token, token)))
      const parts = levelTokens.flatMap((token) => this.readingsOf(token)?.[0]?.parts ?? []).map(({ token }) => token)
      levelTokens = [...new Set(parts)].filter((token) => !allParts.has(token))
      for (const token of levelTokens) allParts.add(token)
    }
    return [...allParts]
  }

  private isDue(token: Address): boolean {
    if (this.ignoredTokens.has(token) || this.nonShares.has(token) || this.unissuedTokens.has(token)) return false
    const cachedReadings = this.readingsByShare.get(token)
    // Read again at every requested block, so that a falling rate takes effect at once.
    return !cachedReadings || cachedReadings.blockHash !== this.latestSource!.block.hash
  }

  private async read(tokens: readonly Address[]): Promise<void> {
    const { rpc, block, holderOf } = this.latestSource!
    const blockHash = block.hash
    const holders = tokens.map((token) => holderOf?.(token) ?? ZERO_ADDRESS)
    const options = { priority: 'lookup', timeoutMs: TIMEOUT_MS } as const
    const [results] = await runReads(
      rpc,
      { blockHash },
      [readRedemptions(tokens, holders, this.addressProvider)],
      options,
    )
    for (const [i, token] of tokens.entries()) {
      const reading = results![i]
      if ((reading === null || reading === UNREADABLE) && this.readingsByShare.has(token)) {
        this.readingsByShare.set(token, { readings: [], blockHash })
        continue
      }
      if (reading === UNREADABLE) {
        this.nonShares.set(token, true, { ttl: UNREADABLE_MS })
        continue
      }
      if (!reading) {
        this.readingsByShare.delete(token)
        if (reading === null) this.nonShares.set(token, true)
        else this.unissuedTokens.set(token, true)
        continue
      }
      const [previousReading] = this.readingsOf(token) ?? []
      this.readingsByShare.set(token, { readings: previousReading ? [reading, previousReading] : [reading], blockHash })
    }
  }
}

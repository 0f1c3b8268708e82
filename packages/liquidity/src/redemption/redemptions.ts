/** Tokens that are shares of others, with what they redeem for: looked for when somebody asks, and read again while he does. */
import { type Address, type Chain, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import type { BlockHeader, Rpc } from '@sluice/rpc'
import { Bounded, type StateCount } from '@sluice/simulation'
import { Background } from '../market/background.ts'
import { runReads } from '../market/reads.ts'
import { type Redemption, readRedemptions } from './read.ts'

/** Tokens known to be shares, and as many known to be none. */
const MOST_TOKENS = 20_000
/** Milliseconds for which a token stays known to be no share. */
const NONE_MS = 3_600_000
/** The same for one of which none have been given out. */
const UNISSUED_MS = 2_000
/** Tokens of one look, and tokens that may wait for theirs. */
const AT_ONCE = 40
const MOST_WAITING = 2_000
/** Shares of shares of shares, and no more. */
const MOST_LEVELS = 3
const TIMEOUT_MS = 5_000

type Seen = { readonly readings: readonly Redemption[]; readonly hash: string }
export type RedemptionSource = {
  readonly rpc: Rpc
  readonly block: BlockHeader
  /** An account that may hold some of a share. */
  readonly holderOf?: ((share: Address) => Address | undefined) | undefined
}

export class Redemptions {
  private readonly ignored: ReadonlySet<Address>
  private readonly registries: Address | undefined
  private readonly shares = new Bounded<Address, Seen>(MOST_TOKENS)
  private readonly others = new Bounded<Address, true>(MOST_TOKENS, { ttl: NONE_MS })
  /** Tokens of which none have been given out, or that were not there yet. */
  private readonly unissued = new Bounded<Address, true>(MOST_TOKENS, { ttl: UNISSUED_MS })
  private readonly queue = new Background<Address>((tokens) => this.read(tokens), MOST_WAITING, AT_ONCE)
  private source: RedemptionSource | undefined

  /** Tokens that others are measured by are worth what their pools say, and shares of the chain's file are pools themselves. */
  constructor({ hubs, stables, wrappedNative, dexes }: Chain) {
    const known = [wrappedNative, ...stables].flatMap((token) => (token ? [token.address] : []))
    const rows = dexes.map(({ address }) => address)
    this.ignored = new Set([NATIVE, ZERO_ADDRESS, ...hubs, ...known, ...rows])
    this.registries = dexes.find(({ version }) => version === 'address-provider')?.address
  }

  get count(): StateCount {
    const [shares, others] = [this.shares.count, this.others.count]
    return { entries: shares.entries + others.entries, evicted: shares.evicted + others.evicted }
  }

  /** The last reading, and before it the one of another block; undefined for what is not known to be a share. */
  of(token: Address): readonly Redemption[] | undefined {
    return this.shares.peek(token)?.readings
  }

  /** False for a share that was read at another block. */
  isOf(token: Address, { hash }: BlockHeader): boolean {
    const seen = this.shares.peek(token)
    return (!seen || seen.hash === hash) && !this.unissued.has(token)
  }

  /**
   * Looks whether tokens are shares, and reads those that are as of a block.
   *
   * @returns what the shares among them redeem for
   * @throws RpcError; MarketError `BUSY` where too many wait already
   */
  async seek(tokens: readonly Address[], source: RedemptionSource): Promise<readonly Address[]> {
    this.source = source
    const all = new Set<Address>()
    let level = tokens
    for (let depth = 0; depth < MOST_LEVELS && level.length > 0; depth++) {
      await Promise.all(level.filter((token) => this.isDue(token)).map((token) => this.queue.add(token, token)))
      const parts = level.flatMap((token) => this.of(token)?.[0]?.parts ?? []).map(({ token }) => token)
      level = [...new Set(parts)].filter((token) => !all.has(token))
      for (const token of level) all.add(token)
    }
    return [...all]
  }

  private isDue(token: Address): boolean {
    if (this.ignored.has(token) || this.others.has(token) || this.unissued.has(token)) return false
    const seen = this.shares.get(token)
    // At every block that is asked about: a rate that fell counts at once.
    return !seen || seen.hash !== this.source!.block.hash
  }

  private async read(tokens: readonly Address[]): Promise<void> {
    const { rpc, block, holderOf } = this.source!
    const { hash } = block
    const holders = tokens.map((token) => holderOf?.(token) ?? ZERO_ADDRESS)
    const options = { priority: 'lookup', timeoutMs: TIMEOUT_MS } as const
    const [found] = await runReads(
      rpc,
      { blockHash: hash },
      [readRedemptions(tokens, holders, this.registries)],
      options,
    )
    for (const [k, token] of tokens.entries()) {
      const now = found![k]
      if (!now) {
        this.shares.delete(token)
        if (now === null) this.others.set(token, true)
        else this.unissued.set(token, true)
        continue
      }
      const [last] = this.of(token) ?? []
      this.shares.set(token, { readings: last ? [now, last] : [now], hash })
    }
  }
}

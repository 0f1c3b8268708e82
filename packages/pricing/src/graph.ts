/** A chain's pools as what they say about their tokens. Changed in place, pool by pool. */
import { type Address, type Chain, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import type { Pool } from '@sluice/liquidity'
import type { PairView, PoolView } from './pool-view.ts'

/** A token with its pools and what is known of its worth. */
export type Token = {
  readonly address: Address
  /** Named by the chain's file: its liquidity counts for what it is. */
  readonly vouched: boolean
  readonly holdings: Set<Holding>
  /** See `Frame`. */
  level: number
  reference: number
  /** The key under which it waits to be looked at; 0 when it does not. */
  queued: number
  /** `level` when the frame was last settled: only tokens above speak for it. */
  order: number
  /** See `Worth`: good for the version they were worked out for. */
  price: number
  evidence: number
  version: number
}

/** What a pool holds and says, by its tokens. */
export type Holding = { pool: Pool; view: PoolView; readonly tokens: readonly Token[] }

/** Pools hold the native asset as the zero address; it is worth exactly its wrapper, so both are one token here. */
export function canonical(token: Address, chain: Chain): Address {
  if (token !== NATIVE && token !== ZERO_ADDRESS) return token
  return chain.wrappedNative?.address ?? ZERO_ADDRESS
}

/** The token that a pair of a pool lets speak for another; undefined where the pair is not of that one. */
export function speakerFor(token: Token, { tokens }: Holding, { i, j }: PairView): Token | undefined {
  const [a, b] = [tokens[i]!, tokens[j]!]
  if (a === b) return undefined
  return a === token ? b : b === token ? a : undefined
}

/** Base units of the speaker per base unit of the token. */
export const rateFor = (token: Token, { tokens }: Holding, pair: PairView) =>
  tokens[pair.i] === token ? pair.mid : 1 / pair.mid

/** Base units of the speaker that stand behind that. */
export const backingFor = (token: Token, { tokens }: Holding, pair: PairView) =>
  tokens[pair.i] === token ? pair.backingJ : pair.backingI

export class TokenGraph {
  readonly tokens = new Map<Address, Token>()
  private readonly chain: Chain
  private readonly vouched: ReadonlySet<Address>
  private readonly holdings = new Map<string, Holding>()

  /** @param vouched - tokens that the chain's file names */
  constructor(chain: Chain, vouched: ReadonlySet<Address>) {
    this.chain = chain
    this.vouched = vouched
  }

  find(address: Address): Token | undefined {
    return this.tokens.get(canonical(address, this.chain))
  }

  /** Whether a pool is known under this id with other tokens, and has to be removed first. */
  isOther({ id, tokens }: Pool): boolean {
    const known = this.holdings.get(id)?.pool.tokens
    return known?.some((token, k) => token !== tokens[k]) ?? false
  }

  /** Takes in a pool as it is now. @returns what it says about whom */
  put(pool: Pool, view: PoolView): Holding {
    const known = this.holdings.get(pool.id)
    if (known) {
      known.pool = pool
      known.view = view
      return known
    }
    const holding: Holding = { pool, view, tokens: pool.tokens.map((address) => this.tokenAt(address)) }
    this.holdings.set(pool.id, holding)
    for (const token of holding.tokens) token.holdings.add(holding)
    return holding
  }

  /** @returns what the pool was; undefined when it was not known */
  remove(id: string): Holding | undefined {
    const holding = this.holdings.get(id)
    if (!holding) return undefined
    this.holdings.delete(id)
    for (const token of holding.tokens) {
      token.holdings.delete(holding)
      if (token.holdings.size === 0) this.tokens.delete(token.address)
    }
    return holding
  }

  private tokenAt(address: Address): Token {
    const canon = canonical(address, this.chain)
    let token = this.tokens.get(canon)
    if (!token) {
      token = {
        address: canon,
        vouched: this.vouched.has(canon),
        holdings: new Set(),
        level: 0,
        reference: Number.NaN,
        queued: 0,
        order: 0,
        price: Number.NaN,
        evidence: 0,
        version: -1,
      }
      this.tokens.set(canon, token)
    }
    return token
  }
}

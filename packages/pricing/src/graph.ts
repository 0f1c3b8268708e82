/** Token graph of a chain: each pool adds rates between its tokens. Updated in place, pool by pool. */
import { type Address, type Chain, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import type { Pool } from '@sluice/liquidity'
import { IdTable } from './id-table.ts'
import { isSimilar, PoolHistory } from './pool-history.ts'
import type { PairView, PoolView } from './pool-view.ts'
import { type EdgeRate, type Holding, type PricedToken, PriceEdge } from './token.ts'

/** Maps the native asset (the zero address in pools) to its wrapper, which always has the same price. */
export function canonical(token: Address, chain: Chain): Address {
  if (token !== NATIVE && token !== ZERO_ADDRESS) return token
  return chain.wrappedNative?.address ?? ZERO_ADDRESS
}

/** Pools of a token up to which those with a listed token are not indexed separately. */
const FEW_HOLDINGS = 256

/** True if the pool has other tokens than its previous version with the same id. */
export function hasOtherTokens({ tokens: before }: Pool, { tokens }: Pool): boolean {
  return before !== tokens && (before.length !== tokens.length || tokens.some((token, k) => token !== before[k]))
}

/** Graph of tokens and pools, with the price jumps of the last block. */
export class TokenGraph {
  readonly tokens = new IdTable<PricedToken>(({ address }) => address)
  private readonly chain: Chain
  private readonly listedTokens: ReadonlySet<Address>
  private readonly holdings = new IdTable<Holding>(({ pool }) => pool.id)
  /** Recent rates of pools that changed in the last blocks, by pool id; undefined before the second block. */
  private histories: Map<string, PoolHistory> | undefined
  private readonly jumpedHoldings = new Set<Holding>()
  private block = 0

  /** @param listedTokens - tokens listed in the chain's file */
  constructor(chain: Chain, listedTokens: ReadonlySet<Address>) {
    this.chain = chain
    this.listedTokens = listedTokens
  }

  find(address: Address): PricedToken | undefined {
    return this.tokens.get(canonical(address, this.chain))
  }

  isListed(address: Address): boolean {
    return this.listedTokens.has(canonical(address, this.chain))
  }

  /** False if a pool price jumped since the previous block. */
  get hasNoJumps(): boolean {
    return this.jumpedHoldings.size === 0
  }

  /**
   * Starts a new block.
   *
   * @returns pools whose jump now counts
   */
  startBlock(): readonly Holding[] {
    const settledHoldings = [...this.jumpedHoldings]
    for (const { edges } of settledHoldings) for (const edge of edges) edge.before = undefined
    this.jumpedHoldings.clear()
    this.histories ??= new Map()
    this.block++
    for (const [id, history] of this.histories) if (history.startBlock(this.holdings.get(id))) this.histories.delete(id)
    return settledHoldings
  }

  /** Returns a pool by id. */
  holding(id: string): Holding | undefined {
    return this.holdings.get(id)
  }

  /**
   * Adds or updates a pool.
   *
   * @param current - the pool's current entry, if it has the same tokens
   */
  addOrUpdate(pool: Pool, view: PoolView, current: Holding | undefined): Holding {
    let history = this.noteChange(pool.id, current)
    const holding = current ?? this.addHolding(pool, view)
    if (current) {
      holding.pool = pool
      holding.reserves = view.reserves
      holding.fee = view.fee
    }
    const before = holding.edges
    const hasSameTokens = setPairs(holding, view.pairs)
    if (!this.histories) return holding
    if (!history && (!hasSameTokens || before.some((edge) => !isSimilar(edge, last(edge)))))
      history = this.recordHistory(pool.id, before)
    if (history) this.compare(holding, history)
    return holding
  }

  private addHolding(pool: Pool, { reserves, fee }: PoolView): Holding {
    const tokens = pool.tokens.map((address) => this.tokenAt(address))
    const holding: Holding = { pool, reserves, fee, tokens, edges: [] }
    this.holdings.set(holding)
    for (let k = 0; k < tokens.length; k++) {
      const token = tokens[k]!
      if (tokens.indexOf(token) < k) continue
      const count = token.holdings.push(holding)
      if (count > FEW_HOLDINGS) indexListed(token, holding)
    }
    return holding
  }

  /** Stamps the rates of a pool before its first change in a block. Most changes are small and need no history. */
  private noteChange(id: string, holding: Holding | undefined): PoolHistory | undefined {
    if (!this.histories) return undefined
    const history = this.histories.get(id)
    if (history) history.hasChanged = true
    else if (holding) for (const edge of holding.edges) stamp(edge, this.block)
    else return this.storeHistory(id, new PoolHistory([]))
    return history
  }

  /** @param edges - edges before the change, stamped in this block */
  private recordHistory(id: string, edges: readonly PriceEdge[]): PoolHistory {
    const rates = edges.map((edge) => {
      const { rate, backing } = last(edge)
      return { token: edge.token.address, otherToken: edge.otherToken.address, rate, backing }
    })
    return this.storeHistory(id, new PoolHistory(rates))
  }

  private storeHistory(id: string, history: PoolHistory): PoolHistory {
    this.histories?.set(id, history)
    return history
  }

  private compare(holding: Holding, history: PoolHistory): void {
    keepEndedEdges(holding, history)
    let hasJump = false
    for (const edge of holding.edges) {
      edge.before = history.before(edge)
      hasJump ||= edge.before !== undefined
    }
    if (hasJump) this.jumpedHoldings.add(holding)
    else this.jumpedHoldings.delete(holding)
  }

  /** @returns the removed pool; undefined if unknown */
  remove(id: string): Holding | undefined {
    const holding = this.holdings.get(id)
    if (!holding) return undefined
    if (this.histories && !this.noteChange(id, holding)) this.recordHistory(id, holding.edges)
    this.holdings.delete(id)
    this.jumpedHoldings.delete(holding)
    for (const edge of holding.edges) edge.detach()
    for (const token of new Set(holding.tokens)) {
      removeHolding(token.holdings, holding)
      token.listedHoldings?.delete(holding)
      if (token.proof === holding) token.proof = undefined
      if (token.holdings.length === 0) this.tokens.delete(token.address)
    }
    return holding
  }

  private tokenAt(address: Address): PricedToken {
    const canon = canonical(address, this.chain)
    let token = this.tokens.get(canon)
    if (!token) {
      // Fields that price computations read come first, because memory access dominates their cost.
      token = {
        otherTokens: [],
        edgeData: [],
        jumpedEdges: 0,
        order: 0,
        version: -1,
        isListed: this.listedTokens.has(canon),
        price: Number.NaN,
        evidence: 0,
        before: undefined,
        best: -1,
        address: canon,
        deepVersion: -1,
        isDeep: false,
        edges: [],
        level: 0,
        reference: Number.NaN,
        queueKey: 0,
        holdings: [],
        listedHoldings: undefined,
        proof: undefined,
      }
      this.tokens.set(token)
    }
    return token
  }
}

/** Removes an element by moving the last one into its place. */
function removeHolding(holdings: Holding[], holding: Holding): void {
  const index = holdings.indexOf(holding)
  const last = holdings.pop()!
  if (last !== holding) holdings[index] = last
}

/** Indexes a pool by listed tokens; on the first call all pools of the token. */
function indexListed(token: PricedToken, addedHolding: Holding): void {
  const newHoldings = token.listedHoldings ? [addedHolding] : token.holdings
  token.listedHoldings ??= new Set()
  for (const holding of newHoldings) if (hasOtherListed(token, holding.tokens)) token.listedHoldings.add(holding)
}

function hasOtherListed(token: PricedToken, tokens: readonly PricedToken[]): boolean {
  for (const other of tokens) if (other.isListed && other !== token) return true
  return false
}

function stamp(edge: PriceEdge, block: number): void {
  if (edge.stamp === block) return
  edge.stamp = block
  edge.last = { rate: edge.rate, backing: edge.backing }
}

const last = (edge: PriceEdge): EdgeRate => edge.last ?? edge

/**
 * Replaces the rates of a pool.
 *
 * @returns true if the pairs are the same as before
 */
function setPairs(holding: Holding, pairs: readonly PairView[]): boolean {
  if (updatePairs(holding, pairs)) return true
  for (const edge of holding.edges) edge.detach()
  holding.edges = []
  for (const pair of pairs) {
    const [a, b] = [holding.tokens[pair.i]!, holding.tokens[pair.j]!]
    if (a === b) continue
    const attachedEdges = attachPair(holding, a, b, pair)
    // Most pools have one pair, and a growing array takes five times as much memory.
    holding.edges = holding.edges.length === 0 ? attachedEdges : [...holding.edges, ...attachedEdges]
  }
  return false
}

/**
 * Updates the rates in place.
 *
 * @returns false if the pairs differ; the edges must then be replaced
 */
function updatePairs({ tokens, edges }: Holding, pairs: readonly PairView[]): boolean {
  let index = 0
  for (const { i, j, mid, backingI, backingJ } of pairs) {
    const [a, b] = [tokens[i]!, tokens[j]!]
    if (a === b) continue
    const edge = edges[index]
    if (edge?.token !== a || edge.otherToken !== b) return false
    edge.setRate(mid, backingJ, backingI)
    edge.reverse.setRate(1 / mid, backingI, backingJ)
    index += 2
  }
  return index === edges.length
}

type Pair = Pick<PairView, 'mid' | 'backingI' | 'backingJ'>

function attachPair(
  holding: Holding,
  a: PricedToken,
  b: PricedToken,
  { mid, backingI, backingJ }: Pair,
): readonly PriceEdge[] {
  const forward = new PriceEdge(holding, a, b)
  const backward = new PriceEdge(holding, b, a)
  forward.reverse = backward
  backward.reverse = forward
  forward.attach(mid, backingJ, backingI)
  backward.attach(1 / mid, backingI, backingJ)
  return [forward, backward]
}

/** Keeps removed edges with zero backing, because their previous rate may count until the next block. */
function keepEndedEdges(holding: Holding, history: PoolHistory): void {
  const endedEdges: PriceEdge[] = []
  for (const { token, otherToken: other } of history.recent) {
    const [a, b] = [token, other].map((address) => holding.tokens.find((candidate) => candidate.address === address))
    const exists = [...holding.edges, ...endedEdges].some((edge) => edge.token === a && edge.otherToken === b)
    if (!a || !b || exists) continue
    endedEdges.push(...attachPair(holding, a, b, { mid: Number.NaN, backingI: 0, backingJ: 0 }))
  }
  if (endedEdges.length > 0) holding.edges = [...holding.edges, ...endedEdges]
}

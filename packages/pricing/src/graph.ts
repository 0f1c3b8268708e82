/**
 * Token graph of a chain: each pool adds edges with rates between its tokens. `Prices` updates the graph in place.
 *
 * Terms: Listed tokens are in the chain's file. The rate of an edge is an exchange rate, and its backing is the
 * liquidity behind the rate. An edge jumps if its rate or backing changes much in one block (see `pool-history.ts`).
 * The first change of a pool in a block stamps the pool's edges: it copies the rate before the change (`previousRate`)
 * and the block number (`stampedBlock`).
 */
import { type Address, type Chain, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import type { Pool } from '@sluice/liquidity'
import { IdTable } from './id-table.ts'
import { isSimilar, PoolHistory } from './pool-history.ts'
import type { PairView, PoolView } from './pool-view.ts'
import { type EdgeRate, type PricedPool, type PricedToken, PriceEdge } from './token.ts'

/** Maps the native token (the zero address in pools) to the wrapped native token, which always has the same price. */
export function canonicalToken(token: Address, chain: Chain): Address {
  if (token !== NATIVE && token !== ZERO_ADDRESS) return token
  return chain.wrappedNative?.address ?? ZERO_ADDRESS
}

/**
 * A token with more pools than this has an index of those pools that also hold another listed token:
 * `PricedToken.listedPools`.
 */
const MAX_UNINDEXED_POOLS = 256

/** True if the pool has other tokens than its previous version with the same id. */
export function hasOtherTokens({ tokens: oldTokens }: Pool, { tokens }: Pool): boolean {
  return (
    oldTokens !== tokens && (oldTokens.length !== tokens.length || tokens.some((token, k) => token !== oldTokens[k]))
  )
}

/** Graph of tokens and pools, with the price jumps of the last block. */
export class TokenGraph {
  readonly tokens = new IdTable<PricedToken>(({ address }) => address)
  private readonly chain: Chain
  private readonly listedTokens: ReadonlySet<Address>
  private readonly isUnsellable: (token: Address) => boolean
  /** Tokens of the graph that cannot be sold. */
  readonly unsellableTokens = new Set<PricedToken>()
  private readonly poolById = new IdTable<PricedPool>(({ pool }) => pool.id)
  /** Recent rates of pools that changed in the last blocks, by pool id; undefined before the second block. */
  private historyByPoolId: Map<string, PoolHistory> | undefined
  /** Pools that jumped in the current block. */
  private readonly jumpedPools = new Set<PricedPool>()
  /** Number of started blocks. */
  private blockIndex = 0

  /**
   * @param listedTokens - tokens listed in the chain's file
   * @param isUnsellable - true for tokens that cannot be sold; listed tokens always count as sellable
   */
  constructor(
    chain: Chain,
    listedTokens: ReadonlySet<Address>,
    isUnsellable: (token: Address) => boolean = () => false,
  ) {
    this.chain = chain
    this.listedTokens = listedTokens
    this.isUnsellable = isUnsellable
  }

  findToken(address: Address): PricedToken | undefined {
    return this.tokens.get(canonicalToken(address, this.chain))
  }

  isListed(address: Address): boolean {
    return this.listedTokens.has(canonicalToken(address, this.chain))
  }

  /** False if a pool price jumped since the previous block. */
  get hasNoJumps(): boolean {
    return this.jumpedPools.size === 0
  }

  /**
   * Starts a new block.
   *
   * @returns pools that jumped in the last block, whose current rates now count
   */
  startBlock(): readonly PricedPool[] {
    const formerlyJumpedPools = [...this.jumpedPools]
    for (const { edges } of formerlyJumpedPools) for (const edge of edges) edge.rateBeforeJump = undefined
    this.jumpedPools.clear()
    this.historyByPoolId ??= new Map()
    this.blockIndex++
    for (const [id, history] of this.historyByPoolId)
      if (history.startBlock(this.poolById.get(id))) this.historyByPoolId.delete(id)
    return formerlyJumpedPools
  }

  findPool(id: string): PricedPool | undefined {
    return this.poolById.get(id)
  }

  /**
   * Adds or updates a pool.
   *
   * @param existingPool - the pool's current entry, if it has the same tokens
   */
  addOrUpdate(pool: Pool, view: PoolView, existingPool: PricedPool | undefined): PricedPool {
    let history = this.stampChange(pool.id, existingPool)
    const pricedPool = existingPool ?? this.addPool(pool, view)
    if (existingPool) {
      pricedPool.pool = pool
      pricedPool.reserves = view.reserves
      pricedPool.fee = view.fee
    }
    const oldEdges = pricedPool.edges
    const hasSamePairs = setPairs(pricedPool, view.pairs)
    if (!this.historyByPoolId) return pricedPool
    if (!history && (!hasSamePairs || oldEdges.some((edge) => !isSimilar(edge, rateBeforeBlock(edge)))))
      history = this.recordHistory(pool.id, oldEdges)
    if (history) this.detectJumps(pricedPool, history)
    return pricedPool
  }

  private addPool(pool: Pool, { reserves, fee }: PoolView): PricedPool {
    const tokens = pool.tokens.map((address) => this.getOrAddToken(address))
    const pricedPool: PricedPool = { pool, reserves, fee, tokens, edges: [] }
    this.poolById.set(pricedPool)
    for (let k = 0; k < tokens.length; k++) {
      const token = tokens[k]!
      if (tokens.indexOf(token) < k) continue
      const poolCount = token.pricedPools.push(pricedPool)
      if (poolCount > MAX_UNINDEXED_POOLS) indexListedPools(token, pricedPool)
    }
    return pricedPool
  }

  /**
   * Prepares the change of a pool. If the pool has a history, marks it as changed. Otherwise copies the current rates
   * of the pool's edges, because most changes are small and need no history. Gives a new pool an empty history.
   *
   * @returns the history; undefined if the pool has none
   */
  private stampChange(id: string, pricedPool: PricedPool | undefined): PoolHistory | undefined {
    if (!this.historyByPoolId) return undefined
    const history = this.historyByPoolId.get(id)
    if (history) history.hasChanged = true
    else if (pricedPool) for (const edge of pricedPool.edges) stampRate(edge, this.blockIndex)
    else return this.storeHistory(id, new PoolHistory([]))
    return history
  }

  /**
   * Updates a pool after a report that it holds less than its curve or reserves count. The pool lacked these amounts in
   * earlier blocks too, so earlier backings are capped at the current ones. Otherwise the lower backing would be a
   * jump.
   */
  correct(pricedPool: PricedPool, { reserves, pairs }: PoolView): void {
    pricedPool.reserves = reserves
    setPairs(pricedPool, pairs)
    for (const edge of pricedPool.edges)
      if (edge.previousRate)
        edge.previousRate = { ...edge.previousRate, backing: Math.min(edge.previousRate.backing, edge.backing) }
    const history = this.historyByPoolId?.get(pricedPool.pool.id)
    if (!history) return
    history.hasChanged = true
    history.capBackings(pricedPool.edges)
    this.detectJumps(pricedPool, history)
  }

  /** Creates the history of a pool. @param edges - edges before the change, which hold the rates of the last block */
  private recordHistory(id: string, edges: readonly PriceEdge[]): PoolHistory {
    const rates = edges.map((edge) => {
      const { rate, backing } = rateBeforeBlock(edge)
      return { token: edge.token.address, otherToken: edge.otherToken.address, rate, backing }
    })
    return this.storeHistory(id, new PoolHistory(rates))
  }

  private storeHistory(id: string, history: PoolHistory): PoolHistory {
    this.historyByPoolId!.set(id, history)
    return history
  }

  private detectJumps(pricedPool: PricedPool, history: PoolHistory): void {
    addEndedEdges(pricedPool, history)
    let hasJump = false
    for (const edge of pricedPool.edges) {
      edge.rateBeforeJump = history.rateBeforeJump(edge)
      hasJump ||= edge.rateBeforeJump !== undefined
    }
    if (hasJump) this.jumpedPools.add(pricedPool)
    else this.jumpedPools.delete(pricedPool)
  }

  /** @returns the removed pool; undefined if unknown */
  remove(id: string): PricedPool | undefined {
    const pricedPool = this.poolById.get(id)
    if (!pricedPool) return undefined
    if (this.historyByPoolId && !this.stampChange(id, pricedPool)) this.recordHistory(id, pricedPool.edges)
    this.poolById.delete(id)
    this.jumpedPools.delete(pricedPool)
    for (const edge of pricedPool.edges) edge.detach()
    for (const token of new Set(pricedPool.tokens)) {
      removePool(token.pricedPools, pricedPool)
      token.listedPools?.delete(pricedPool)
      if (token.sufficientPool === pricedPool) token.sufficientPool = undefined
      if (token.pricedPools.length === 0) {
        this.tokens.delete(token.address)
        this.unsellableTokens.delete(token)
      }
    }
    return pricedPool
  }

  /** Reads again whether a token can be sold. @returns true if that changed */
  updateSellability(token: PricedToken): boolean {
    const isUnsellable = !token.isListed && this.isUnsellable(token.address)
    if (token.isUnsellable === isUnsellable) return false
    token.isUnsellable = isUnsellable
    if (isUnsellable) this.unsellableTokens.add(token)
    else this.unsellableTokens.delete(token)
    return true
  }

  private getOrAddToken(address: Address): PricedToken {
    const canonicalAddress = canonicalToken(address, this.chain)
    let token = this.tokens.get(canonicalAddress)
    if (!token) {
      // The fields that price computations read come first, because memory access dominates the cost of prices.
      token = {
        otherTokens: [],
        edgeData: [],
        jumpedEdgeCount: 0,
        finalLevel: 0,
        priceVersion: -1,
        isListed: this.listedTokens.has(canonicalAddress),
        price: Number.NaN,
        evidence: 0,
        priceBeforeJump: undefined,
        bestEdgeIndex: -1,
        address: canonicalAddress,
        deepVersion: -1,
        isDeep: false,
        edges: [],
        level: 0,
        referencePrice: Number.NaN,
        queuedLevel: 0,
        pricedPools: [],
        listedPools: undefined,
        sufficientPool: undefined,
        isUnsellable: false,
      }
      this.tokens.set(token)
      this.updateSellability(token)
    }
    return token
  }
}

/** Removes a pool by moving the last pool into its place. */
function removePool(pricedPools: PricedPool[], pricedPool: PricedPool): void {
  const index = pricedPools.indexOf(pricedPool)
  const lastPool = pricedPools.pop()!
  if (lastPool !== pricedPool) pricedPools[index] = lastPool
}

/** Adds a pool to `listedPools` if it has another listed token. The first call checks all pools of the token. */
function indexListedPools(token: PricedToken, addedPool: PricedPool): void {
  const newPools = token.listedPools ? [addedPool] : token.pricedPools
  token.listedPools ??= new Set()
  for (const pricedPool of newPools)
    if (hasOtherListedToken(token, pricedPool.tokens)) token.listedPools.add(pricedPool)
}

function hasOtherListedToken(token: PricedToken, tokens: readonly PricedToken[]): boolean {
  for (const otherToken of tokens) if (otherToken.isListed && otherToken !== token) return true
  return false
}

/** Copies the rate of an edge, unless it was copied in this block already. */
function stampRate(edge: PriceEdge, block: number): void {
  if (edge.stampedBlock === block) return
  edge.stampedBlock = block
  edge.previousRate = { rate: edge.rate, backing: edge.backing }
}

const rateBeforeBlock = (edge: PriceEdge): EdgeRate => edge.previousRate ?? edge

/**
 * Replaces the rates of a pool.
 *
 * @returns true if the pairs are the same as before
 */
function setPairs(pricedPool: PricedPool, pairs: readonly PairView[]): boolean {
  if (updatePairs(pricedPool, pairs)) return true
  for (const edge of pricedPool.edges) edge.detach()
  pricedPool.edges = []
  for (const pair of pairs) {
    const [tokenI, tokenJ] = [pricedPool.tokens[pair.i]!, pricedPool.tokens[pair.j]!]
    if (tokenI === tokenJ) continue
    const attachedEdges = attachPair(pricedPool, tokenI, tokenJ, pair)
    // Most pools have one pair, and a growing array takes five times as much memory.
    pricedPool.edges = pricedPool.edges.length === 0 ? attachedEdges : [...pricedPool.edges, ...attachedEdges]
  }
  return false
}

/**
 * Updates the rates in place.
 *
 * @returns false if the pairs differ; the edges must then be replaced
 */
function updatePairs({ tokens, edges }: PricedPool, pairs: readonly PairView[]): boolean {
  let index = 0
  for (const { i, j, midPrice, backingI, backingJ } of pairs) {
    const [tokenI, tokenJ] = [tokens[i]!, tokens[j]!]
    if (tokenI === tokenJ) continue
    const edge = edges[index]
    if (edge?.token !== tokenI || edge.otherToken !== tokenJ) return false
    edge.setRate(midPrice, backingJ, backingI)
    edge.reverse.setRate(1 / midPrice, backingI, backingJ)
    index += 2
  }
  return index === edges.length
}

type PairRates = Pick<PairView, 'midPrice' | 'backingI' | 'backingJ'>

function attachPair(
  pricedPool: PricedPool,
  tokenI: PricedToken,
  tokenJ: PricedToken,
  { midPrice, backingI, backingJ }: PairRates,
): readonly PriceEdge[] {
  const forward = new PriceEdge(pricedPool, tokenI, tokenJ)
  const backward = new PriceEdge(pricedPool, tokenJ, tokenI)
  forward.reverse = backward
  backward.reverse = forward
  forward.attach(midPrice, backingJ, backingI)
  backward.attach(1 / midPrice, backingI, backingJ)
  return [forward, backward]
}

/** Adds edges with zero backing for each removed pair, because the pair's last rate counts until the next block. */
function addEndedEdges(pricedPool: PricedPool, history: PoolHistory): void {
  const endedEdges: PriceEdge[] = []
  const findToken = (address: Address) => pricedPool.tokens.find((poolToken) => poolToken.address === address)
  for (const rate of history.recentRates) {
    const [token, otherToken] = [findToken(rate.token), findToken(rate.otherToken)]
    const exists = [...pricedPool.edges, ...endedEdges].some(
      (edge) => edge.token === token && edge.otherToken === otherToken,
    )
    if (!token || !otherToken || exists) continue
    endedEdges.push(...attachPair(pricedPool, token, otherToken, { midPrice: Number.NaN, backingI: 0, backingJ: 0 }))
  }
  if (endedEdges.length > 0) pricedPool.edges = [...pricedPool.edges, ...endedEdges]
}

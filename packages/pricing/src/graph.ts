/** A chain's pools as what they say about their tokens. Changed in place, pool by pool. */
import { type Address, type Chain, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import type { Pool } from '@sluice/liquidity'
import { isLike, Past } from './past.ts'
import type { PairView, PoolView } from './pool-view.ts'
import { Edge, type Holding, type Said, type Token } from './token.ts'

/** Pools hold the native asset as the zero address; it is worth exactly its wrapper, so both are one token here. */
export function canonical(token: Address, chain: Chain): Address {
  if (token !== NATIVE && token !== ZERO_ADDRESS) return token
  return chain.wrappedNative?.address ?? ZERO_ADDRESS
}

export class TokenGraph {
  readonly tokens = new Map<Address, Token>()
  private readonly chain: Chain
  private readonly vouched: ReadonlySet<Address>
  private readonly holdings = new Map<string, Holding>()
  /** By id, of pools that have changed in the last blocks; undefined while there is no block before. */
  private pasts: Map<string, Past> | undefined
  private readonly sudden = new Set<Holding>()
  private block = 0

  /** @param vouched - tokens that the chain's file names */
  constructor(chain: Chain, vouched: ReadonlySet<Address>) {
    this.chain = chain
    this.vouched = vouched
  }

  find(address: Address): Token | undefined {
    return this.tokens.get(canonical(address, this.chain))
  }

  isVouched(address: Address): boolean {
    return this.vouched.has(canonical(address, this.chain))
  }

  /** True where a pool is known under this id with other tokens, and has to be removed first. */
  isOther({ id, tokens }: Pool): boolean {
    const known = this.holdings.get(id)?.pool.tokens
    return known?.some((token, k) => token !== tokens[k]) ?? false
  }

  /** False where pools say something sudden. */
  get isCalm(): boolean {
    return this.sudden.size === 0
  }

  /** A new block begins. @returns pools whose word of the block before does not count any more */
  turn(): readonly Holding[] {
    const calmed = [...this.sudden]
    for (const { edges } of calmed) for (const edge of edges) edge.before = undefined
    this.sudden.clear()
    this.pasts ??= new Map()
    this.block++
    for (const [id, past] of this.pasts) if (past.turn(this.holdings.get(id))) this.pasts.delete(id)
    return calmed
  }

  /** Takes in a pool as it is now. @returns what it says about whom */
  put(pool: Pool, view: PoolView): Holding {
    let holding = this.holdings.get(pool.id)
    this.note(pool.id, holding)
    if (holding) {
      holding.pool = pool
      holding.reserves = view.reserves
      holding.fee = view.fee
    } else {
      const tokens = pool.tokens.map((address) => this.tokenAt(address))
      holding = { pool, reserves: view.reserves, fee: view.fee, tokens, edges: [] }
      this.holdings.set(pool.id, holding)
      for (const token of tokens) {
        token.holdings.add(holding)
        if (!isBesideVouched(token, tokens)) continue
        token.vouchedHoldings ??= new Set()
        token.vouchedHoldings.add(holding)
      }
    }
    const before = holding.edges
    const isOfTheSame = say(holding, view.pairs)
    if (this.pasts && (!isOfTheSame || before.some((edge) => !isLike(edge, last(edge))))) this.remember(pool.id, before)
    this.compare(holding)
    return holding
  }

  /** Keeps what a pool has said so far, before it changes: nothing is to be remembered of most, whose word changes little. */
  private note(id: string, holding: Holding | undefined): void {
    if (!this.pasts) return
    const past = this.pasts.get(id)
    if (past) past.hasChanged = true
    else if (holding) for (const edge of holding.edges) stamp(edge, this.block)
    else this.pasts.set(id, new Past([]))
  }

  /** @param edges - before they changed, noted in this block */
  private remember(id: string, edges: readonly Edge[]): void {
    if (!this.pasts || this.pasts.has(id)) return
    const words = edges.map((edge) => {
      const { rate, backing } = last(edge)
      return { token: edge.token.address, other: edge.other.address, rate, backing }
    })
    this.pasts.set(id, new Past(words))
  }

  private compare(holding: Holding): void {
    const past = this.pasts?.get(holding.pool.id)
    if (!past) return
    keepEnded(holding, past)
    let isSudden = false
    for (const edge of holding.edges) {
      edge.before = past.before(edge)
      isSudden ||= edge.before !== undefined
    }
    if (isSudden) this.sudden.add(holding)
    else this.sudden.delete(holding)
  }

  /** @returns what the pool was; undefined when it was not known */
  remove(id: string): Holding | undefined {
    const holding = this.holdings.get(id)
    if (!holding) return undefined
    this.note(id, holding)
    this.remember(id, holding.edges)
    this.holdings.delete(id)
    this.sudden.delete(holding)
    for (const edge of holding.edges) edge.detach()
    for (const token of holding.tokens) {
      token.holdings.delete(holding)
      token.vouchedHoldings?.delete(holding)
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
        edges: [],
        others: [],
        words: [],
        sudden: 0,
        vouchedHoldings: undefined,
        level: 0,
        reference: Number.NaN,
        queued: 0,
        order: 0,
        price: Number.NaN,
        evidence: 0,
        version: -1,
        before: undefined,
        proof: undefined,
        best: undefined,
        isDeep: false,
        deepVersion: -1,
      }
      this.tokens.set(canon, token)
    }
    return token
  }
}

function isBesideVouched(token: Token, tokens: readonly Token[]): boolean {
  for (const other of tokens) if (other.vouched && other !== token) return true
  return false
}

function stamp(edge: Edge, block: number): void {
  if (edge.stamp === block) return
  edge.stamp = block
  edge.last = { rate: edge.rate, backing: edge.backing }
}

const last = (edge: Edge): Said => edge.last ?? edge

/** Puts what a pool says in the place of what it said. @returns whether it is of the same tokens, as mostly */
function say(holding: Holding, pairs: readonly PairView[]): boolean {
  if (sayAgain(holding, pairs)) return true
  for (const edge of holding.edges) edge.detach()
  const edges: Edge[] = []
  for (const pair of pairs) {
    const [a, b] = [holding.tokens[pair.i]!, holding.tokens[pair.j]!]
    if (a !== b) attachPair(edges, holding, a, b, pair)
  }
  holding.edges = edges
  return false
}

/** @returns false where it is not of the same tokens; what was said is then to be replaced */
function sayAgain({ tokens, edges }: Holding, pairs: readonly PairView[]): boolean {
  let at = 0
  for (const { i, j, mid, backingI, backingJ } of pairs) {
    const [a, b] = [tokens[i]!, tokens[j]!]
    if (a === b) continue
    const edge = edges[at]
    if (edge?.token !== a || edge.other !== b) return false
    edge.say(mid, backingJ)
    edge.reverse.say(1 / mid, backingI)
    at += 2
  }
  return at === edges.length
}

type Pair = Pick<PairView, 'mid' | 'backingI' | 'backingJ'>

function attachPair(edges: Edge[], holding: Holding, a: Token, b: Token, { mid, backingI, backingJ }: Pair): void {
  const one = new Edge(holding, a, b)
  const two = new Edge(holding, b, a)
  one.reverse = two
  two.reverse = one
  one.attach(mid, backingJ)
  two.attach(1 / mid, backingI)
  edges.push(one, two)
}

/** Edges that a pool has ceased to speak are kept with nothing behind it, since it may count until the next block. */
function keepEnded(holding: Holding, past: Past): void {
  const ended: Edge[] = []
  for (const { token, other } of past.recent) {
    const [a, b] = [token, other].map((address) => holding.tokens.find((it) => it.address === address))
    const isSaid = [...holding.edges, ...ended].some((edge) => edge.token === a && edge.other === b)
    if (!a || !b || isSaid) continue
    attachPair(ended, holding, a, b, { mid: Number.NaN, backingI: 0, backingJ: 0 })
  }
  if (ended.length > 0) holding.edges = [...holding.edges, ...ended]
}

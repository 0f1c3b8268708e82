/** A chain's pools as what they say about their tokens. Changed in place, pool by pool. */
import { type Address, type Chain, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import type { Pool } from '@sluice/liquidity'
import { IdTable } from './id-table.ts'
import { isLike, Past } from './past.ts'
import type { PairView, PoolView } from './pool-view.ts'
import { Edge, type Holding, type Said, type Token } from './token.ts'

/** Pools hold the native asset as the zero address; it is worth exactly its wrapper, so both are one token here. */
export function canonical(token: Address, chain: Chain): Address {
  if (token !== NATIVE && token !== ZERO_ADDRESS) return token
  return chain.wrappedNative?.address ?? ZERO_ADDRESS
}

/** Pools of a token up to which those beside tokens of the registry are not kept apart. */
const FEW_HOLDINGS = 256

/** True where a pool has other tokens than before under the same id. */
export function isOther({ tokens: before }: Pool, { tokens }: Pool): boolean {
  return before !== tokens && (before.length !== tokens.length || tokens.some((token, k) => token !== before[k]))
}

export class TokenGraph {
  readonly tokens = new IdTable<Token>(({ address }) => address)
  private readonly chain: Chain
  private readonly vouched: ReadonlySet<Address>
  private readonly holdings = new IdTable<Holding>(({ pool }) => pool.id)
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

  /** A pool as it was put in last. */
  holding(id: string): Holding | undefined {
    return this.holdings.get(id)
  }

  /**
   * Takes in a pool as it is now. @returns what it says about whom
   *
   * @param known - what is known of it so far, of the same tokens
   */
  put(pool: Pool, view: PoolView, known: Holding | undefined): Holding {
    let past = this.note(pool.id, known)
    const holding = known ?? this.added(pool, view)
    if (known) {
      holding.pool = pool
      holding.reserves = view.reserves
      holding.fee = view.fee
    }
    const before = holding.edges
    const isOfTheSame = say(holding, view.pairs)
    if (!this.pasts) return holding
    if (!past && (!isOfTheSame || before.some((edge) => !isLike(edge, last(edge)))))
      past = this.remember(pool.id, before)
    if (past) this.compare(holding, past)
    return holding
  }

  private added(pool: Pool, { reserves, fee }: PoolView): Holding {
    const tokens = pool.tokens.map((address) => this.tokenAt(address))
    const holding: Holding = { pool, reserves, fee, tokens, edges: [] }
    this.holdings.set(holding)
    for (let k = 0; k < tokens.length; k++) {
      const token = tokens[k]!
      if (tokens.indexOf(token) < k) continue
      const count = token.holdings.push(holding)
      if (count > FEW_HOLDINGS) keepVouched(token, holding)
    }
    return holding
  }

  /** Keeps what a pool has said so far, before it changes: nothing is to be remembered of most, whose word changes little. */
  private note(id: string, holding: Holding | undefined): Past | undefined {
    if (!this.pasts) return undefined
    const past = this.pasts.get(id)
    if (past) past.hasChanged = true
    else if (holding) for (const edge of holding.edges) stamp(edge, this.block)
    else return this.keep(id, new Past([]))
    return past
  }

  /** @param edges - before they changed, noted in this block */
  private remember(id: string, edges: readonly Edge[]): Past {
    const words = edges.map((edge) => {
      const { rate, backing } = last(edge)
      return { token: edge.token.address, other: edge.other.address, rate, backing }
    })
    return this.keep(id, new Past(words))
  }

  private keep(id: string, past: Past): Past {
    this.pasts?.set(id, past)
    return past
  }

  private compare(holding: Holding, past: Past): void {
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
    if (this.pasts && !this.note(id, holding)) this.remember(id, holding.edges)
    this.holdings.delete(id)
    this.sudden.delete(holding)
    for (const edge of holding.edges) edge.detach()
    for (const token of new Set(holding.tokens)) {
      drop(token.holdings, holding)
      token.vouchedHoldings?.delete(holding)
      if (token.proof === holding) token.proof = undefined
      if (token.holdings.length === 0) this.tokens.delete(token.address)
    }
    return holding
  }

  private tokenAt(address: Address): Token {
    const canon = canonical(address, this.chain)
    let token = this.tokens.get(canon)
    if (!token) {
      // Side by side what every look at a price reads, the rest behind: memory is slow.
      token = {
        others: [],
        words: [],
        sudden: 0,
        order: 0,
        version: -1,
        vouched: this.vouched.has(canon),
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
        queued: 0,
        holdings: [],
        vouchedHoldings: undefined,
        proof: undefined,
      }
      this.tokens.set(token)
    }
    return token
  }
}

/** The last takes its place. */
function drop(holdings: Holding[], holding: Holding): void {
  const at = holdings.indexOf(holding)
  const last = holdings.pop()!
  if (last !== holding) holdings[at] = last
}

/** The first time all of a token's pools are looked at. */
function keepVouched(token: Token, added: Holding): void {
  const fresh = token.vouchedHoldings ? [added] : token.holdings
  token.vouchedHoldings ??= new Set()
  for (const holding of fresh) if (isBesideVouched(token, holding.tokens)) token.vouchedHoldings.add(holding)
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
  holding.edges = []
  for (const pair of pairs) {
    const [a, b] = [holding.tokens[pair.i]!, holding.tokens[pair.j]!]
    if (a === b) continue
    const both = attachPair(holding, a, b, pair)
    // Most pools have one pair: a list that grows takes five times the memory of it.
    holding.edges = holding.edges.length === 0 ? both : [...holding.edges, ...both]
  }
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
    edge.say(mid, backingJ, backingI)
    edge.reverse.say(1 / mid, backingI, backingJ)
    at += 2
  }
  return at === edges.length
}

type Pair = Pick<PairView, 'mid' | 'backingI' | 'backingJ'>

function attachPair(holding: Holding, a: Token, b: Token, { mid, backingI, backingJ }: Pair): readonly Edge[] {
  const one = new Edge(holding, a, b)
  const two = new Edge(holding, b, a)
  one.reverse = two
  two.reverse = one
  one.attach(mid, backingJ, backingI)
  two.attach(1 / mid, backingI, backingJ)
  return [one, two]
}

/** Edges that a pool has ceased to speak are kept with nothing behind it, since it may count until the next block. */
function keepEnded(holding: Holding, past: Past): void {
  const ended: Edge[] = []
  for (const { token, other } of past.recent) {
    const [a, b] = [token, other].map((address) => holding.tokens.find((it) => it.address === address))
    const isSaid = [...holding.edges, ...ended].some((edge) => edge.token === a && edge.other === b)
    if (!a || !b || isSaid) continue
    ended.push(...attachPair(holding, a, b, { mid: Number.NaN, backingI: 0, backingJ: 0 }))
  }
  if (ended.length > 0) holding.edges = [...holding.edges, ...ended]
}

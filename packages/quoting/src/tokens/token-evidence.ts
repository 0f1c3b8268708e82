/**
 * What is looked up of tokens that nobody vouches for before they are priced: what their pools really hold, and whether they can be
 * sold. Callers wait for it a moment; what takes longer counts from then on.
 */
import { setTimeout } from 'node:timers/promises'
import { IERC20__factory } from '@sluice/bindings'
import { type Address, type Hex, ZERO_ADDRESS } from '@sluice/chains'
import { familyOf, type Pool, type Reads, runReads, type Snapshot } from '@sluice/liquidity'
import type { Prices } from '@sluice/pricing'
import { type Rpc, Semaphore } from '@sluice/rpc'
import { Bounded, type StateCount } from '@sluice/simulation'

/** Pools of a token that are looked at: the deepest. */
const MAX_POOLS = 16
/** Tokens of one request that are looked at; the others at the next. */
const MAX_TOKENS = 8
/** Milliseconds for which what was found holds. */
const HELD_MS = 60_000
const SOLD_MS = 600_000
const MAX_REMEMBERED = 20_000
/** Requests whose tokens are looked at side by side. */
const MAX_AT_ONCE = 2
/** Part of a reserve that roundings may be off by. */
const ROUNDING = 1_000_000n
/** Gas of one balanceOf; rebasing tokens behind proxies stay below. */
const READ_GAS = 300_000

const erc20 = IERC20__factory.createInterface()

type Options = {
  /** Tokens that the chain's file names. */
  readonly vouched: ReadonlySet<Address>
  /** Measures whether a token can be sold to a pool, and keeps that. */
  readonly measure: (token: Address, pool: Pool, snapshot: Snapshot) => Promise<unknown>
  /** Called when pools turned out to hold another amount than was taken for. */
  readonly onNews: () => void
}

type Source = { readonly snapshot: Snapshot; readonly prices: Prices; readonly rpc: Rpc }

export class TokenEvidence {
  private readonly options: Options
  private readonly held = new Bounded<Address, Promise<void>>(MAX_REMEMBERED, { ttl: HELD_MS })
  private readonly sold = new Bounded<Address, Promise<void>>(MAX_REMEMBERED, { ttl: SOLD_MS })
  private readonly turns = new Semaphore(MAX_AT_ONCE)

  constructor(options: Options) {
    this.options = options
  }

  get counts(): Readonly<Record<'held' | 'sold', StateCount>> {
    return { held: this.held.count, sold: this.sold.count }
  }

  /**
   * Looks at tokens, and waits for it no longer than that. What a node cannot tell now is asked again.
   *
   * @returns those of them of which it is not known yet what they need
   */
  async gather(tokens: readonly Address[], source: Source, timeoutMs: number): Promise<ReadonlySet<Address>> {
    const strangers = [...new Set(tokens)].filter((token) => !this.options.vouched.has(token) && token !== ZERO_ADDRESS)
    const isTraded = (token: Address) => source.prices.usd(token) !== null
    const due = strangers
      .filter((token) => isTraded(token) && !(this.held.has(token) && this.sold.has(token)))
      .slice(0, MAX_TOKENS)
    const pending = new Set(due)
    const looks = due.map(async (token) => {
      await Promise.all([this.holdings(token, source), this.sales(token, source)])
      pending.delete(token)
    })
    if (looks.length > 0) await Promise.race([Promise.all(looks), setTimeout(timeoutMs)])
    return pending
  }

  private holdings(token: Address, source: Source): Promise<void> {
    return once(this.held, token, async () => {
      if (await this.turns.run(() => readHoldings(token, source))) this.options.onNews()
    })
  }

  private sales(token: Address, { snapshot, prices }: Source): Promise<void> {
    return once(this.sold, token, async () => {
      const [pool] = deepest(token, prices)
      if (pool) await this.turns.run(() => this.options.measure(token, pool, snapshot))
    })
  }
}

function once(known: Bounded<Address, Promise<void>>, token: Address, work: () => Promise<unknown>): Promise<void> {
  const before = known.get(token)
  if (before) return before
  const running = work().then(
    () => {},
    () => void known.delete(token),
  )
  known.set(token, running)
  return running
}

/** Compares what the deepest pools of a token hold with what their states say. @returns whether that changed @throws RpcError */
async function readHoldings(token: Address, { snapshot, prices, rpc }: Source): Promise<boolean> {
  let isNew = false
  const pools = deepest(token, prices)
  const reads = pools.map((pool) => balancesOf(pool))
  const found = await runReads(rpc, { blockHash: snapshot.block.hash }, reads, { priority: 'lookup' })
  for (const [k, pool] of pools.entries()) {
    const reserves = familyOf(pool.family)!.reserves(pool)
    const missing = found[k]!.map((balance, side) => {
      const reserve = reserves[side]!
      const lacks = balance === null ? 0n : reserve - balance
      return lacks * ROUNDING > reserve ? Number(lacks) : 0
    })
    if (prices.lack(pool.id, missing)) isNew = true
  }
  return isNew
}

/** Null where a token does not answer. */
function* balancesOf(pool: Pool): Reads<readonly (bigint | null)[]> {
  const data = erc20.encodeFunctionData('balanceOf', [pool.address]) as Hex
  const answers = yield pool.tokens.map((to) => ({ to, data, gas: READ_GAS }))
  return answers.map((answer) => (answer && answer.length >= 66 ? BigInt(answer.slice(0, 66)) : null))
}

function deepest(token: Address, prices: Prices): readonly Pool[] {
  const held = (pool: Pool) => familyOf(pool.family)!.reserves(pool)[pool.tokens.indexOf(token)]!
  return prices
    .poolsOf(token)
    .filter((pool) => pool.tokens.includes(token) && familyOf(pool.family)?.keepsTokens)
    .map((pool) => ({ pool, held: held(pool) }))
    .sort((a, b) => (a.held < b.held ? 1 : -1))
    .slice(0, MAX_POOLS)
    .map(({ pool }) => pool)
}

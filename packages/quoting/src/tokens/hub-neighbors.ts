/**
 * Tokens with real liquidity beside a hub, found without being asked for: factories log the pools that they make, the newest are
 * looked at first, and what holds enough of a hub is followed from then on. A little at a time, in the background.
 */

import { IERC20__factory } from '@sluice/bindings'
import type { Address, Chain, DexRow, Hex } from '@sluice/chains'
import { families, familyOf, type Market, type Pool, type Reads, runReads, servedRows } from '@sluice/liquidity'
import type { PriceBook } from '@sluice/pricing'
import { type Log, type Rpc, RpcError } from '@sluice/rpc'
import { Bounded, type StateCount } from '@sluice/simulation'

/** Milliseconds between two runs. */
const PAUSE_MS = 30_000
/** Requests for logs of one run. */
const MAX_REQUESTS = 8
/** Blocks of one: providers allow between 2,000 and everything, and tell by refusing. */
const FIRST_RANGE = 50_000
const LEAST_RANGE = 500
/** Pools of one run whose hub's side is read. */
const MAX_POOLS = 1_000
/** Dollars of a hub in a pool that make its other token worth a look. */
const LEAST_HUB_USD = 5_000
/** Tokens that are followed for this, the deepest pools first. */
const MAX_FOLLOWED = 300
/** Tokens that are taken up at a time. */
const SEEK_AT_ONCE = 25
/** Pools that were looked at, so that none is read twice in a row. */
const MAX_SEEN = 50_000
const READ_GAS = 300_000
const TIMEOUT_MS = 5_000

const erc20 = IERC20__factory.createInterface()

export type NeighborSource = { readonly rpc: Rpc; readonly market: Market; readonly prices: PriceBook }

type Beside = { readonly token: Address; readonly hub: Address; readonly pool: Pool<null> }

export class HubNeighbors {
  private readonly hubs: ReadonlySet<Address>
  private readonly named: ReadonlySet<Address>
  private readonly rowByFactory: ReadonlyMap<Address, DexRow>
  private readonly topics: readonly Hex[]
  private readonly decimals: (token: Address) => number | undefined
  private readonly seen = new Bounded<string, true>(MAX_SEEN)
  /** Dollars of a hub beside each token that is followed. */
  private readonly followed = new Map<Address, number>()
  private range = FIRST_RANGE
  /** The lowest block that was looked at, and the highest. */
  private bounds: { readonly from: number; readonly to: number } | undefined
  private running = false
  private ranAt = Number.NEGATIVE_INFINITY

  /** @param named - tokens of the chain's file, which need not be found */
  constructor(chain: Chain, named: Iterable<Address>, decimals: (token: Address) => number | undefined) {
    const rows = servedRows(chain, new Map(families.map((family) => [family.id, family])))
    const telling = rows.filter(({ family }) => familyOf(family)?.createdPool && familyOf(family)?.keepsTokens)
    this.hubs = new Set(chain.hubs)
    this.named = new Set(named)
    this.rowByFactory = new Map(telling.map((row) => [row.address, row]))
    this.topics = [...new Set(telling.flatMap(({ family }) => familyOf(family)?.creationTopics ?? []))]
    this.decimals = decimals
  }

  get count(): StateCount {
    return { entries: this.followed.size, evicted: 0 }
  }

  /** Looks at some more, unless that was done a moment ago. Never rejects: what fails now is done at the next call. */
  async run(source: NeighborSource): Promise<void> {
    if (this.running || this.rowByFactory.size === 0 || Date.now() - this.ranAt < PAUSE_MS) return
    // Nothing can be weighed before the chain's own pools are known.
    if (![...this.hubs].some((hub) => source.prices.usd(hub) !== null)) return
    this.running = true
    this.ranAt = Date.now()
    try {
      await this.look(source)
      await this.follow(source)
    } catch (error) {
      if (!(error instanceof Error)) throw error
    } finally {
      this.running = false
    }
  }

  private async look({ rpc, market, prices }: NeighborSource): Promise<void> {
    const head = market.snapshot().block.number
    const found: Beside[] = []
    for (let k = 0; k < MAX_REQUESTS && found.length < MAX_POOLS; k++) {
      const range = this.nextRange(head)
      if (!range) break
      const logs = await this.logsOf(rpc, range)
      if (!logs) continue
      this.bounds = {
        from: Math.min(range.from, this.bounds?.from ?? range.from),
        to: Math.max(range.to, this.bounds?.to ?? 0),
      }
      // The newest first.
      for (const log of logs.toReversed()) found.push(...this.besideHubs(log))
    }
    await this.weigh(found.slice(0, MAX_POOLS), { rpc, market, prices })
  }

  /** Blocks that came since the last run, then those before the lowest that was looked at. */
  private nextRange(head: number): { readonly from: number; readonly to: number } | undefined {
    const { bounds } = this
    if (!bounds) return { from: Math.max(0, head - this.range + 1), to: head }
    if (bounds.to < head) return { from: Math.max(bounds.to + 1, head - this.range + 1), to: head }
    return bounds.from === 0 ? undefined : { from: Math.max(0, bounds.from - this.range), to: bounds.from - 1 }
  }

  /** Undefined where the range was too long for the node: the next one is shorter. @throws RpcError for any other failure */
  private async logsOf(rpc: Rpc, range: { readonly from: number; readonly to: number }) {
    try {
      const filter = { address: [...this.rowByFactory.keys()], topics: [this.topics] }
      const options = { priority: 'background', timeoutMs: TIMEOUT_MS } as const
      return await rpc.getLogs({ ...filter, fromBlock: range.from, toBlock: range.to }, options)
    } catch (error) {
      const isRefused = error instanceof RpcError && (error.isRefusal || error.code === 'TIMEOUT')
      if (!isRefused || this.range <= LEAST_RANGE) throw error
      this.range = Math.max(LEAST_RANGE, Math.floor(this.range / 4))
      return undefined
    }
  }

  private besideHubs(log: Log): readonly Beside[] {
    const row = this.rowByFactory.get(log.address)
    const pool = row && familyOf(row.family)?.createdPool?.(row, log)
    if (!pool || this.seen.has(pool.id)) return []
    this.seen.set(pool.id, true)
    const hub = pool.tokens.find((token) => this.hubs.has(token))
    const token = pool.tokens.find((one) => !this.hubs.has(one) && !this.named.has(one))
    return hub && token && pool.tokens.length === 2 ? [{ token, hub, pool }] : []
  }

  /** Reads the dollar value that the pools hold of their hubs. @throws RpcError */
  private async weigh(found: readonly Beside[], { rpc, market, prices }: NeighborSource): Promise<void> {
    if (found.length === 0) return
    const reads = found.map(({ hub, pool }) => balanceOf(hub, pool.address))
    const { hash } = market.snapshot().block
    const held = await runReads(rpc, { blockHash: hash }, reads, { priority: 'background', timeoutMs: TIMEOUT_MS })
    for (const [k, { token, hub }] of found.entries()) {
      const [price, places] = [prices.usd(hub), this.decimals(hub)]
      if (price === null || places === undefined) continue
      const usd = (Number(held[k]) / 10 ** places) * price
      if (usd >= LEAST_HUB_USD) this.followed.set(token, Math.max(usd, this.followed.get(token) ?? 0))
    }
    const deepest = [...this.followed].sort(([, a], [, b]) => b - a)
    for (const [token] of deepest.slice(MAX_FOLLOWED)) this.followed.delete(token)
  }

  /** Keeps the pools of these tokens in memory, which are dropped when nobody asks for them for long. */
  private async follow({ market }: NeighborSource): Promise<void> {
    const tokens = [...this.followed.keys()]
    for (let from = 0; from < tokens.length; from += SEEK_AT_ONCE)
      await market.seek(tokens.slice(from, from + SEEK_AT_ONCE))
  }
}

function* balanceOf(token: Address, holder: Address): Reads<bigint> {
  const data = erc20.encodeFunctionData('balanceOf', [holder]) as Hex
  const [answer] = yield [{ to: token, data, gas: READ_GAS }]
  return answer && answer.length >= 66 ? BigInt(answer.slice(0, 66)) : 0n
}

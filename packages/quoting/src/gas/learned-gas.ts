/**
 * Gas of pools beyond the table of their families, learned from simulations: each tells what a whole route is charged, and what that
 * is off by is shared out over the route's pools, tokens and ends, to each by how little is known of it (a Kalman filter without
 * covariances). Tokens take part since what a transfer costs is the token's: a proxy's tens of thousands are those of every
 * pool that trades it.
 */
import type { Address } from '@sluice/chains'
import { gasRow, partGas } from '@sluice/liquidity'
import { type GasParts, gasOfParts, gasParts, type LearnedGas, piecesIn, type Route, refundOf } from '@sluice/routing'
import type { BlockHeader } from '@sluice/rpc'
import { Bounded, type StateCount } from '@sluice/simulation'

/** Pools and tokens that something is known of. */
const MOST_KNOWN = 2_048
/** Blocks that are quoted at a time: the newest, and those before it whose quotes are still under way. */
const BLOCKS_SEEN = 4
/** Pools that searches are told of, those that were seen last. */
const MOST_TOLD = 512
/**
 * Gas that a pool, a direction of it, a token, an end, or what all routes share is usually off by before anything is known of it; and
 * a slot that not all trades of a pool write, such as a tick (17,100 more where it was empty, EIP-2200, three of them in some
 * families), of one pool and of a family's all.
 */
const USUAL_OFF: Readonly<Record<string, number>> = {
  pool: 12_000,
  leg: 8_000,
  token: 6_000,
  in: 6_000,
  out: 6_000,
  route: 3_000,
  write: 15_000,
  slot: 10_000,
}
/** The least of that, however often something was seen. */
const SURE = 500
/** The part of a route's gas that is the sender's own, and gas of a tick that no other trade crosses. */
const OWN = 0.005
const PIECE = 12_000
/** Part of the gas told that one simulation may be off by, and count: a route that was led through odd code is no lesson. */
const MOST_OFF = 0.1
/** Gas by which anything may differ from the table. */
const MOST = 300_000
/** Seconds after which half of what was learned is forgotten: tokens are upgraded, and slots fill. */
const HALF_LIFE = 12 * 3_600
/** Seconds of the chain's clock for which searches are told the same, so that those of one block agree. */
const TOLD_FOR = 60
/** Gas that is not worth telling, and to which is rounded. */
const GRAIN = 1_000

type Known = { readonly gas: number; readonly variance: number; readonly at: number }
type Swap = Pick<Route, 'tokenIn' | 'tokenOut' | 'legs'>

export class GasLessons {
  private readonly known = new Bounded<string, Known>(MOST_KNOWN)
  /** Family and tokens of the pools that were seen, by the pool's id. */
  private readonly pools = new Bounded<string, readonly [string, Address, Address]>(MOST_TOLD)
  /** Ways through pools that were simulated at a block, by its hash. */
  private readonly seen = new Bounded<string, Set<string>>(BLOCKS_SEEN)
  private told: { readonly gas: LearnedGas; readonly at: number } | undefined
  private readonly wrappedNative: Address | null

  constructor(wrappedNative: Address | null) {
    this.wrappedNative = wrappedNative
  }

  get count(): StateCount {
    return this.known.count
  }

  /** `observe`, once a block for each way through pools: its next simulation there tells much the same again. */
  observeAt({ hash, timestamp }: Pick<BlockHeader, 'hash' | 'timestamp'>, swap: Swap, gross: number): void {
    const ways = this.seen.get(hash) ?? new Set()
    const way = wayOf(swap)
    if (ways.has(way) || ways.size >= MOST_KNOWN) return
    this.seen.set(hash, ways.add(way))
    this.observe(swap, gross, timestamp)
  }

  /** @param gross - gas of the whole transaction before refunds, as simulated @param now - Unix seconds */
  observe(swap: Swap, gross: number, now: number): void {
    if (swap.legs.length === 0) return
    const known = this.knownParts(swap, now)
    const counts = this.countsOf(swap)
    const { told, expected, charged } = gasOfRoute(counts, known)
    const most = MOST_OFF * Math.max(charged, expected)
    const off = Math.max(-most, Math.min(most, gross - told))
    const own = (OWN * charged) ** 2 + piecesIn(counts) * PIECE ** 2
    const variance = known.reduce((sum, of) => sum + of.count ** 2 * of.variance, own)
    for (const { key, count, gas, variance: its } of known) {
      const gain = (its * count) / variance
      const left = Math.max(SURE ** 2, its * (1 - gain * count))
      this.known.set(key, { gas: Math.max(-MOST, Math.min(MOST, gas + gain * off)), variance: left, at: now })
    }
    for (const { pool, tokenIn, tokenOut } of swap.legs) this.pools.set(pool.id, [pool.family, tokenIn, tokenOut])
  }

  /** Gas that a route is expected to be charged, by all that is known now. */
  expected(swap: Swap, now: number): number {
    return gasOfRoute(this.countsOf(swap), this.knownParts(swap, now)).expected
  }

  /** Gas of legs beyond the table, by pool; undefined where there is none. The same object until it changes. */
  at(now: number): LearnedGas | undefined {
    if (!this.told || now < this.told.at || now - this.told.at >= TOLD_FOR) {
      const gas = this.toldAt(now)
      this.told = { gas: this.told && isSame(this.told.gas, gas) ? this.told.gas : gas, at: now }
    }
    return this.told.gas.size > 0 ? this.told.gas : undefined
  }

  private countsOf(swap: Swap): GasParts {
    return gasParts({ ...swap, wrappedNative: this.wrappedNative })
  }

  private knownParts(swap: Swap, now: number): readonly KnownPart[] {
    return Array.from(partsOf(swap), ([key, count]) => ({ key, count, ...this.knownOf(key, now) }))
  }

  private toldAt(now: number): LearnedGas {
    const found = new Map<string, number>()
    for (const [id, [family, sold, bought]] of this.pools) {
      const either = (this.gasOf(`leg ${id} ${sold}`, now) + this.gasOf(`leg ${id} ${bought}`, now)) / 2
      const own = either + this.gasOf(`pool ${id}`, now) + this.gasOf(`write ${id} oracle`, now)
      const tokens = this.gasOf(`token ${sold}`, now) + this.gasOf(`token ${bought}`, now)
      const sure = 1 - this.knownOf(`pool ${id}`, now).variance / usualOf(`pool ${id}`)
      const gas = own + tokens + sure * beyondRanked(family)
      const rounded = Math.round(gas / GRAIN) * GRAIN
      if (rounded !== 0) found.set(id, rounded)
    }
    return found
  }

  private gasOf(key: string, now: number): number {
    return this.knownOf(key, now).gas
  }

  /** Gas that is left of what was learned, and how sure it is. */
  private knownOf(key: string, now: number): Omit<Known, 'at'> {
    const usual = usualOf(key)
    const known = this.known.get(key)
    if (!known) return { gas: 0, variance: usual }
    if (now <= known.at) return known
    const left = 0.5 ** ((now - known.at) / HALF_LIFE)
    return { gas: known.gas * left, variance: usual + (known.variance - usual) * left }
  }
}

/** A part of a route, how often it is in it, and what is known of it. */
type KnownPart = { readonly key: string; readonly count: number } & Omit<Known, 'at'>

function gasOfRoute(counts: GasParts, known: readonly KnownPart[]) {
  const { charged, refund, refundable } = gasOfParts(counts)
  const told = known.reduce((sum, { gas, count }) => sum + gas * count, charged + refund)
  return { told, expected: told - refundOf(told, refundable), charged }
}

/** Pools, tokens and slots of a route, whatever the amounts. */
function wayOf({ tokenIn, tokenOut, legs }: Swap): string {
  let way = `${tokenIn} ${tokenOut}`
  for (const { pool, tokenIn: sold, tokenOut: bought, writes = [] } of legs)
    way += `;${pool.id} ${sold} ${bought} ${writes.join()}`
  return way
}

const usualOf = (key: string) => USUAL_OFF[key.split(' ', 1)[0]!]! ** 2

/** Gas of a hop that a route is told with beyond that which searches rank it by. */
function beyondRanked(family: string): number {
  return partGas(`hop:${family}`).gas + partGas(`oracle:${family}`).gas - gasRow(family).hop
}

/** Counts of what a route is made of: the ends are apart, where a token moves twice and the sender's own slots change. */
function partsOf({ tokenIn, tokenOut, legs }: Swap): ReadonlyMap<string, number> {
  const parts = new Map<string, number>([
    ['route', 1],
    [`in ${tokenIn}`, 1],
    [`out ${tokenOut}`, 1],
  ])
  const add = (key: string) => parts.set(key, (parts.get(key) ?? 0) + 1)
  for (const { pool, tokenIn: sold, tokenOut: bought, writes = [] } of legs) {
    for (const key of [`pool ${pool.id}`, `leg ${pool.id} ${sold}`, `token ${sold}`, `token ${bought}`]) add(key)
    for (const slot of writes) {
      add(`write ${pool.id} ${slot}`)
      add(`slot ${pool.family} ${slot.split(' ', 1)[0]}`)
    }
  }
  return parts
}

function isSame(a: LearnedGas, b: LearnedGas): boolean {
  return a.size === b.size && [...a].every(([id, gas]) => b.get(id) === gas)
}

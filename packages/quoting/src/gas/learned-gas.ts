/**
 * Gas of pools beyond the table of their families, learned from simulations: each tells what a whole route is charged, and what that
 * is off by is shared out over the route's pools, tokens and ends (Kaczmarz's method, relaxed). Tokens take part since what a
 * transfer costs is the token's: a proxy's tens of thousands are those of every pool that trades it.
 */
import type { Address } from '@sluice/chains'
import { type LearnedGas, type Route, routeGas } from '@sluice/routing'
import { Bounded, type StateCount } from '@sluice/simulation'

/** Pools and tokens that something is known of. */
const MOST_KNOWN = 2_048
/** Pools that searches are told of, those that were seen last. */
const MOST_TOLD = 512
/** Part of an error that is made up for at once: the rest may be the sender's own, or of ticks that no other trade crosses. */
const STEP = 0.35
/** Part of the gas told that one simulation may be off by, and count: a route over many ticks is no lesson about its tokens. */
const MOST_OFF = 0.04
/** Gas by which anything may differ from the table. */
const MOST = 300_000
/** Seconds after which half of what was learned is forgotten: tokens are upgraded, and slots fill. */
const HALF_LIFE = 12 * 3_600
/** Seconds of the chain's clock for which searches are told the same, so that those of one block agree. */
const TOLD_FOR = 60
/** Gas that is not worth telling, and to which is rounded. */
const GRAIN = 1_000

type Known = { gas: number; at: number }
type Swap = Pick<Route, 'tokenIn' | 'tokenOut' | 'legs'>

export class GasLessons {
  private readonly known = new Bounded<string, Known>(MOST_KNOWN)
  /** Tokens of the pools that were seen, by the pool's id. */
  private readonly pools = new Bounded<string, readonly [Address, Address]>(MOST_TOLD)
  private told: { readonly gas: LearnedGas; readonly at: number } | undefined
  private readonly wrappedNative: Address | null

  constructor(wrappedNative: Address | null) {
    this.wrappedNative = wrappedNative
  }

  get count(): StateCount {
    return this.known.count
  }

  /** @param gross - gas of the whole transaction before refunds, as simulated @param now - Unix seconds */
  observe(swap: Swap, gross: number, now: number): void {
    if (swap.legs.length === 0) return
    const parts = partsOf(swap)
    const { expected, charged, refund } = this.gasOfRoute(swap, parts, now)
    const most = MOST_OFF * Math.max(charged, expected)
    const off = Math.max(-most, Math.min(most, gross - refund - expected))
    const squares = [...parts.values()].reduce((sum, count) => sum + count * count, 0)
    for (const [key, count] of parts) {
      const gas = this.gasOf(key, now) + (STEP * off * count) / squares
      this.known.set(key, { gas: Math.max(-MOST, Math.min(MOST, gas)), at: now })
    }
    for (const { pool, tokenIn, tokenOut } of swap.legs) this.pools.set(pool.id, [tokenIn, tokenOut])
  }

  /** Gas that a route is expected to be charged, by all that is known now. */
  expected(swap: Swap, now: number): number {
    return this.gasOfRoute(swap, partsOf(swap), now).expected
  }

  /** Gas of legs beyond the table, by pool; undefined where there is none. The same object until it changes. */
  at(now: number): LearnedGas | undefined {
    if (!this.told || now < this.told.at || now - this.told.at >= TOLD_FOR) {
      const gas = this.toldAt(now)
      this.told = { gas: this.told && isSame(this.told.gas, gas) ? this.told.gas : gas, at: now }
    }
    return this.told.gas.size > 0 ? this.told.gas : undefined
  }

  private gasOfRoute(swap: Swap, parts: ReadonlyMap<string, number>, now: number) {
    const { charged, refund } = routeGas({ ...swap, wrappedNative: this.wrappedNative })
    const learned = [...parts].reduce((sum, [key, count]) => sum + this.gasOf(key, now) * count, 0)
    return { expected: charged + learned, charged, refund }
  }

  private toldAt(now: number): LearnedGas {
    const found = new Map<string, number>()
    for (const [id, [sold, bought]] of this.pools) {
      const gas = this.gasOf(`pool ${id}`, now) + this.gasOf(`token ${sold}`, now) + this.gasOf(`token ${bought}`, now)
      const rounded = Math.round(gas / GRAIN) * GRAIN
      if (rounded !== 0) found.set(id, rounded)
    }
    return found
  }

  private gasOf(key: string, now: number): number {
    const known = this.known.get(key)
    return known ? known.gas * 0.5 ** (Math.max(0, now - known.at) / HALF_LIFE) : 0
  }
}

/** Counts of what a route is made of: the ends are apart, where a token moves twice and the sender's own slots change. */
function partsOf({ tokenIn, tokenOut, legs }: Swap): ReadonlyMap<string, number> {
  const parts = new Map<string, number>([
    ['route', 1],
    [`in ${tokenIn}`, 1],
    [`out ${tokenOut}`, 1],
  ])
  for (const { pool, tokenIn: sold, tokenOut: bought } of legs)
    for (const key of [`pool ${pool.id}`, `token ${sold}`, `token ${bought}`]) parts.set(key, (parts.get(key) ?? 0) + 1)
  return parts
}

function isSame(a: LearnedGas, b: LearnedGas): boolean {
  return a.size === b.size && [...a].every(([id, gas]) => b.get(id) === gas)
}

/** The tokens and pools of a chain that may earn trust, as its blocks go by. Does no I/O. */
import type { Address, Chain } from '@sluice/chains'
import { familyOf } from '../dexes/index.ts'
import { orRefused, type Pool } from '../family.ts'
import type { Snapshot } from '../snapshot.ts'
import {
  broken,
  hasEarned,
  isDueForReport,
  measured,
  observed,
  STRANGER,
  type Standing,
  standingOf,
  type Terms,
  type TrustRecord,
} from './record.ts'
import { isTrustedPool, namedTrust, type Trust } from './trust.ts'

/** Tokens and pools that are watched, of each. The one with the least depth makes room. */
const MAX_WATCHED = 512
/** Pools of a watched token that count; its deepest need not be among them, but nobody needs more to earn trust. */
const MAX_POOLS_OF_TOKEN = 64
/** Blocks that may pass between two that are seen; what happened meanwhile is not known. */
const MAX_GAP = 64
/** At a block: each looks for the least of those watched. */
const MAX_EVICTIONS = 32
/** Pools, where all may have changed. */
const BACKLOG_PER_BLOCK = 500
/** Of those watched; with a day to go by, none is overlooked. */
const VALUED_PER_BLOCK = 16
/** What a pool's price may move by without a trade: interest of a minute is less than a millionth. */
const MAX_DRIFT = 1e-5

/** With what named tokens stand in each of its pools, in dollars when it was last looked at. */
type Watched = { record: TrustRecord; readonly pools: Map<string, number> }

export class TrustLedger {
  readonly named: Trust
  private current: Trust
  private readonly terms: Terms
  private readonly tokens = new Map<Address, Watched>()
  private readonly pools = new Map<string, Watched>()
  private block: number | null = null
  private turn = 0
  private evictions = MAX_EVICTIONS
  /** Ids of pools that have not been looked at. */
  private backlog: Iterator<string> | null = null
  private known: Snapshot['pools'] = new Map()
  private usd: (token: Address, amount: bigint) => number = () => 0

  constructor(chain: Chain, terms: Terms) {
    this.terms = terms
    this.named = namedTrust(chain)
    this.current = { ...this.named, level: 'earned' }
  }

  /** The same object as long as nothing is earned or lost. */
  get earned(): Trust {
    return this.current
  }

  /** @param usd - dollars of an amount of a named token; 0 where it has no price */
  price(usd: (token: Address, amount: bigint) => number): void {
    this.usd = usd
  }

  /** Takes note of a block. What it costs depends on what has changed, and on how many are watched. */
  observe({ block, pools, changed }: Snapshot): void {
    const { number } = block
    if (this.block !== null && Math.abs(number - this.block) > MAX_GAP) this.forget()
    this.block = number
    this.evictions = MAX_EVICTIONS
    // All that may have changed is looked at over the next blocks: what is earned takes longer than that.
    if (changed === null) {
      this.forgetSeen()
      this.backlog = pools.keys()
    }
    for (const id of changed ?? []) {
      const pool = pools.get(id)
      if (!pool) this.drop(this.known.get(id))
      else {
        this.watch(pool)
        this.checkDrift(pool)
      }
    }
    this.known = pools
    this.workOff()
    this.valueAnew()
    for (const watched of this.tokens.values()) this.look(watched, this.terms)
    // A pool answers for itself alone, and is judged by how it trades: there is no token to measure.
    for (const watched of this.pools.values()) {
      this.look(watched, { ...this.terms, pools: 1, namedTokens: 2 })
      if (isDueForReport(watched.record, this.terms)) watched.record = measured(watched.record, null, number)
    }
    this.settle()
  }

  /** Everything that was seen; what is earned is lost. */
  forget(): void {
    this.forgetSeen()
    this.block = null
    this.settle()
  }

  /** A watched token to be measured; undefined where none is due. */
  get due(): Address | undefined {
    for (const [token, { record }] of this.tokens) if (isDueForReport(record, this.terms)) return token
    return undefined
  }

  /** @param fault - what was found; null for a clean report */
  report(token: Address, fault: string | null): void {
    const watched = this.tokens.get(token)
    if (!watched || this.block === null) return
    watched.record = measured(watched.record, fault, this.block)
    this.settle()
  }

  /** A token or pool did what cannot be trusted. What the chain's file names stays named. */
  breach(id: string, fault: string): void {
    const watched = this.tokens.get(id as Address) ?? this.pools.get(id)
    if (!watched) return
    watched.record = broken(watched.record, fault)
    this.settle()
  }

  standing(token: Address): Standing {
    if (this.named.tokens.has(token)) return { standing: 'named', reason: "the chain's file names it" }
    return standingOf(this.tokens.get(token)?.record ?? STRANGER, this.terms)
  }

  get counts(): { readonly watched: number; readonly earnedTokens: number; readonly earnedPools: number } {
    const { tokens, pools } = this.current
    return {
      watched: this.tokens.size + this.pools.size,
      earnedTokens: tokens.size - this.named.tokens.size,
      earnedPools: pools.size,
    }
  }

  private forgetSeen(): void {
    this.tokens.clear()
    this.pools.clear()
    this.known = new Map()
    this.backlog = null
  }

  private workOff(): void {
    for (let k = 0; this.backlog !== null && k < BACKLOG_PER_BLOCK; k++) {
      const { done, value } = this.backlog.next()
      const pool = done ? undefined : this.known.get(value)
      if (done) this.backlog = null
      else if (pool) this.watch(pool)
    }
  }

  private watch(pool: Pool): void {
    const { named } = this
    const strangers = pool.tokens.filter((token) => !named.tokens.has(token))
    if (strangers.length === 0 && !isTrustedPool(pool, named)) this.admit(this.pools, pool.id, pool)
    // Of a pool that cannot be trusted, no token gets any credit.
    if (strangers.length === 1 && pool.tokens.length > 1 && isTrustedPool(pool, named))
      this.admit(this.tokens, strangers[0]!, pool)
  }

  private admit<K>(watched: Map<K, Watched>, key: K, pool: Pool): void {
    const known = watched.get(key)
    if (known) {
      if (known.pools.has(pool.id) || known.pools.size < MAX_POOLS_OF_TOKEN)
        known.pools.set(pool.id, this.depthOf(pool))
      return
    }
    const full = watched.size >= MAX_WATCHED
    if (full && this.evictions-- <= 0) return
    const depthUsd = this.depthOf(pool)
    if (full) {
      let least: K | undefined
      let depth = depthUsd
      for (const [other, { record }] of watched)
        if (record.depthUsd < depth) {
          least = other
          depth = record.depthUsd
        }
      if (least === undefined) return
      watched.delete(least)
    }
    watched.set(key, { record: { ...STRANGER, depthUsd }, pools: new Map([[pool.id, depthUsd]]) })
  }

  private drop(pool: Pool | undefined): void {
    if (!pool) return
    this.pools.delete(pool.id)
    for (const token of pool.tokens) this.tokens.get(token)?.pools.delete(pool.id)
  }

  /** Prices move while pools stand still: some of what is watched is valued at each block, in turn. */
  private valueAnew(): void {
    const watched = [...this.tokens.values(), ...this.pools.values()]
    for (let k = 0; k < Math.min(VALUED_PER_BLOCK, watched.length); k++) {
      const { pools } = watched[this.turn++ % watched.length]!
      for (const id of pools.keys()) {
        const pool = this.known.get(id)
        if (pool) pools.set(id, this.depthOf(pool))
      }
    }
  }

  private look(watched: Watched, terms: Terms): void {
    const partners = new Set<Address>()
    let depthUsd = 0
    for (const [id, depth] of watched.pools) {
      depthUsd += depth
      if (partners.size >= terms.namedTokens) continue
      for (const token of this.known.get(id)?.tokens ?? []) if (this.named.tokens.has(token)) partners.add(token)
    }
    const sighting = { pools: watched.pools.size, namedTokens: partners.size, depthUsd }
    watched.record = observed(watched.record, sighting, this.block!, terms)
  }

  /** Dollars of the named tokens in a pool. */
  private depthOf(pool: Pool): number {
    const reserves = familyOf(pool.family)?.reserves(pool) ?? []
    return pool.tokens.reduce(
      (sum, token, k) => sum + (this.named.tokens.has(token) ? this.usd(token, reserves[k] ?? 0n) : 0),
      0,
    )
  }

  /** A watched pool that answers otherwise although nobody traded: whoever decides has decided anew. */
  private checkDrift(pool: Pool): void {
    const watched = this.pools.get(pool.id)
    const before = this.known.get(pool.id)
    if (!watched || !before || before === pool) return
    const family = familyOf(pool.family)!
    if (family.reserves(before).join() !== family.reserves(pool).join()) return
    const first = (of: Pool) => orRefused(() => family.curve(of, of.tokens[0]!, of.tokens[1]!))
    const [was, is] = [first(before), first(pool)]
    const paid = (curve: typeof was) => (curve ? curve.sqrtPrice[0]! ** 2 * curve.keepIn * curve.keepOut : 0)
    if (!(Math.abs(paid(is) / paid(was) - 1) <= MAX_DRIFT))
      watched.record = broken(watched.record, 'a price or fee set anew without a trade')
  }

  private settle(): void {
    const earned = (watched: Map<string, Watched>) =>
      [...watched].flatMap(([key, { record }]) => (hasEarned(record, this.terms) ? [key] : []))
    const tokens = earned(this.tokens) as Address[]
    const pools = earned(this.pools)
    const same =
      tokens.length === this.current.tokens.size - this.named.tokens.size &&
      pools.length === this.current.pools.size &&
      tokens.every((token) => this.current.tokens.has(token)) &&
      pools.every((id) => this.current.pools.has(id))
    if (same) return
    const { accounts } = this.named
    this.current = {
      level: 'earned',
      tokens: new Set([...this.named.tokens, ...tokens]),
      accounts,
      pools: new Set(pools),
    }
  }
}

/** The tokens and pools of a chain that may earn trust, as its blocks go by. Does no I/O. */
import type { Address, Chain } from '@sluice/chains'
import { atOnce, type Steps } from '@sluice/rpc'
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
} from './record.ts'
import { isTrustedPool, namedTrust, type Trust } from './trust.ts'
import { type Share, sightingOf, type Watched } from './watched.ts'

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
/** The number of those watched that are valued at a block; with a day to go by, none is overlooked. */
const VALUED_PER_BLOCK = 16
/** The part by which a pool's price may move without a trade: interest of a minute is less than a millionth. */
const MAX_DRIFT = 1e-5

export class TrustLedger {
  readonly named: Trust
  private current: Trust
  private readonly terms: Terms
  private readonly tokens = new Map<Address, Watched>()
  private readonly pools = new Map<string, Watched>()
  private block: number | null = null
  private turn = 0
  /** Times that everything was forgotten: steps that began before are not gone on with. */
  private forgotten = 0
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

  /** Takes note of a block. */
  observe(snapshot: Snapshot): void {
    atOnce(this.observing(snapshot))
  }

  /** The same in steps, in the order of blocks. What it costs depends on what has changed, and on how many are watched. */
  *observing({ block, pools, changed }: Snapshot): Steps<void> {
    const { number } = block
    if (this.block !== null && Math.abs(number - this.block) > MAX_GAP) this.forget()
    this.block = number
    this.evictions = MAX_EVICTIONS
    // All that may have changed is looked at over the next blocks: what is earned takes longer than that.
    if (changed === null) {
      this.forgetSeen()
      this.backlog = pools.keys()
    }
    const { forgotten } = this
    for (const id of changed ?? []) {
      const pool = pools.get(id)
      if (!pool) this.drop(this.known.get(id))
      else {
        this.watch(pool)
        this.checkDrift(pool)
      }
      yield
      if (this.forgotten !== forgotten) return
    }
    this.known = pools
    for (const step of [this.workOff(), this.valueAnew(), this.lookAtAll(number)])
      for (const _ of step) {
        yield
        if (this.forgotten !== forgotten) return
      }
    this.promote()
  }

  /** Everything that was seen; what is earned is lost. */
  forget(): void {
    this.forgetSeen()
    this.block = null
    this.promote()
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
    this.promote()
  }

  /** A token or pool did what cannot be trusted. What the chain's file names stays named. */
  breach(id: string, fault: string): void {
    const watched = this.tokens.get(id as Address) ?? this.pools.get(id)
    if (!watched) return
    watched.record = broken(watched.record, fault)
    this.promote()
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
    this.forgotten++
    this.tokens.clear()
    this.pools.clear()
    this.known = new Map()
    this.backlog = null
  }

  private *workOff(): Steps<void> {
    for (let k = 0; this.backlog !== null && k < BACKLOG_PER_BLOCK; k++) {
      const { done, value } = this.backlog.next()
      const pool = done ? undefined : this.known.get(value)
      if (done) this.backlog = null
      else if (pool) this.watch(pool)
      yield
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
      if (known.pools.has(pool.id) || known.pools.size < MAX_POOLS_OF_TOKEN) this.value(known, pool)
      return
    }
    const full = watched.size >= MAX_WATCHED
    if (full && this.evictions-- <= 0) return
    const share = this.shareOf(pool)
    const { depthUsd } = share
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
    watched.set(key, { record: { ...STRANGER, depthUsd }, pools: new Map([[pool.id, share]]), sighting: null })
  }

  private drop(pool: Pool | undefined): void {
    if (!pool) return
    this.pools.delete(pool.id)
    for (const token of pool.tokens) {
      const watched = this.tokens.get(token)
      if (watched?.pools.delete(pool.id)) watched.sighting = null
    }
  }

  /** Prices move while pools stand still: some of what is watched is valued at each block, in turn. */
  private *valueAnew(): Steps<void> {
    const watched = [...this.tokens.values(), ...this.pools.values()]
    for (let k = 0; k < Math.min(VALUED_PER_BLOCK, watched.length); k++) {
      const next = watched[this.turn++ % watched.length]!
      for (const id of next.pools.keys()) {
        const pool = this.known.get(id)
        if (pool) this.value(next, pool)
        yield
      }
    }
  }

  private value(watched: Watched, pool: Pool): void {
    watched.pools.set(pool.id, this.shareOf(pool))
    watched.sighting = null
  }

  private *lookAtAll(number: number): Steps<void> {
    for (const watched of this.tokens.values()) {
      watched.record = observed(watched.record, sightingOf(watched), number, this.terms)
      yield
    }
    // A pool answers for itself alone, and is judged by how it trades: there is no token to measure.
    const terms = { ...this.terms, pools: 1, namedTokens: 2 }
    for (const watched of this.pools.values()) {
      watched.record = observed(watched.record, sightingOf(watched), number, terms)
      if (isDueForReport(watched.record, this.terms)) watched.record = measured(watched.record, null, number)
      yield
    }
  }

  private shareOf(pool: Pool): Share {
    const partners = pool.tokens.filter((token) => this.named.tokens.has(token))
    return { depthUsd: this.depthOf(pool), partners }
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
    const first = (of: Pool) => orRefused(() => family.priceCurve(of, of.tokens[0]!, of.tokens[1]!))
    const [was, is] = [first(before), first(pool)]
    const paid = (curve: typeof was) => (curve ? curve.sqrtPrice[0]! ** 2 * curve.keepIn * curve.keepOut : 0)
    if (!(Math.abs(paid(is) / paid(was) - 1) <= MAX_DRIFT))
      watched.record = broken(watched.record, 'a price or fee set anew without a trade')
  }

  private promote(): void {
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

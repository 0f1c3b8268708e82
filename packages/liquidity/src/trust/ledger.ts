/** The tokens and pools of a chain that may earn trust, as its blocks go by. Does no I/O. */
import type { Address, Chain } from '@sluice/chains'
import { familyOf } from '../dexes/index.ts'
import { orRefused, type Pool } from '../family.ts'
import type { Snapshot } from '../snapshot.ts'
import {
  broken,
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
/** What a pool's price may move by without a trade: interest of a minute is less than a millionth. */
const MAX_DRIFT = 1e-5

type Watched = { record: TrustRecord; readonly pools: Set<string> }

export class TrustLedger {
  readonly named: Trust
  private current: Trust
  private readonly terms: Terms
  private readonly tokens = new Map<Address, Watched>()
  private readonly pools = new Map<string, Watched>()
  private block: number | null = null
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
    if (this.block !== null && (number < this.block - MAX_GAP || number > this.block + MAX_GAP)) this.forget()
    const touched = changed === null ? [...pools.values()] : changed.flatMap((id) => pools.get(id) ?? [])
    for (const pool of touched) this.watch(pool)
    for (const pool of touched) this.checkDrift(pool)
    this.block = number
    this.known = pools
    for (const watched of this.tokens.values()) this.look(watched, pools, this.terms)
    // A pool answers for itself alone.
    for (const watched of this.pools.values()) this.look(watched, pools, { ...this.terms, pools: 1, namedTokens: 2 })
    // Pools are judged by how they trade: there is no token to measure.
    for (const watched of this.pools.values())
      if (isDueForReport(watched.record, this.terms)) watched.record = measured(watched.record, null, number)
    this.settle()
  }

  /** Everything that was seen; what is earned is lost. */
  forget(): void {
    this.tokens.clear()
    this.pools.clear()
    this.block = null
    this.known = new Map()
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
      if (known.pools.size < MAX_POOLS_OF_TOKEN) known.pools.add(pool.id)
      return
    }
    const depthUsd = this.depthOf(pool)
    if (watched.size >= MAX_WATCHED) {
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
    watched.set(key, { record: { ...STRANGER, depthUsd }, pools: new Set([pool.id]) })
  }

  private look(watched: Watched, pools: Snapshot['pools'], terms: Terms): void {
    const partners = new Set<Address>()
    let depthUsd = 0
    let count = 0
    for (const id of watched.pools) {
      const pool = pools.get(id)
      if (!pool) {
        watched.pools.delete(id)
        continue
      }
      count++
      depthUsd += this.depthOf(pool)
      for (const token of pool.tokens) if (this.named.tokens.has(token)) partners.add(token)
    }
    watched.record = observed(
      watched.record,
      { pools: count, namedTokens: partners.size, depthUsd },
      this.block!,
      terms,
    )
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
      [...watched].flatMap(([key, { record }]) => (standingOf(record, this.terms).standing === 'earned' ? [key] : []))
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

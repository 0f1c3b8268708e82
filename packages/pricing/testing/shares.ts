/** Shares of other tokens for a made-up market, as they are read from a chain. */
import type { Address } from '@sluice/chains'
import type { RedeemedPart, Redemption, RedemptionKind } from '@sluice/liquidity'
import type { Draw } from './draw.ts'

const ONE = 10n ** 18n

/** Readings of shares, the newest first. */
export type Readings = Map<Address, readonly Redemption[]>

/** A token with the dollars of it that a share has. */
type MadePart = { readonly token: Address; readonly usd: number }

export class MadeShares {
  readonly calm: Readings = new Map()
  /** As attackers leave them for one block. */
  readonly bent: Readings = new Map()
  private readonly worth: ReadonlyMap<Address, number>

  constructor(worth: ReadonlyMap<Address, number>) {
    this.worth = worth
  }

  /** A share of one token: `rate` of it for a share, with so many dollars that can be redeemed now. */
  single(kind: RedemptionKind, share: Address, token: Address, usd: number, rate: number): void {
    this.calm.set(share, [this.reading(kind, share, [{ token, usd }], rate)])
  }

  /** A share of a pair, of which `perShare` dollars stand behind each. */
  pair(share: Address, parts: readonly MadePart[], perShare: number): void {
    this.calm.set(share, [this.reading('pair', share, parts, perShare)])
  }

  /** A share of a pool of equals, of `supply` of them, that tells a virtual price. */
  equals(share: Address, parts: readonly MadePart[], supply: number, virtualPrice: number): void {
    const read = this.reading('stable', share, parts, virtualPrice)
    this.calm.set(share, [{ ...read, supply: BigInt(Math.floor(supply)) * ONE }])
  }

  /** Makes a share of one token tell that many times its rate for a block. */
  raise(share: Address, times: number): void {
    const [last] = this.calm.get(share)!
    this.bent.set(share, [{ ...last!, rate: last!.rate * times }, last!])
  }

  /** Makes the reserves of a pair what a trade makes them that moves its price by so much. */
  trade(share: Address, times: number): void {
    const [last] = this.calm.get(share)!
    const [a, b] = last!.parts as [RedeemedPart, RedeemedPart]
    const root = Math.sqrt(times)
    const parts = [
      { ...a, held: scaled(a.held, root) },
      { ...b, held: scaled(b.held, 1 / root) },
    ]
    this.bent.set(share, [{ ...last!, parts }, last!])
  }

  /** @param per - tokens for a share of one, dollars behind a share of several */
  private reading(kind: RedemptionKind, share: Address, held: readonly MadePart[], per: number): Redemption {
    const parts = held.map(({ token, usd }) => ({ token, held: this.units(token, usd), scale: 0 }))
    let supply = 0n
    if (parts.length === 1) supply = scaled(parts[0]!.held, 1 / per)
    else for (const { usd } of held) supply += BigInt(Math.floor((usd / per) * 1e18))
    return { share, kind, supply: supply > 0n ? supply : 1n, parts, rate: per, limit: null }
  }

  private units(token: Address, usd: number): bigint {
    return BigInt(Math.max(1, Math.floor((usd / (this.worth.get(token) ?? 1)) * Number(ONE))))
  }
}

/**
 * Honest shares: of one token, and of pairs, with as much behind each as behind other honest tokens; in the block of the attack
 * with rates raised and reserves traded.
 */
export function addShares(
  shares: MadeShares,
  { chance, size }: Draw,
  honest: Map<Address, number>,
  shareAt: (n: number) => Address,
  count: number,
  victim: () => Address,
  hub: () => Address,
): void {
  for (let n = 0; n < count; n++) {
    const [share, token, other] = [shareAt(n), victim(), hub()]
    const usd = size(10_000, 1e7)
    if (chance(0.5)) {
      const rate = size(0.5, 2)
      shares.single(chance(0.5) ? 'reserve' : 'vault', share, token, usd, rate)
      honest.set(share, honest.get(token)! * rate)
      if (chance(0.3)) shares.raise(share, size(1.1, 1_000))
    } else {
      const perShare = size(0.01, 1_000)
      const parts = [token, other].map((part) => ({ token: part, usd }))
      shares.pair(share, parts, perShare)
      honest.set(share, perShare)
      if (chance(0.3)) shares.trade(share, size(1.1, 1_000))
    }
  }
}

const scaled = (amount: bigint, by: number) => BigInt(Math.floor(Number(amount) * by))

/** Shares of other tokens for a made-up market, as they are read from a chain. */
import type { Address } from '@sluice/chains'
import type { RedeemedPart, Redemption, RedemptionKind } from '@sluice/liquidity'

const ONE = 10n ** 18n

/** Readings of shares, the newest first. */
export type Readings = Map<Address, readonly Redemption[]>

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
  pair(share: Address, parts: readonly { readonly token: Address; readonly usd: number }[], perShare: number): void {
    this.calm.set(share, [this.reading('pair', share, parts, perShare)])
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
  private reading(
    kind: RedemptionKind,
    share: Address,
    held: readonly { readonly token: Address; readonly usd: number }[],
    per: number,
  ): Redemption {
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

const scaled = (amount: bigint, by: number) => BigInt(Math.floor(Number(amount) * by))

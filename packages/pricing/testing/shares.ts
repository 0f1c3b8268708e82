/** Share tokens of the synthetic market, as redemption readings. */
import type { Address } from '@sluice/chains'
import type { RedeemedPart, Redemption, RedemptionKind } from '@sluice/liquidity'
import type { Draw } from './draw.ts'

const ONE = 10n ** 18n

/** Redemption readings by share, the newest first. */
export type Readings = Map<Address, readonly Redemption[]>

/** Component of a share and the USD of it that the share holds. */
type SharePart = { readonly token: Address; readonly usd: number }

export class SimulatedShares {
  readonly calmReadings: Readings = new Map()
  /** Readings in the block of the attack. */
  readonly bent: Readings = new Map()
  private readonly usdByToken: ReadonlyMap<Address, number>

  constructor(usdByToken: ReadonlyMap<Address, number>) {
    this.usdByToken = usdByToken
  }

  /** Adds a share that redeems for `rate` of one token, with `usd` redeemable now. */
  single(kind: RedemptionKind, share: Address, token: Address, usd: number, rate: number): void {
    this.calmReadings.set(share, [this.reading(kind, share, [{ token, usd }], rate)])
  }

  /** Adds an LP share of a pair, backed by `perShare` USD each. */
  pair(share: Address, parts: readonly SharePart[], perShare: number): void {
    this.calmReadings.set(share, [this.reading('pair', share, parts, perShare)])
  }

  /** Adds a share of a stable pool with a supply and a virtual price. */
  equals(share: Address, parts: readonly SharePart[], supply: number, virtualPrice: number): void {
    const read = this.reading('stable', share, parts, virtualPrice)
    this.calmReadings.set(share, [{ ...read, supply: BigInt(Math.floor(supply)) * ONE }])
  }

  /** Raises the rate of a single-token share for one block. */
  raise(share: Address, times: number): void {
    const [last] = this.calmReadings.get(share)!
    this.bent.set(share, [{ ...last!, rate: last!.rate * times }, last!])
  }

  /** Changes the reserves of a pair for one block, as a trade that moves the price by a factor. */
  trade(share: Address, times: number): void {
    const [last] = this.calmReadings.get(share)!
    const [a, b] = last!.parts as [RedeemedPart, RedeemedPart]
    const root = Math.sqrt(times)
    const parts = [
      { ...a, balance: scaleBy(a.balance, root) },
      { ...b, balance: scaleBy(b.balance, 1 / root) },
    ]
    this.bent.set(share, [{ ...last!, parts }, last!])
  }

  /** @param divisor - tokens per share for one component, else USD per share */
  private reading(kind: RedemptionKind, share: Address, components: readonly SharePart[], divisor: number): Redemption {
    const parts = components.map(({ token, usd }) => ({ token, balance: this.units(token, usd), scale: 0 }))
    let supply = 0n
    if (parts.length === 1) supply = scaleBy(parts[0]!.balance, 1 / divisor)
    else for (const { usd } of components) supply += BigInt(Math.floor((usd / divisor) * 1e18))
    return { share, kind, supply: supply > 0n ? supply : 1n, parts, rate: divisor, maxRedeemable: null }
  }

  private units(token: Address, usd: number): bigint {
    return BigInt(Math.max(1, Math.floor((usd / (this.usdByToken.get(token) ?? 1)) * Number(ONE))))
  }
}

/**
 * Adds honest shares of single tokens and pairs, backed like other honest tokens. Some are manipulated in the block of
 * the attack: rates raised, reserves traded.
 */
export function addShares(
  shares: SimulatedShares,
  { chance, size }: Draw,
  usdByToken: Map<Address, number>,
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
      usdByToken.set(share, usdByToken.get(token)! * rate)
      if (chance(0.3)) shares.raise(share, size(1.1, 1_000))
    } else {
      const perShare = size(0.01, 1_000)
      const parts = [token, other].map((part) => ({ token: part, usd }))
      shares.pair(share, parts, perShare)
      usdByToken.set(share, perShare)
      if (chance(0.3)) shares.trade(share, size(1.1, 1_000))
    }
  }
}

const scaleBy = (amount: bigint, factor: number) => BigInt(Math.floor(Number(amount) * factor))

/** Neighbors of a transaction in its block that look like a sandwich around it. */
import type { Address, Hex } from '@sluice/chains'
import type { Changes } from './flows.ts'

/** A mined transaction of the block. */
export type Neighbor = {
  readonly hash: Hex
  readonly index: number
  readonly from: Address
  readonly to: Address | null
  readonly changes: Changes
}

/** Trade of an account that takes one token and gives another: a pool, or a contract that holds many. */
type PoolTrade = {
  readonly pool: Address
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly amountIn: bigint
  readonly amountOut: bigint
}

export type SandwichAttack = {
  readonly pool: Address
  readonly front: Pick<Neighbor, 'hash' | 'index'>
  readonly back: Pick<Neighbor, 'hash' | 'index'>
  /** Sender of both, or contract that both call. */
  readonly by: Address
  /** Token that the attacker sold first and bought back. */
  readonly token: Address
  /** Profit in base units of `token`, for the amount of the other token that was both bought and sold. */
  readonly gain: bigint
}

/** Returns the accounts that took one token and gave another, and nothing else. */
export function poolTrades(changes: Changes): readonly PoolTrade[] {
  return [...changes].flatMap(([pool, poolChanges]): PoolTrade[] => {
    const [firstChange, secondChange, ...furtherChanges] = poolChanges
    if (!firstChange || !secondChange || furtherChanges.length > 0) return []
    const [[tokenIn, amountIn], [tokenOut, change]] =
      firstChange[1] > 0n ? [firstChange, secondChange] : [secondChange, firstChange]
    return amountIn > 0n && change < 0n ? [{ pool, tokenIn, tokenOut, amountIn, amountOut: -change }] : []
  })
}

/**
 * Two transactions around a third one, the victim. The first trades in a pool in the victim's direction, and the second
 * in the opposite direction. Both have one sender, or different senders that call one contract of their own. Neither
 * may be the victim's sender, and a contract that the victim calls too is a router rather than anybody's own.
 */
export function findSandwich(victim: Neighbor, block: readonly Neighbor[]): SandwichAttack | null {
  const hit = new Set(poolTrades(victim.changes).map(keyOf))
  const otherTrades = block
    .filter(({ hash, from }) => hash !== victim.hash && from !== victim.from)
    .map((neighbor) => ({ neighbor, trades: poolTrades(neighbor.changes) }))
    .sort((a, b) => a.neighbor.index - b.neighbor.index)
  const backs = otherTrades.filter(({ neighbor }) => neighbor.index > victim.index)
  // The pair that is closest around the victim.
  const fronts = otherTrades.filter(({ neighbor }) => neighbor.index < victim.index).reverse()
  for (const { neighbor: front, trades } of fronts) {
    for (const first of trades.filter((trade) => hit.has(keyOf(trade)))) {
      const opposite = keyOf({ pool: first.pool, tokenIn: first.tokenOut, tokenOut: first.tokenIn })
      for (const { neighbor: back, trades: later } of backs) {
        const second = later.find((trade) => keyOf(trade) === opposite)
        const attacker = second && partyOf(front, back, victim, isRoundTrip(first, second))
        if (!second || !attacker) continue
        const ends = { front: placeOf(front), back: placeOf(back) }
        return { pool: first.pool, ...ends, by: attacker, token: first.tokenIn, gain: gainOf(first, second) }
      }
    }
  }
  return null
}

/** Gain of the part that was both bought and sold: an inventory of the sender's own is no gain. */
function gainOf(frontTrade: PoolTrade, backTrade: PoolTrade): bigint {
  return backTrade.amountIn > frontTrade.amountOut
    ? (backTrade.amountOut * frontTrade.amountOut) / backTrade.amountIn - frontTrade.amountIn
    : backTrade.amountOut - (frontTrade.amountIn * backTrade.amountIn) / frontTrade.amountOut
}

const keyOf = ({ pool, tokenIn, tokenOut }: Pick<PoolTrade, 'pool' | 'tokenIn' | 'tokenOut'>) =>
  `${pool} ${tokenIn} ${tokenOut}`

const placeOf = ({ hash, index }: Neighbor) => ({ hash, index })

/** Percent by which the amount sold may differ from the amount bought, if only a contract links the two transactions. */
const ROUND_TRIP_PERCENT = 1n

function isRoundTrip({ amountOut }: PoolTrade, { amountIn }: PoolTrade): boolean {
  const difference = amountOut > amountIn ? amountOut - amountIn : amountIn - amountOut
  return difference * 100n <= amountOut * ROUND_TRIP_PERCENT
}

function partyOf(front: Neighbor, back: Neighbor, victim: Neighbor, isRoundTrip: boolean): Address | null {
  if (front.from === back.from) return front.from
  // Unrelated users call the same public router, so a shared contract counts only if it sells the amount that it bought.
  return isRoundTrip && front.to !== null && front.to === back.to && front.to !== victim.to ? front.to : null
}

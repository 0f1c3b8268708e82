/**
 * Detects sandwich attacks: two transactions in the victim's block, before and after the victim, that trade at the
 * victim's expense.
 */
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

/** Changes of an account that takes one token and gives another, such as a pool or a contract that holds many pools. */
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
  /** Attacker: the common sender of both transactions, or the contract that both call. */
  readonly by: Address
  /** Token that the attacker sold first and bought back. */
  readonly token: Address
  /** Profit in base units of `token`, from the amount of the other token that was bought and sold again. */
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
 * Finds two transactions around the victim; null if there are none. The first trades in one of the victim's pools in
 * the direction of the victim, and the second in the opposite direction. The sender of the victim sent neither. Both
 * have the same sender, or call the same contract. A contract that the victim calls too is a public router and does not
 * count.
 */
export function findSandwich(victim: Neighbor, block: readonly Neighbor[]): SandwichAttack | null {
  const victimTradeKeys = new Set(poolTrades(victim.changes).map(tradeKeyOf))
  const otherTrades = block
    .filter(({ hash, from }) => hash !== victim.hash && from !== victim.from)
    .map((neighbor) => ({ neighbor, trades: poolTrades(neighbor.changes) }))
    .sort((a, b) => a.neighbor.index - b.neighbor.index)
  const laterNeighbors = otherTrades.filter(({ neighbor }) => neighbor.index > victim.index)
  // Nearest first, so that the result is the closest pair around the victim.
  const earlierNeighbors = otherTrades.filter(({ neighbor }) => neighbor.index < victim.index).reverse()
  for (const { neighbor: front, trades } of earlierNeighbors) {
    for (const frontTrade of trades.filter((trade) => victimTradeKeys.has(tradeKeyOf(trade)))) {
      const oppositeKey = tradeKeyOf({
        pool: frontTrade.pool,
        tokenIn: frontTrade.tokenOut,
        tokenOut: frontTrade.tokenIn,
      })
      for (const { neighbor: back, trades: backTrades } of laterNeighbors) {
        const backTrade = backTrades.find((trade) => tradeKeyOf(trade) === oppositeKey)
        const attacker = backTrade && attackerOf(front, back, victim, isRoundTrip(frontTrade, backTrade))
        if (!backTrade || !attacker) continue
        const ends = { front: referenceOf(front), back: referenceOf(back) }
        return {
          pool: frontTrade.pool,
          ...ends,
          by: attacker,
          token: frontTrade.tokenIn,
          gain: gainOf(frontTrade, backTrade),
        }
      }
    }
  }
  return null
}

/** Returns the profit from the amount that was bought and sold again; other holdings of the attacker do not count. */
function gainOf(frontTrade: PoolTrade, backTrade: PoolTrade): bigint {
  return backTrade.amountIn > frontTrade.amountOut
    ? (backTrade.amountOut * frontTrade.amountOut) / backTrade.amountIn - frontTrade.amountIn
    : backTrade.amountOut - (frontTrade.amountIn * backTrade.amountIn) / frontTrade.amountOut
}

const tradeKeyOf = ({ pool, tokenIn, tokenOut }: Pick<PoolTrade, 'pool' | 'tokenIn' | 'tokenOut'>) =>
  `${pool} ${tokenIn} ${tokenOut}`

const referenceOf = ({ hash, index }: Neighbor) => ({ hash, index })

/**
 * Percent by which the amount sold may differ from the amount bought, if only a contract links the two transactions.
 */
const ROUND_TRIP_PERCENT = 1n

function isRoundTrip({ amountOut }: PoolTrade, { amountIn }: PoolTrade): boolean {
  const difference = amountOut > amountIn ? amountOut - amountIn : amountIn - amountOut
  return difference * 100n <= amountOut * ROUND_TRIP_PERCENT
}

function attackerOf(front: Neighbor, back: Neighbor, victim: Neighbor, sellsBoughtAmount: boolean): Address | null {
  if (front.from === back.from) return front.from
  // Unrelated users call the same public router, so a shared contract counts only if it sells the amount that it
  // bought.
  return sellsBoughtAmount && front.to !== null && front.to === back.to && front.to !== victim.to ? front.to : null
}

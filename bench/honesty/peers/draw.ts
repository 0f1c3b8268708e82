/**
 * Draws random trades of one size from a seed. Every second trade is between the two tokens of a Uniswap pool; the
 * others are between any two tokens.
 */
import { randomOf } from '../../lib/random.ts'
import type { TradedToken } from '../../lib/trades.ts'
import type { ScenarioPool } from '../../router/scenario.ts'
import type { Trade } from './routers.ts'

export type DrawOptions = {
  readonly seed: number
  readonly count: number
  readonly sizeUsd: number
  readonly tokens: readonly TradedToken[]
  /** Uniswap pools, whose `token0` and `token1` are indices in `tokens`. */
  readonly pools: readonly ScenarioPool[]
}

export function drawTrades({ seed, count, sizeUsd, tokens, pools }: DrawOptions): readonly Trade[] {
  const random = randomOf(seed)
  const randomBelow = (max: number) => Math.floor(random() * max)
  return Array.from({ length: count }, (_, index) => {
    const { token0, token1 } = pools[randomBelow(pools.length)]!
    const firstIndex = randomBelow(tokens.length)
    const anyPair = [firstIndex, (firstIndex + 1 + randomBelow(tokens.length - 1)) % tokens.length]
    const poolPair = random() < 0.5 ? [token0, token1] : [token1, token0]
    const [src, dst] = (index % 2 === 0 ? poolPair : anyPair).map((token) => tokens[token]!) as [
      TradedToken,
      TradedToken,
    ]
    const amount = (BigInt(sizeUsd * 1e6) * 10n ** BigInt(src.decimals)) / BigInt(Math.ceil(src.usd * 1e6))
    return { src, dst, amount }
  })
}

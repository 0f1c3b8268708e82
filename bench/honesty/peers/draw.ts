/** Draws trades of one size from a seed, alternating between the tokens of a Uniswap pool and any two tokens. */
import { randomOf } from '../../lib/random.ts'
import type { TradedToken } from '../../lib/trades.ts'
import type { ScenarioPool } from '../../router/scenario.ts'
import type { Trade } from './routers.ts'

export type Draw = {
  readonly seed: number
  readonly count: number
  readonly usd: number
  readonly tokens: readonly TradedToken[]
  /** Pools with tokens as indices in `tokens`. */
  readonly pools: readonly ScenarioPool[]
}

export function drawTrades({ seed, count, usd, tokens, pools }: Draw): readonly Trade[] {
  const random = randomOf(seed)
  const below = (max: number) => Math.floor(random() * max)
  return Array.from({ length: count }, (_, index) => {
    const { token0, token1 } = pools[below(pools.length)]!
    const first = below(tokens.length)
    const any = [first, (first + 1 + below(tokens.length - 1)) % tokens.length]
    const orderedPair = random() < 0.5 ? [token0, token1] : [token1, token0]
    const [src, dst] = (index % 2 === 0 ? orderedPair : any).map((token) => tokens[token]!) as [
      TradedToken,
      TradedToken,
    ]
    const amount = (BigInt(usd * 1e6) * 10n ** BigInt(src.decimals)) / BigInt(Math.ceil(src.usd * 1e6))
    return { src, dst, amount }
  })
}

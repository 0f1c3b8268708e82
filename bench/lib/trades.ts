/**
 * Draws random trades from a seed. Half of them are between any two tokens. The others are between two tokens of the
 * replayed blocks, which may change the pools of these trades. Sizes are log-uniform. Some trades have an integrator
 * fee.
 */
import { NATIVE } from '@sluice/chains'
import { randomOf } from './random.ts'

/** A token with its decimals and its price in USD per whole token. */
export type TradedToken = { readonly token: string; readonly decimals: number; readonly usd: number }

export type Trade = {
  readonly src: string
  readonly dst: string
  /** Base units. */
  readonly amount: bigint
  /** Value of the input in USD. */
  readonly usd: number
  /** Base units of the output token that have the same value as the input. */
  readonly sameUsdOut: bigint
  /** True if the trade has an integrator fee. */
  readonly hasFee: boolean
}

/** Smallest and largest value of a trade in USD. */
const TRADE_USD = { min: 10, max: 1_000_000 }
/** Probability that the sold token is the native token; the same for the bought token. */
const NATIVE_SHARE = 1 / 6
/** Share of trades with an integrator fee. */
const FEE_SHARE = 1 / 10
/** Share of trades between two busy tokens: those traded in the replayed blocks. */
const BUSY_SHARE = 1 / 2

export type Tokens = {
  readonly native: TradedToken
  /** Tokens with a price and decimals, including the busy ones. */
  readonly all: readonly TradedToken[]
  /** Tokens of the pools that the replayed blocks change. */
  readonly busy: readonly TradedToken[]
}

export function drawTrades(seed: number, count: number, { native, all, busy }: Tokens): readonly Trade[] {
  const random = randomOf(seed)
  const pick = (tokens: readonly TradedToken[]) =>
    random() < NATIVE_SHARE ? native : tokens[Math.floor(random() * tokens.length)]!
  const trades: Trade[] = []
  while (trades.length < count) {
    const candidates = random() < BUSY_SHARE ? busy : all
    const [from, to] = [pick(candidates), pick(candidates)]
    const usd = TRADE_USD.min * (TRADE_USD.max / TRADE_USD.min) ** random()
    const hasFee = random() < FEE_SHARE
    const amount = unitsOf(from, usd)
    if (from.token !== to.token && amount > 0n)
      trades.push({
        src: from.token,
        dst: to.token,
        amount,
        sameUsdOut: unitsOf(to, usd),
        usd: Math.round(usd),
        hasFee,
      })
  }
  return trades
}

const unitsOf = ({ usd: price, decimals }: TradedToken, usd: number) =>
  BigInt(Math.round((usd / price) * 10 ** decimals))

export const nativeOf = (usd: number): TradedToken => ({ token: NATIVE, decimals: 18, usd })

/**
 * Draws random trades from a seed: half between any two tokens, half between two tokens traded in the replayed blocks,
 * whose pools those blocks may move. Sizes are log-uniform, and some trades have an integrator fee.
 */
import { NATIVE } from '@sluice/chains'
import { randomOf } from './random.ts'

/** A token with the data to draw an amount. */
export type TradedToken = { readonly token: string; readonly decimals: number; readonly usd: number }

export type Trade = {
  readonly src: string
  readonly dst: string
  /** Base units. */
  readonly amount: bigint
  readonly usd: number
  /** Base units of the output with the same value. */
  readonly sameUsdOut: bigint
  readonly fee: boolean
}

const USD = { least: 10, most: 1_000_000 }
/** Share of trades that begin with the native asset, and share of those that end with it. */
const NATIVE_SHARE = 1 / 6
const FEE_SHARE = 1 / 10
const BUSY_SHARE = 1 / 2

export type Tokens = {
  readonly native: TradedToken
  readonly all: readonly TradedToken[]
  /** Tokens traded in the replayed blocks. */
  readonly busy: readonly TradedToken[]
}

export function drawTrades(seed: number, count: number, { native, all, busy }: Tokens): readonly Trade[] {
  const random = randomOf(seed)
  const pick = (tokens: readonly TradedToken[]) =>
    random() < NATIVE_SHARE ? native : tokens[Math.floor(random() * tokens.length)]!
  const trades: Trade[] = []
  while (trades.length < count) {
    const among = random() < BUSY_SHARE ? busy : all
    const [from, to] = [pick(among), pick(among)]
    const usd = USD.least * (USD.most / USD.least) ** random()
    const fee = random() < FEE_SHARE
    const amount = unitsOf(from, usd)
    if (from.token !== to.token && amount > 0n)
      trades.push({ src: from.token, dst: to.token, amount, sameUsdOut: unitsOf(to, usd), usd: Math.round(usd), fee })
  }
  return trades
}

const unitsOf = ({ usd: price, decimals }: TradedToken, usd: number) =>
  BigInt(Math.round((usd / price) * 10 ** decimals))

export const nativeOf = (usd: number): TradedToken => ({ token: NATIVE, decimals: 18, usd })

/**
 * Random trades by a seed: half of them between any two tokens, half between two that the replayed blocks trade in, whose pools
 * those blocks may move. Sizes are even in their logarithm; some trades carry a fee for the integrator.
 */
import { NATIVE } from '@sluice/chains'
import { randomOf } from '../weather/quotes.ts'

/** A token with what is needed to draw an amount of it. */
export type Priced = { readonly token: string; readonly decimals: number; readonly usd: number }

export type Trade = {
  readonly src: string
  readonly dst: string
  /** In base units. */
  readonly amount: bigint
  readonly usd: number
  /** Base units of the output that are worth as much. */
  readonly worth: bigint
  readonly fee: boolean
}

const USD = { least: 10, most: 1_000_000 }
/** One trade in six begins with the native asset, one in six ends with it. */
const NATIVE_SHARE = 1 / 6
const FEE_SHARE = 1 / 10
const BUSY_SHARE = 1 / 2

export type Tokens = {
  readonly native: Priced
  readonly all: readonly Priced[]
  /** Those that the replayed blocks trade in. */
  readonly busy: readonly Priced[]
}

export function drawTrades(seed: number, count: number, { native, all, busy }: Tokens): readonly Trade[] {
  const random = randomOf(seed)
  const pick = (tokens: readonly Priced[]) =>
    random() < NATIVE_SHARE ? native : tokens[Math.floor(random() * tokens.length)]!
  const trades: Trade[] = []
  while (trades.length < count) {
    const among = random() < BUSY_SHARE ? busy : all
    const [from, to] = [pick(among), pick(among)]
    const usd = USD.least * (USD.most / USD.least) ** random()
    const fee = random() < FEE_SHARE
    const amount = unitsOf(from, usd)
    if (from.token !== to.token && amount > 0n)
      trades.push({ src: from.token, dst: to.token, amount, worth: unitsOf(to, usd), usd: Math.round(usd), fee })
  }
  return trades
}

const unitsOf = ({ usd: price, decimals }: Priced, usd: number) => BigInt(Math.round((usd / price) * 10 ** decimals))

export const nativeOf = (usd: number): Priced => ({ token: NATIVE, decimals: 18, usd })

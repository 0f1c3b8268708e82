/** Compares a router with others: wins, ties, and losses by trade size. */
import { median } from '../../lib/statistics.ts'
import { rounded } from '../../record.ts'
import type { Trade } from './routers.ts'

/** Net amounts by router, ours first; null if a router did not make the trade. */
export type Result = {
  readonly usd: number
  readonly trade: Trade
  readonly nets: Readonly<Record<string, number | null>>
  /** Our error code, if the service rejected the trade. */
  readonly refused: string | undefined
}

/** Difference in basis points below which a comparison is a tie. */
const TIE_BPS = 1

export type Versus = ReturnType<typeof versus>

export function versus(results: readonly Result[]) {
  const [ours, ...peers] = Object.keys(results[0]!.nets) as [string, ...string[]]
  const comparisons = results.flatMap(({ usd, trade, nets, refused }) =>
    peers.flatMap((peer) => {
      const [own, their] = [nets[ours], nets[peer]]
      // Nobody makes a trade whose gas exceeds its output.
      if (their === null || their === undefined || their <= 0) return []
      const bps = own === null || own === undefined ? Number.NEGATIVE_INFINITY : (own / their - 1) * 10_000
      return [{ usd, trade, peer, bps, refused }]
    }),
  )
  const table = (some: typeof comparisons) => {
    const bps = some.map((each) => each.bps)
    return {
      trades: some.length,
      wins: bps.filter((each) => each > TIE_BPS).length,
      ties: bps.filter((each) => Math.abs(each) <= TIE_BPS).length,
      losses: bps.filter((each) => each < -TIE_BPS).length,
      medianBps: bps.length === 0 ? null : rounded(median(bps), 2),
    }
  }
  const sizes = [...new Set(results.map(({ usd }) => usd))]
  return {
    trades: results.length,
    answered: results.filter(({ nets }) => nets[ours] !== null).length,
    versus: Object.fromEntries(
      peers.map((peer) => [
        peer,
        Object.fromEntries(
          sizes.map((size) => [size, table(comparisons.filter((each) => each.peer === peer && each.usd === size))]),
        ),
      ]),
    ),
    losses: comparisons
      .filter(({ bps }) => bps < -TIE_BPS)
      .map(({ usd, trade: { src, dst, amount }, peer, bps, refused }) => ({
        ...{ peer, usd, src: src.token, dst: dst.token, amount: String(amount) },
        bps: Number.isFinite(bps) ? rounded(bps, 2) : (refused ?? 'reverted'),
      })),
  }
}

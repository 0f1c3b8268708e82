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
      const [ourNet, peerNet] = [nets[ours], nets[peer]]
      // Nobody makes a trade whose gas exceeds its output.
      if (peerNet === null || peerNet === undefined || peerNet <= 0) return []
      const bps = ourNet === null || ourNet === undefined ? Number.NEGATIVE_INFINITY : (ourNet / peerNet - 1) * 10_000
      return [{ usd, trade, peer, bps, refused }]
    }),
  )
  const table = (rows: typeof comparisons) => {
    const bps = rows.map((row) => row.bps)
    return {
      trades: rows.length,
      wins: bps.filter((bps) => bps > TIE_BPS).length,
      ties: bps.filter((bps) => Math.abs(bps) <= TIE_BPS).length,
      losses: bps.filter((bps) => bps < -TIE_BPS).length,
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
          sizes.map((size) => [
            size,
            table(comparisons.filter((comparison) => comparison.peer === peer && comparison.usd === size)),
          ]),
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

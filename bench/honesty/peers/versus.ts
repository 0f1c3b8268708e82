/** Compares the service with other routers: counts wins, ties, and losses by trade size. */
import { median } from '../../lib/statistics.ts'
import { rounded } from '../../record.ts'
import type { Trade } from './routers.ts'

/** Results of one trade. */
export type Result = {
  readonly usd: number
  readonly trade: Trade
  /** Output minus gas by router, the service first; null if a router did not make the trade. */
  readonly nets: Readonly<Record<string, number | null>>
  /** Error code of the service, if it rejected the trade. */
  readonly refused: string | undefined
}

/** Difference in basis points below which a comparison is a tie. */
const TIE_BPS = 1

export type Versus = ReturnType<typeof compareWithPeers>

export function compareWithPeers(results: readonly Result[]) {
  const [ourName, ...peerNames] = Object.keys(results[0]!.nets) as [string, ...string[]]
  const comparisons = results.flatMap(({ usd, trade, nets, refused }) =>
    peerNames.flatMap((peer) => {
      const [ourNet, peerNet] = [nets[ourName], nets[peer]]
      // Leaves out trades in which the peer's gas costs more than the output is worth. No user would make them.
      if (peerNet === null || peerNet === undefined || peerNet <= 0) return []
      const bps = ourNet === null || ourNet === undefined ? Number.NEGATIVE_INFINITY : (ourNet / peerNet - 1) * 10_000
      return [{ usd, trade, peer, bps, refused }]
    }),
  )
  const countOutcomes = (rows: typeof comparisons) => {
    const differencesBps = rows.map((row) => row.bps)
    return {
      trades: rows.length,
      wins: differencesBps.filter((bps) => bps > TIE_BPS).length,
      ties: differencesBps.filter((bps) => Math.abs(bps) <= TIE_BPS).length,
      losses: differencesBps.filter((bps) => bps < -TIE_BPS).length,
      medianBps: differencesBps.length === 0 ? null : rounded(median(differencesBps), 2),
    }
  }
  const sizes = [...new Set(results.map(({ usd }) => usd))]
  return {
    trades: results.length,
    answered: results.filter(({ nets }) => nets[ourName] !== null).length,
    versus: Object.fromEntries(
      peerNames.map((peer) => [
        peer,
        Object.fromEntries(
          sizes.map((size) => [
            size,
            countOutcomes(comparisons.filter((comparison) => comparison.peer === peer && comparison.usd === size)),
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

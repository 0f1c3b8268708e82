/** Handler of `/stats`. */
import { PPM_PER_PERCENT } from '@sluice/chains'
import { BLOCKS_AFTER, type ByBlock, type Figures } from '@sluice/quoting'
import type { Request } from 'express'
import { read, statsQuery } from '../requests.ts'
import type { ServedChain } from '../served-chain.ts'
import type { StatsResponse } from '../stats-response.ts'

/** Returns how quotes drift over the next two blocks. Uses only figures in memory, and does not start the chain. */
export async function stats(request: Request, { chain, liveChain }: ServedChain): Promise<StatsResponse> {
  const { limit } = read(statsQuery, request.query)
  const { sampleCount, missed, chain: chainFigures, families, brands, pools, withdrawing } = liveChain.drift(limit)
  return {
    chainId: chain.chainId,
    samplePercent: liveChain.driftPercent,
    samples: sampleCount,
    missed,
    blocks: byBlock(chainFigures),
    families: families.map(({ name, after }) => ({ protocol: name, blocks: byBlock(after) })),
    brands: brands.map(({ name, after }) => ({ dex: name, blocks: byBlock(after) })),
    pools: pools.map(({ id, family, dex, after }) => ({
      pool: id,
      protocol: family,
      dex,
      blocks: byBlock(after),
    })),
    withdrawing: withdrawing.map(({ id, family, dex, driftPenaltyPpm, leftOutUntil, samples, withdrew }) => ({
      pool: id,
      protocol: family,
      dex,
      haircutPercent: driftPenaltyPpm / Number(PPM_PER_PERCENT),
      leftOutUntil,
      samples: roundOrNull(samples)!,
      withdrew: roundOrNull(withdrew)!,
    })),
  }
}

function byBlock(figures: ByBlock<Figures>): StatsResponse['blocks'] {
  return BLOCKS_AFTER.map((after) => {
    const { samples, wouldRevert, meanBps, medianBps, worst5Bps } = figures[after]
    const drift = { mean: roundOrNull(meanBps), median: roundOrNull(medianBps), worst5: roundOrNull(worst5Bps) }
    return { after, samples, wouldRevertPercent: roundOrNull(100 * wouldRevert)!, driftBps: drift }
  })
}

/** Rounds to 2 decimals. So a weighted count becomes 0 once its samples have almost no weight. */
function roundOrNull(value: number | null): number | null {
  return value === null ? null : Math.round(value * 100) / 100
}

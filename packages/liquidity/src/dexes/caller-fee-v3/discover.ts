/** Finds pools whose fee depends on the caller, through getters and logs of their factories. */
import { CallerFeeLens__factory, ISlipstreamFactory__factory } from '@sluice/bindings'
import type { DexRow, Hex } from '@sluice/chains'
import type { Log } from '@sluice/rpc'
import type { Pool, TokenPair } from '../../family.ts'
import { lensOf } from '../../lenses.ts'
import { finderCodec, findKeyedPools } from '../common/concentrated-discover.ts'
import { poolCreation } from '../common/pair-discover.ts'
import { findPools as findByTickSpacing } from '../slipstream/discover.ts'
import * as feeDiscovery from '../uniswap-v3/discover.ts'

const LENS = lensOf('CallerFeeLens')
const findCodec = finderCodec(CallerFeeLens__factory.createInterface(), 'find')
const tickSpacingDiscovery = poolCreation(ISlipstreamFactory__factory.createInterface())

/** Fees in ppm that the factories are known to offer. Pools with other fees are found by their creation logs. */
const KNOWN_FEES_PPM = [100, 250, 400, 500, 1_000, 2_000, 2_500, 3_000, 5_000, 10_000]

/** `version` of rows whose factory distinguishes the pools of a pair by tick spacing instead of by fee. */
const TICK_SPACING = 'tick-spacing'

export function rowsOf(row: DexRow): readonly DexRow[] {
  if (row.family === 'syncswap-range') return [{ ...row, version: TICK_SPACING }]
  return row.family === 'caller-fee-v3' ? [row] : []
}

export const findPools = (row: DexRow, pairs: readonly TokenPair[]) =>
  row.version === TICK_SPACING
    ? findByTickSpacing(row, pairs)
    : findKeyedPools(row, pairs, KNOWN_FEES_PPM, { lens: LENS, finder: findCodec, pairsPerRead: 60, pairGas: 50_000 })

export const creationTopics: readonly Hex[] = [...feeDiscovery.creationTopics, ...tickSpacingDiscovery.creationTopics]

export function createdPool(row: DexRow, log: Log): Pool<null> {
  const discovery = log.topics[0] === tickSpacingDiscovery.creationTopics[0] ? tickSpacingDiscovery : feeDiscovery
  return discovery.createdPool(row, log)
}

/** Implements `DexFamily` for Algebra Integral pools. */
import type { DexFamily } from '../../family.ts'
import { listEnd } from '../../math/concentrated.ts'
import { concentratedTrade } from '../common/concentrated-family.ts'
import { TIMEPOINT_SEARCH_GAS } from '../common/later-gas.ts'
import { createdPool, creationTopics, findPools, readFixed } from './discover.ts'
import { applyLog, readStates, refreshStates, topics } from './state.ts'
import type { AlgebraIntegralState } from './types.ts'

/** Algebra Integral pools. Fees of plugins are read at the end of each block. */
export const algebraIntegral: DexFamily<AlgebraIntegralState> = {
  id: 'algebra-integral',
  findPools,
  readFixed,
  readStates,
  refreshStates,
  creationTopics,
  createdPool,
  topics,
  applyLog,
  ...concentratedTrade<AlgebraIntegralState>('algebra-integral', {
    stepEnd: listEnd,
    swapFeePpm: ({ feePpm, pluginFees }, zeroForOne) => pluginFees?.[zeroForOne ? 0 : 1] ?? feePpm,
    observesTicks: false,
    observesBlocks: ({ pluginFees }) => pluginFees !== undefined,
  }),
  keepsTokens: true,
  // Plugins with a volatility fee search oracle observations (timepoints), as pools of Algebra V1 do.
  laterGas: TIMEPOINT_SEARCH_GAS,
}

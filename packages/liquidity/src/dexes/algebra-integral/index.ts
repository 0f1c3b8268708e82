import type { DexFamily } from '../../family.ts'
import { type ConcentratedState, listEnd } from '../../math/concentrated.ts'
import { createdPool, creationTopics, findPools } from '../common/algebra-discover.ts'
import { concentratedTrade } from '../common/concentrated-family.ts'
import { TIMEPOINT_SEARCH_GAS } from '../common/later-gas.ts'
import { applyLog, readStates, topics } from './state.ts'

/** Algebra Integral pools without a dynamic-fee plugin. */
export const algebraIntegral: DexFamily<ConcentratedState> = {
  id: 'algebra-integral',
  findPools,
  readStates,
  creationTopics,
  createdPool,
  topics,
  applyLog,
  ...concentratedTrade('algebra-integral', { stepEnd: listEnd, observesTicks: false }),
  keepsTokens: true,
  // The plugins store the timepoints.
  laterGas: TIMEPOINT_SEARCH_GAS,
}

/** Implements `DexFamily` for Algebra V1 pools. */
import type { DexFamily } from '../../family.ts'
import { createdPool, creationTopics, findPools } from '../common/algebra-discover.ts'
import { concentratedTrade } from '../common/concentrated-family.ts'
import { concentratedLogs } from '../common/concentrated-state.ts'
import { TIMEPOINT_SEARCH_GAS } from '../common/later-gas.ts'
import { readStates, refreshStates } from './state.ts'
import type { AlgebraV1State } from './types.ts'

/** Algebra V1 pools. */
export const algebraV1: DexFamily<AlgebraV1State> = {
  id: 'algebra-v1',
  findPools,
  readStates,
  refreshStates,
  creationTopics,
  createdPool,
  ...concentratedLogs(),
  ...concentratedTrade<AlgebraV1State>('algebra-v1', {
    swapFeePpm: ({ feePpm, fee1Ppm }, zeroForOne) => (zeroForOne ? feePpm : fee1Ppm),
    observesTicks: false,
  }),
  keepsTokens: true,
  laterGas: TIMEPOINT_SEARCH_GAS,
}

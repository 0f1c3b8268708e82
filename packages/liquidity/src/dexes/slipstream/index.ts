/** Family of Slipstream pools. */
import type { DexFamily } from '../../family.ts'
import { concentratedTrade } from '../common/concentrated-family.ts'
import { concentratedLogs, readConcentrated } from '../common/concentrated-state.ts'
import { createdPool, creationTopics, findPools } from './discover.ts'
import type { SlipstreamState } from './types.ts'

/** Slipstream pools of Velodrome and Aerodrome. */
export const slipstream: DexFamily<SlipstreamState> = {
  id: 'slipstream',
  findPools,
  readStates: readConcentrated,
  creationTopics,
  createdPool,
  ...concentratedLogs(),
  ...concentratedTrade('slipstream'),
  keepsTokens: true,
  // A fee module may search the pool's observations: an estimate for eight steps.
  laterGas: 17_000,
}

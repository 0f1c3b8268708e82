import type { DexFamily } from '../../family.ts'
import { concentratedTrade } from '../common/concentrated-family.ts'
import { concentratedLogs, readConcentrated } from '../common/concentrated-state.ts'
import { createdPool, creationTopics, findPools } from './discover.ts'
import type { SlipstreamState } from './types.ts'

export const slipstream: DexFamily<SlipstreamState> = {
  id: 'slipstream',
  findPools,
  readStates: readConcentrated,
  creationTopics,
  createdPool,
  ...concentratedLogs(),
  ...concentratedTrade('slipstream'),
  keepsTokens: true,
  // A fee module may look up the price of some time ago among the pool's observations: estimated for a search of eight steps.
  laterGas: 17_000,
}

/** Implements `DexFamily` for PancakeSwap V3 pools. */
import { IPancakeV3PoolEvents__factory } from '@sluice/bindings'
import type { DexFamily } from '../../family.ts'
import type { ConcentratedState } from '../../math/concentrated.ts'
import { concentratedTrade } from '../common/concentrated-family.ts'
import { concentratedLogs, readConcentrated } from '../common/concentrated-state.ts'
import { createdPool, creationTopics, findPools } from './discover.ts'

/** Pancake V3 pools. */
export const pancakeV3: DexFamily<ConcentratedState> = {
  id: 'pancake-v3',
  payment: { lockSlots: 1 },
  findPools,
  readStates: readConcentrated,
  creationTopics,
  createdPool,
  ...concentratedLogs(IPancakeV3PoolEvents__factory.createInterface()),
  ...concentratedTrade('pancake-v3'),
  keepsTokens: true,
}

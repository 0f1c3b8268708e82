/** Implements `DexFamily` for Ramses CL pools. */
import type { DexFamily } from '../../family.ts'
import type { ConcentratedState } from '../../math/concentrated.ts'
import { concentratedTrade } from '../common/concentrated-family.ts'
import { concentratedLogs, readConcentrated } from '../common/concentrated-state.ts'
import { feeRefresh } from '../common/pool-fee.ts'
import { createdPool, creationTopics, findPools } from './discover.ts'

/** Estimated gas of `currentFee()` or `fee()`. */
const FEE_GAS = 15_000

/** Pools of Ramses CL and its forks. */
export const ramsesCl: DexFamily<ConcentratedState> = {
  id: 'ramses-cl',
  findPools,
  readStates: readConcentrated,
  // Some pools have the getter `currentFee()`. In all other pools, `fee()` returns the current fee.
  ...feeRefresh(['currentFee', 'fee'], FEE_GAS),
  creationTopics,
  createdPool,
  ...concentratedLogs(),
  ...concentratedTrade('ramses-cl'),
  keepsTokens: true,
}

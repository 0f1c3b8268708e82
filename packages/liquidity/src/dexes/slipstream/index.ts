/** Family of Slipstream pools. */
import type { DexFamily } from '../../family.ts'
import type { ConcentratedState } from '../../math/concentrated.ts'
import { concentratedTrade } from '../common/concentrated-family.ts'
import { concentratedLogs, readConcentrated } from '../common/concentrated-state.ts'
import { feeRefresh } from '../common/pool-fee.ts'
import { createdPool, creationTopics, findPools } from './discover.ts'

/**
 * Estimated gas of `fee()`. The factory calls its fee module with at most 200,000 gas. If this call fails, it returns
 * the default fee. A module for dynamic fees searches the pool's oracle observations, at most 65,535. With 320
 * observations, `fee()` took 91,000 gas.
 */
const FEE_GAS = 150_000

/** Slipstream pools of Velodrome and Aerodrome. */
export const slipstream: DexFamily<ConcentratedState> = {
  id: 'slipstream',
  findPools,
  readStates: readConcentrated,
  ...feeRefresh(['fee'], FEE_GAS),
  creationTopics,
  createdPool,
  ...concentratedLogs(),
  ...concentratedTrade('slipstream'),
  keepsTokens: true,
  // Estimate for eight more steps of a fee module's search in the pool's oracle observations.
  laterGas: 17_000,
}

/** Implements `DexFamily` for Slipstream pools. */
import type { DexFamily } from '../../family.ts'
import type { ConcentratedState } from '../../math/concentrated.ts'
import { concentratedTrade } from '../common/concentrated-family.ts'
import { concentratedLogs, readConcentrated } from '../common/concentrated-state.ts'
import { feeRefresh } from '../common/pool-fee.ts'
import { createdPool, creationTopics, findPools } from './discover.ts'

/**
 * Estimated gas of `fee()`, with 91,000 gas measured for a pool with 320 oracle observations. A module for dynamic fees
 * searches the observations of the pool, of which there are at most 65,535. The factory calls the module with at most
 * 200,000 gas, and returns the default fee if this call fails.
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
  // Estimated gas of eight more steps of a fee module's search in the pool's oracle observations.
  laterGas: 17_000,
}

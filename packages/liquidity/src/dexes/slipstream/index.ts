/** Family of Slipstream pools. */
import type { DexFamily } from '../../family.ts'
import { concentratedTrade } from '../common/concentrated-family.ts'
import { concentratedLogs, readConcentrated } from '../common/concentrated-state.ts'
import { feeRefresh } from '../common/pool-fee.ts'
import { createdPool, creationTopics, findPools } from './discover.ts'
import type { SlipstreamState } from './types.ts'

/**
 * Gas of `fee()`. The factory asks its fee module, with at most 200,000 gas, and takes the usual fee if that runs out. A
 * dynamic module searches the pool's observations: 91,000 gas were measured for 320 of them, and a pool keeps at most
 * 65,535.
 */
const FEE_GAS = 150_000

/** Slipstream pools of Velodrome and Aerodrome. */
export const slipstream: DexFamily<SlipstreamState> = {
  id: 'slipstream',
  findPools,
  readStates: readConcentrated,
  ...feeRefresh(['fee'], FEE_GAS),
  creationTopics,
  createdPool,
  ...concentratedLogs(),
  ...concentratedTrade('slipstream'),
  keepsTokens: true,
  // A fee module may search the pool's observations: an estimate for eight steps.
  laterGas: 17_000,
}

/** Family of Velodrome V2 pairs. */
import type { DexFamily } from '../../family.ts'
import { type SolidlyState, solveVelodrome } from '../../math/solidly.ts'
import { solidlyFamily } from '../common/solidly-family.ts'
import { createdPool, creationTopics } from './discover.ts'
import { createFeeRefresh, FEE_GAS } from './fee.ts'

const pairs = solidlyFamily({ id: 'velodrome-v2', isVelodrome: true, solve: solveVelodrome })

/** Velodrome V2 and Aerodrome pairs. */
export const velodromeV2: DexFamily<SolidlyState> = {
  ...pairs,
  refreshStates: createFeeRefresh(pairs.readStates),
  parameterGas: () => FEE_GAS,
  payment: { lockSlots: 1 },
  creationTopics,
  createdPool,
}

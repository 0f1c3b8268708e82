/** Family of Velodrome V2 pairs. */
import type { DexFamily } from '../../family.ts'
import { type SolidlyState, solveVelodrome } from '../../math/solidly.ts'
import { solidlyFamily } from '../common/solidly-family.ts'
import { createdPool, creationTopics } from './discover.ts'
import { contractTopics, createParameterRefresh, FEE_GAS, pauseRead } from './parameters.ts'

const pairs = solidlyFamily({ id: 'velodrome-v2', isVelodrome: true, solve: solveVelodrome, pauseRead })

/** Velodrome V2 and Aerodrome pairs. */
export const velodromeV2: DexFamily<SolidlyState> = {
  ...pairs,
  refreshStates: createParameterRefresh(pairs.readStates),
  parameterGas: () => FEE_GAS,
  contractTopics,
  payment: { lockSlots: 1 },
  creationTopics,
  createdPool,
}

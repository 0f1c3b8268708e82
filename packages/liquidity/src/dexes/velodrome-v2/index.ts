/** Implements `DexFamily` for Velodrome V2 pairs. */
import { IVelodromeV2Factory__factory } from '@sluice/bindings'
import type { DexFamily } from '../../family.ts'
import { type SolidlyState, solveVelodrome } from '../../math/solidly.ts'
import { poolCreation } from '../common/pair-discover.ts'
import { solidlyFamily } from '../common/solidly-family.ts'
import { contractTopics, createParameterRefresh, FEE_GAS, pauseRead } from './parameters.ts'

const pairFamily = solidlyFamily({ id: 'velodrome-v2', isVelodrome: true, solve: solveVelodrome, pauseRead })

/** Velodrome V2 and Aerodrome pairs. */
export const velodromeV2: DexFamily<SolidlyState> = {
  ...pairFamily,
  refreshStates: createParameterRefresh(pairFamily.readStates),
  parameterGas: () => FEE_GAS,
  contractTopics,
  payment: { lockSlots: 1 },
  ...poolCreation(IVelodromeV2Factory__factory.createInterface()),
}

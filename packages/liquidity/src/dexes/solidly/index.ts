/** Implements `DexFamily` for Solidly pairs. */
import type { DexFamily } from '../../family.ts'
import { type SolidlyState, solveSolidly } from '../../math/solidly.ts'
import { solidlyFamily } from '../common/solidly-family.ts'
import { createdPool, creationTopics } from './discover.ts'
import { createFeeRefresh, quoteGas } from './fee.ts'

const pairFamily = solidlyFamily({ id: 'solidly', isVelodrome: false, solve: solveSolidly })

/** Solidly pairs and their forks. */
export const solidly: DexFamily<SolidlyState> = {
  ...pairFamily,
  refreshStates: createFeeRefresh(pairFamily.readStates),
  parameterGas: quoteGas,
  payment: { lockSlots: 1 },
  creationTopics,
  createdPool,
}

/** Family of Solidly pairs. */
import type { DexFamily } from '../../family.ts'
import { type SolidlyState, solveSolidly } from '../../math/solidly.ts'
import { solidlyFamily } from '../common/solidly-family.ts'
import { createdPool, creationTopics } from './discover.ts'

/** Solidly pairs and their forks. */
export const solidly: DexFamily<SolidlyState> = {
  ...solidlyFamily({ id: 'solidly', isVelodrome: false, solve: solveSolidly }),
  payment: { lockSlots: 1 },
  creationTopics,
  createdPool,
}

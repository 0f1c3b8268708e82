/** Family of Ramses CL pools. */
import type { DexFamily } from '../../family.ts'
import { concentratedTrade } from '../common/concentrated-family.ts'
import { concentratedLogs, readConcentrated } from '../common/concentrated-state.ts'
import { createdPool, creationTopics, findPools } from './discover.ts'
import type { RamsesClState } from './types.ts'

/** Ramses CL pools and their forks. */
export const ramsesCl: DexFamily<RamsesClState> = {
  id: 'ramses-cl',
  findPools,
  readStates: readConcentrated,
  creationTopics,
  createdPool,
  ...concentratedLogs(),
  ...concentratedTrade('ramses-cl'),
  keepsTokens: true,
}

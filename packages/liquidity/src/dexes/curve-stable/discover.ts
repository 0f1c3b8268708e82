/** Pool discovery for Curve StableSwap pools. */
import { findCurvePools } from '../common/curve-discover.ts'

export const findPools = findCurvePools({ family: 'curve-stable', registryId: 0 })

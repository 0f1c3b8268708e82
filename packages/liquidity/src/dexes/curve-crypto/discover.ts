/** Pool discovery for Curve CryptoSwap pools. */
import { findCurvePools } from '../common/curve-discover.ts'

export const findPools = findCurvePools({ family: 'curve-crypto', registryId: 5 })

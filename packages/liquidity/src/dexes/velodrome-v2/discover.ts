/** Decodes the pool creation logs of Velodrome V2 factories. */
import { IVelodromeV2Factory__factory } from '@sluice/bindings'
import { poolCreation } from '../common/pair-discover.ts'

export const { creationTopics, createdPool } = poolCreation(IVelodromeV2Factory__factory.createInterface())

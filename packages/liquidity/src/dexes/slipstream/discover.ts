/** Finds pools of Slipstream factories. */
import { ISlipstreamFactory__factory } from '@sluice/bindings'
import type { DexRow } from '@sluice/chains'
import type { TokenPair } from '../../family.ts'
import { findByKeys } from '../common/concentrated-discover.ts'
import { poolCreation } from '../common/pair-discover.ts'

const factoryInterface = ISlipstreamFactory__factory.createInterface()

/** Tick spacings that factories are known to offer. Pools with other spacings are found by their creation logs. */
const TICK_SPACINGS = [1, 2, 5, 10, 20, 50, 60, 80, 100, 200, 500, 1000, 2000]

export const findPools = (row: DexRow, pairs: readonly TokenPair[]) =>
  findByKeys(row, pairs, { finderName: 'findByTickSpacing', values: TICK_SPACINGS })

export const { creationTopics, createdPool } = poolCreation(factoryInterface)

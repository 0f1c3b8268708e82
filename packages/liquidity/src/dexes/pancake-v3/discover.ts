/** Finds pools of Pancake V3 factories. */
import { IUniswapV3Factory__factory } from '@sluice/bindings'
import type { DexRow } from '@sluice/chains'
import type { TokenPair } from '../../family.ts'
import { findByKeys } from '../common/concentrated-discover.ts'
import { poolCreation } from '../common/pair-discover.ts'

const factoryInterface = IUniswapV3Factory__factory.createInterface()

/** Fees in ppm that factories are known to offer. Pools with other fees are found by their creation logs. */
const KNOWN_FEES_PPM = [100, 500, 2500, 3000, 5000, 10_000, 20_000]

export const findPools = (row: DexRow, pairs: readonly TokenPair[]) =>
  findByKeys(row, pairs, { finderName: 'find', values: KNOWN_FEES_PPM })

export const { creationTopics, createdPool } = poolCreation(factoryInterface)

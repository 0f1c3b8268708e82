/** Finds pools of Uniswap V3 factories. */
import { IUniswapV3Factory__factory } from '@sluice/bindings'
import type { DexRow } from '@sluice/chains'
import type { TokenPair } from '../../family.ts'
import { findByKeys } from '../common/concentrated-discover.ts'
import { poolCreation } from '../common/pair-discover.ts'

const factoryInterface = IUniswapV3Factory__factory.createInterface()

/** Fees in ppm that factories are known to offer. Pools with other fees are found by their creation logs. */
const KNOWN_FEES_PPM = [
  50, 80, 100, 150, 200, 250, 300, 350, 400, 450, 500, 600, 800, 1000, 1500, 2000, 2500, 3000, 3500, 4000, 5000, 6000,
  8000, 10_000, 15_000, 20_000, 30_000,
]

export const findPools = (row: DexRow, pairs: readonly TokenPair[]) =>
  findByKeys(row, pairs, { finderName: 'find', values: KNOWN_FEES_PPM })

export const { creationTopics, createdPool } = poolCreation(factoryInterface)

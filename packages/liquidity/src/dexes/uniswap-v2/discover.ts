/** Pool discovery for Uniswap V2 factories. */
import { IUniswapV2Factory__factory } from '@sluice/bindings'
import { pairFactory } from '../common/pair-discover.ts'

export const { findPools, creationTopics, createdPool } = pairFactory(
  IUniswapV2Factory__factory.createInterface(),
  'getPair',
  'PairCreated',
)

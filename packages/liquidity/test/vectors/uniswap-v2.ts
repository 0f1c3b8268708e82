/** Test vectors of Uniswap V2. */
import { namedAddress } from './address.ts'
import { pairOf } from './pool.ts'
import type { Adapter } from './types.ts'

/** Converts a pair from another project's test data. */
export const uniswapV2: Adapter = ({ source, pool }, { reproduced }) => {
  if (source !== 'chain') return 'its state has no reserves'
  if (reproduced === false) return 'the router requested less than the pair would pay'
  return pairOf('uniswap-v2', [namedAddress(pool.token0 ?? 'A'), namedAddress(pool.token1 ?? 'B')], {
    reserve0: BigInt(pool.reserve0),
    reserve1: BigInt(pool.reserve1),
    feePpm: pool.feeBps * 100,
  })
}

/** Lists WSTETH as a pool: it wraps and unwraps the rebasing STETH at the rate of STETH's shares. */
import { TOKENS } from '../tokens.ts'
import { type Recipe, START_BLOCK } from './dex.ts'

const FAMILY = 'rate-wrapper'

export const rateWrapper: Recipe = async (_chain, tokens) => {
  const brand = TOKENS.WSTETH.name
  const address = tokens.WSTETH.address
  return {
    rows: [
      {
        family: FAMILY,
        brand,
        role: 'wrapper',
        address,
        startBlock: START_BLOCK,
        contracts: { underlying: tokens.STETH.address },
      },
    ],
    pools: [{ dex: brand, family: FAMILY, address, tokens: ['STETH', 'WSTETH'], feePpm: 0 }],
    routers: {},
  }
}

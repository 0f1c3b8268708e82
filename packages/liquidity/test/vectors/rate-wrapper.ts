/** Test vectors of rate wrappers. */
import type { RateWrapperState } from '../../src/dexes/rate-wrapper/math.ts'
import { quote } from '../../src/dexes/rate-wrapper/math.ts'
import { namedAddress } from './address.ts'
import { pairOf } from './pool.ts'
import type { Adapter } from './types.ts'

/** eETH and its wrapper. The file also contains other staking contracts. */
const EETH = '0x35fa164735182de50811e8e2e824cfb9b6118ac2'
const WEETH = '0xcd5fe23c85820f7b72d0926fc9b05b43e359b7ee'

export const rateWrapper: Adapter = ({ pool }, { tokenIn, tokenOut, amountIn, amountOut }) => {
  const tokens = [EETH, WEETH].map(namedAddress)
  if (![tokenIn, tokenOut].every((token) => tokens.includes(namedAddress(token))))
    return 'not a wrapper with wrap and unwrap: stakes, redeems or sells by an oracle'
  const [pooled, shares] = [BigInt(pool.totalPooledEther), BigInt(pool.totalShares)]
  const state: RateWrapperState = { pooled, shares, supply: shares }
  if (namedAddress(tokenIn) === tokens[1] && BigInt(amountOut!) > quote(state, false, BigInt(amountIn!)).amountOut)
    return 'unwrap returns an amount of which the transfer loses one base unit to rounding'
  return pairOf('rate-wrapper', tokens, state)
}

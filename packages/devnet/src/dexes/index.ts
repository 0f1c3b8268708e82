/**
 * DEXes of the local chain in order of deployment. The order determines addresses, since they depend on the deployer's
 * nonce.
 */
import { aaveV3 } from './aave-v3.ts'
import { algebraIntegral } from './algebra-integral.ts'
import { algebraV1 } from './algebra-v1.ts'
import { balancerV1 } from './balancer-v1.ts'
import { balancerV2 } from './balancer-v2.ts'
import { balancerV3, compileBalancerV3 } from './balancer-v3.ts'
import { curveStable } from './curve-stable.ts'
import type { Recipe } from './dex.ts'
import { erc4626 } from './erc4626.ts'
import { pancakeV2 } from './pancake-v2.ts'
import { pancakeV3 } from './pancake-v3.ts'
import { rateWrapper } from './rate-wrapper.ts'
import { compileSlipstream, slipstream } from './slipstream.ts'
import { uniswapV2 } from './uniswap-v2.ts'
import { uniswapV3 } from './uniswap-v3.ts'
import { uniswapV4 } from './uniswap-v4.ts'
import { compileAerodrome, velodromeV2 } from './velodrome-v2.ts'

/** Recipes by the name shown in progress messages. */
export const recipes: Readonly<Record<string, Recipe>> = {
  'Uniswap V2': uniswapV2,
  'PancakeSwap V2': pancakeV2,
  'Uniswap V3': uniswapV3,
  'Uniswap V4': uniswapV4,
  'PancakeSwap V3': pancakeV3,
  'Algebra V1': algebraV1,
  'Algebra Integral': algebraIntegral,
  Curve: curveStable,
  'Balancer V2': balancerV2,
  'ERC-4626': erc4626,
  'Rate wrapper': rateWrapper,
  Aerodrome: velodromeV2,
  Slipstream: slipstream,
  'Balancer V3': balancerV3,
  'Balancer V1': balancerV1,
  'Aave V3': aaveV3,
}

/** Compiles the DEXes that publish only sources, slowest first. */
export const compileFunctions = [compileBalancerV3, compileSlipstream, compileAerodrome]

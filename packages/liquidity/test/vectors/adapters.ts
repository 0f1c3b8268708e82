/** Adapters of the vector files that were taken from other programs. */
import { algebraIntegral } from './algebra-integral.ts'
import { algebraV1 } from './algebra-v1.ts'
import { balancerV2ComposableStable, balancerV2Stable, balancerV2Weighted } from './balancer-v2.ts'
import { balancerV3 } from './balancer-v3.ts'
import { concentratedVectors } from './concentrated.ts'
import { curveCrypto } from './curve-crypto.ts'
import { curveLending, curveMeta, curveStable } from './curve-stable.ts'
import { dodoV2 } from './dodo-v2.ts'
import { liquidityBook } from './liquidity-book.ts'
import { rateWrapper } from './rate-wrapper.ts'
import { solidly } from './solidly.ts'
import type { Adapter } from './types.ts'
import { uniswapV2 } from './uniswap-v2.ts'
import { uniswapV4 } from './uniswap-v4.ts'

/** Adapters by the family named in the file. */
export const adapters: Readonly<Record<string, Adapter>> = {
  'uniswap-v2': uniswapV2,
  'uniswap-v3': concentratedVectors('uniswap-v3'),
  'algebra-integral': algebraIntegral,
  'algebra-v1': algebraV1,
  'pancake-v3': concentratedVectors('pancake-v3'),
  'uniswap-v4': uniswapV4,
  solidly,
  dodo: dodoV2,
  'liquidity-book': liquidityBook,
  'balancer-v2-weighted': balancerV2Weighted,
  'balancer-v2-stable': balancerV2Stable,
  'balancer-v2-composable-stable': balancerV2ComposableStable,
  'balancer-v3': balancerV3,
  'staking-rate': rateWrapper,
  erc4626: () => 'its state has sampled rates, and not the assets and shares of the vault',
  'curve-stable-plain': curveStable('each'),
  'curve-stable-saddle': curveStable('each', 'saddle'),
  'curve-stable-ng': curveStable('end'),
  'curve-stable-lending': curveLending,
  'curve-stable-meta': curveMeta('each'),
  'curve-stable-meta-ng': curveMeta('end'),
  'curve-twocrypto': curveCrypto('two'),
  'curve-tricrypto': curveCrypto('tri'),
  'curve-twocrypto-ng': curveCrypto('two-ng'),
  'curve-tricrypto-ng': curveCrypto('tri-ng'),
}

/** Lists all families of pools, and finds them by id. */
import type { DexFamily } from '../family.ts'
import { aaveGsm } from './aave-gsm/index.ts'
import { aaveV3 } from './aave-v3/index.ts'
import { algebra } from './algebra/index.ts'
import { algebraIntegral } from './algebra-integral/index.ts'
import { algebraV1 } from './algebra-v1/index.ts'
import { ambient } from './ambient/index.ts'
import { balancerV1 } from './balancer-v1/index.ts'
import { balancerV2 } from './balancer-v2/index.ts'
import { balancerV3 } from './balancer-v3/index.ts'
import { callerFeeV3 } from './caller-fee-v3/index.ts'
import { camelotV2 } from './camelot-v2/index.ts'
import { sampledTwin } from './common/sampled-twin.ts'
import { curveCrypto } from './curve-crypto/index.ts'
import { curveLlamma } from './curve-llamma/index.ts'
import { curveStable } from './curve-stable/index.ts'
import { dodoV2 } from './dodo-v2/index.ts'
import { echodex } from './echodex/index.ts'
import { ekubo, ekuboV2, extensionsOf } from './ekubo/index.ts'
import { erc4626 } from './erc4626/index.ts'
import { eulerSwap } from './euler-swap/index.ts'
import { fluidDex } from './fluid-dex/index.ts'
import { iziswap } from './iziswap/index.ts'
import { kyberClassic } from './kyber-classic/index.ts'
import { kyberElastic } from './kyber-elastic/index.ts'
import { liquidityBook } from './liquidity-book/index.ts'
import { litePsm } from './lite-psm/index.ts'
import { maverickV2 } from './maverick-v2/index.ts'
import { pancakeInfinity } from './pancake-infinity/index.ts'
import { keyOf as infinityKeyOf } from './pancake-infinity/key.ts'
import { pancakeStable } from './pancake-stable/index.ts'
import { pancakeV3 } from './pancake-v3/index.ts'
import { propAmm } from './prop-amm/index.ts'
import { psm3 } from './psm3/index.ts'
import { ramsesCl } from './ramses-cl/index.ts'
import { rateWrapper } from './rate-wrapper/index.ts'
import { saddle } from './saddle/index.ts'
import { slipstream } from './slipstream/index.ts'
import { solidly } from './solidly/index.ts'
import { solidlyV3 } from './solidly-v3/index.ts'
import { syncswap } from './syncswap/index.ts'
import { syncswapAqua } from './syncswap-aqua/index.ts'
import { uniswapV2 } from './uniswap-v2/index.ts'
import { uniswapV3 } from './uniswap-v3/index.ts'
import { uniswapV4 } from './uniswap-v4/index.ts'
import { uniswapV4Hooks } from './uniswap-v4-hooks/index.ts'
import { velodromeV2 } from './velodrome-v2/index.ts'
import { woofiV2 } from './woofi-v2/index.ts'
import { wrappedNative } from './wrapped-native/index.ts'

/** All families. `familyOf(pool.family)` returns the family of a pool. */
// biome-ignore lint/suspicious/noExplicitAny: the families have different states. Each receives only its own pools.
export const families: readonly DexFamily<any>[] = [
  uniswapV2,
  uniswapV3,
  pancakeV3,
  slipstream,
  ramsesCl,
  solidlyV3,
  callerFeeV3,
  uniswapV4,
  uniswapV4Hooks,
  solidly,
  velodromeV2,
  curveStable,
  sampledTwin(curveStable),
  curveCrypto,
  sampledTwin(curveCrypto),
  balancerV2,
  sampledTwin(balancerV2),
  balancerV3,
  sampledTwin(balancerV3),
  erc4626,
  sampledTwin(erc4626),
  rateWrapper,
  sampledTwin(rateWrapper),
  wrappedNative,
  algebraIntegral,
  algebraV1,
  algebra,
  liquidityBook,
  sampledTwin(liquidityBook),
  dodoV2,
  pancakeInfinity,
  sampledTwin(pancakeInfinity, (pool) => [infinityKeyOf(pool).hooks]),
  camelotV2,
  iziswap,
  syncswap,
  syncswapAqua,
  kyberClassic,
  pancakeStable,
  woofiV2,
  sampledTwin(woofiV2),
  fluidDex,
  litePsm,
  ekubo,
  sampledTwin(ekubo, extensionsOf),
  ekuboV2,
  sampledTwin(ekuboV2, extensionsOf),
  balancerV1,
  aaveGsm,
  sampledTwin(aaveGsm),
  aaveV3,
  eulerSwap,
  sampledTwin(eulerSwap),
  ambient,
  propAmm,
  kyberElastic,
  echodex,
  maverickV2,
  psm3,
  saddle,
  sampledTwin(saddle),
  curveLlamma,
]

const familyById = new Map(families.map((family) => [family.id, family]))

/** Returns the family with an id (`Pool.family`); undefined if there is none. */
// biome-ignore lint/suspicious/noExplicitAny: the state of the family is unknown here.
export function familyOf(id: string): DexFamily<any> | undefined {
  return familyById.get(id)
}

/** Id of the family whose pools are the wrappers of native tokens. */
export const WRAPPER_FAMILY: string = wrappedNative.id

/** Readers of the vector files that have a format of their own. */
import { aaveGsmForm } from './aave-gsm.ts'
import { aaveV3Form } from './aave-v3.ts'
import { ambientForm } from './ambient.ts'
import { balancerV3ExtraForm } from './balancer-v3-extra.ts'
import { camelotV2Form } from './camelot-v2.ts'
import { dodoV2Form } from './dodo-v2.ts'
import { ekuboForm } from './ekubo.ts'
import { eulerSwapForm } from './euler-swap.ts'
import { fluidDexForm } from './fluid-dex.ts'
import { iziswapForm } from './iziswap.ts'
import { liquidityBookForm } from './liquidity-book.ts'
import { pancakeInfinityForm } from './pancake-infinity.ts'
import { pancakeStableForm } from './pancake-stable.ts'
import { syncswapForm } from './syncswap.ts'
import type { VectorForm } from './types.ts'
import { uniswapV4HooksForm } from './uniswap-v4.ts'

/** Readers of files that are not in the plain format (plain.ts), by the family named in the file. */
export const forms: Readonly<Record<string, VectorForm>> = {
  'aave-gsm': aaveGsmForm,
  'aave-v3': aaveV3Form,
  'aave-v3-atoken': aaveV3Form,
  ambient: ambientForm,
  'balancer-v3-extra': balancerV3ExtraForm,
  'camelot-v2': camelotV2Form,
  ekubo: ekuboForm,
  'euler-swap': eulerSwapForm,
  'fluid-dex-t1': fluidDexForm,
  'fluid-dex': fluidDexForm,
  iziswap: iziswapForm,
  syncswap: syncswapForm,
  'liquidity-book': liquidityBookForm,
  'dodo-v2': dodoV2Form,
  'pancake-infinity': pancakeInfinityForm,
  'pancake-stable': pancakeStableForm,
  'uniswap-v4-hooks': uniswapV4HooksForm,
}

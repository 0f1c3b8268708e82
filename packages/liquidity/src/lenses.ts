import { bytecode } from '@sluice/bindings/bytecode'
import { type Address, type Hex, toAddress } from '@sluice/chains'
import { id } from 'ethers'

/** A contract that only ever runs inside eth_call: where it is put, and its code. */
export type Lens = { readonly to: Address; readonly code: Hex }

/** Addresses nobody can hold a key of, one for each lens so that several fit in one call. */
function lens(
  name:
    | 'PairLens'
    | 'PairFeeLens'
    | 'SolidlyLens'
    | 'ConcentratedLens'
    | 'UniswapV4Lens'
    | 'CurveLens'
    | 'CurveCryptoLens'
    | 'BalancerV2Lens'
    | 'BalancerV3Lens'
    | 'RateWrapperLens'
    | 'Erc4626Lens'
    | 'AlgebraIntegralLens'
    | 'AlgebraV1Lens'
    | 'LiquidityBookLens'
    | 'DodoV2Lens'
    | 'PancakeInfinityLens'
    | 'IziswapLens'
    | 'SyncswapLens'
    | 'WoofiV2Lens'
    | 'FluidDexLens'
    | 'LitePsmLens'
    | 'EkuboLens'
    | 'BalancerV1Lens'
    | 'AaveGsmLens'
    | 'TokenLens'
    | 'ReadBatch',
): Lens {
  return { to: toAddress(`0x${id(`sluice.lens.${name}`).slice(-40)}`), code: bytecode[name].runtime }
}

export const WOOFI_V2_LENS = lens('WoofiV2Lens')
export const FLUID_DEX_LENS = lens('FluidDexLens')
export const LITE_PSM_LENS = lens('LitePsmLens')
export const EKUBO_LENS = lens('EkuboLens')
export const BALANCER_V1_LENS = lens('BalancerV1Lens')
export const AAVE_GSM_LENS = lens('AaveGsmLens')
export const SYNCSWAP_LENS = lens('SyncswapLens')
export const IZISWAP_LENS = lens('IziswapLens')
export const PANCAKE_INFINITY_LENS = lens('PancakeInfinityLens')
export const PAIR_LENS = lens('PairLens')
export const PAIR_FEE_LENS = lens('PairFeeLens')
export const CONCENTRATED_LENS = lens('ConcentratedLens')
export const SOLIDLY_LENS = lens('SolidlyLens')
export const UNISWAP_V4_LENS = lens('UniswapV4Lens')
export const CURVE_LENS = lens('CurveLens')
export const CURVE_CRYPTO_LENS = lens('CurveCryptoLens')
export const BALANCER_V2_LENS = lens('BalancerV2Lens')
export const BALANCER_V3_LENS = lens('BalancerV3Lens')
export const RATE_WRAPPER_LENS = lens('RateWrapperLens')
export const ERC4626_LENS = lens('Erc4626Lens')
export const ALGEBRA_INTEGRAL_LENS = lens('AlgebraIntegralLens')
export const ALGEBRA_V1_LENS = lens('AlgebraV1Lens')
export const LIQUIDITY_BOOK_LENS = lens('LiquidityBookLens')
export const DODO_V2_LENS = lens('DodoV2Lens')
export const TOKEN_LENS = lens('TokenLens')
export const READ_BATCH = lens('ReadBatch')

import { bytecode } from '@sluice/bindings/bytecode'
import { type Address, type Hex, toAddress } from '@sluice/chains'
import { id } from 'ethers'

/** A contract that only ever runs inside eth_call: where it is put, and its code. */
export type Lens = { readonly to: Address; readonly code: Hex }

/** At an address nobody can hold a key of, one for each lens so that several fit in one call. */
export function lensOf(name: keyof typeof bytecode): Lens {
  return { to: toAddress(`0x${id(`sluice.lens.${name}`).slice(-40)}`), code: bytecode[name].runtime }
}

export const PANCAKE_INFINITY_LENS = lensOf('PancakeInfinityLens')
export const PAIR_LENS = lensOf('PairLens')
export const PAIR_FEE_LENS = lensOf('PairFeeLens')
export const CONCENTRATED_LENS = lensOf('ConcentratedLens')
export const SOLIDLY_LENS = lensOf('SolidlyLens')
export const UNISWAP_V4_LENS = lensOf('UniswapV4Lens')
export const CURVE_LENS = lensOf('CurveLens')
export const CURVE_CRYPTO_LENS = lensOf('CurveCryptoLens')
export const LIQUIDITY_BOOK_LENS = lensOf('LiquidityBookLens')
export const TOKEN_LENS = lensOf('TokenLens')
export const READ_BATCH = lensOf('ReadBatch')

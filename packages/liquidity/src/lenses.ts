/** Lens contracts: code that runs inside eth_call by code override to read many pools at once. */
import { bytecode } from '@sluice/bindings/bytecode'
import { type Address, type Hex, toAddress } from '@sluice/chains'
import { id } from 'ethers'
import type { Read } from './family.ts'

/** A contract that is never deployed: the address and the runtime code of the override. */
export type Lens = { readonly to: Address; readonly code: Hex }

/**
 * Returns the lens of a contract in `contracts/`. Its address is a hash of its name, so nobody has the private key of
 * the address. All lenses have different addresses, so several lenses fit in one call.
 */
export function lensOf(name: keyof typeof bytecode): Lens {
  return { to: toAddress(`0x${id(`sluice.lens.${name}`).slice(-40)}`), code: bytecode[name].runtime }
}

/** Returns a call of a lens. @param data - the encoded call @param gas - its estimated gas */
export const lensRead = (lens: Lens, data: string, gas: number): Read => ({ ...lens, data: data as Hex, gas })

/**
 * Returns the lens of a contract that inherits the Executor and is its own Guard. The Executor stores the address of
 * its Guard in an immutable, which is set here to the address of the lens.
 */
export function ownGuardLensOf(name: keyof typeof bytecode): Lens {
  const { to, code } = lensOf(name)
  const word = to.slice(2).padStart(64, '0')
  // Two characters per byte, after `0x`.
  const withGuard = (runtime: string, startByte: number) =>
    runtime.slice(0, 2 + 2 * startByte) + word + runtime.slice(2 + 2 * startByte + word.length)
  return { to, code: bytecode[name].immutables.reduce(withGuard, code as string) as Hex }
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

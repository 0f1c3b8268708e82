import type { Address } from '@sluice/chains'

/** The part of a transfer that a token keeps, by direction. Parts per million of the amount sent. */
export type TokenTax = {
  /** Taken when a pool sends it. */
  readonly buyPpm: number
  /** Taken when it is sent to a pool. */
  readonly sellPpm: number
  /** Taken on any other transfer. */
  readonly transferPpm: number
  /**
   * Taken from whoever sends, on top of what he sends. Nobody can promise what a swap of such a token takes or leaves.
   */
  readonly surchargePpm?: number
}

/** The tax of a token where it was not measured, and in the pools where it was, by id. */
export type TaxesOfToken<Tax extends TokenTax = TokenTax> = {
  readonly usual: Tax
  readonly inPool: ReadonlyMap<string, Tax>
}

/** Tokens that are not listed are untaxed or unknown. */
export type Taxes = ReadonlyMap<Address, TaxesOfToken>

export function isSurcharging(taxes: Taxes | undefined, token: Address): boolean {
  const ofToken = taxes?.get(token)
  return !!ofToken && [ofToken.usual, ...ofToken.inPool.values()].some(({ surchargePpm = 0 }) => surchargePpm > 0)
}

/** A table of taxes. */
type Lookup<K, V> = { readonly get: (key: K) => V | undefined }

export function taxIn<Tax extends TokenTax>(
  taxes: Lookup<Address, { readonly usual: Tax; readonly inPool: Lookup<string, Tax> }> | undefined,
  token: Address,
  poolId: string,
): Tax | undefined {
  const ofToken = taxes?.get(token)
  return ofToken && (ofToken.inPool.get(poolId) ?? ofToken.usual)
}

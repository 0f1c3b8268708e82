/** Transfer taxes of tokens, as measured by simulations. */
import type { Address } from '@sluice/chains'

/** The fraction of a transfer that a token withholds, in ppm of the amount sent. */
export type TokenTax = {
  /** Withheld when a pool sends the token. */
  readonly buyPpm: number
  /** Withheld when the token is sent to a pool. */
  readonly sellPpm: number
  /** Withheld on all other transfers. */
  readonly transferPpm: number
  /** Charged to the sender in addition to the amount sent. The result of a swap of such a token cannot be predicted. */
  readonly surchargePpm?: number
}

/** Taxes of one token: `inPool`, by id of the pools where they were measured, and `usual` for all other pools. */
export type TaxesOfToken<Tax extends TokenTax = TokenTax> = {
  readonly usual: Tax
  readonly inPool: ReadonlyMap<string, Tax>
}

/** Taxes by token. Tokens without an entry are untaxed or unknown. */
export type Taxes = ReadonlyMap<Address, TaxesOfToken>

/** Returns true if the token charges its sender in addition to the amount sent, in any pool. */
export function isSurcharging(taxes: Taxes | undefined, token: Address): boolean {
  const tokenTaxes = taxes?.get(token)
  return (
    !!tokenTaxes && [tokenTaxes.usual, ...tokenTaxes.inPool.values()].some(({ surchargePpm = 0 }) => surchargePpm > 0)
  )
}

/** The part of `Map` that a lookup needs. */
type Lookup<K, V> = { readonly get: (key: K) => V | undefined }

/** Returns the tax of a token in a pool, or the token's default if it was not measured there. */
export function taxIn<Tax extends TokenTax>(
  taxes: Lookup<Address, { readonly usual: Tax; readonly inPool: Lookup<string, Tax> }> | undefined,
  token: Address,
  poolId: string,
): Tax | undefined {
  const tokenTaxes = taxes?.get(token)
  return tokenTaxes && (tokenTaxes.inPool.get(poolId) ?? tokenTaxes.usual)
}

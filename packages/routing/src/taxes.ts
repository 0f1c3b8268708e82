import type { Address } from '@sluice/chains'

/** What a token keeps of a transfer, by direction. Parts per million of the amount sent. */
export type TokenTax = {
  /** Taken when a pool sends it. */
  readonly buyPpm: number
  /** Taken when it is sent to a pool. */
  readonly sellPpm: number
  /** Taken on any other transfer. */
  readonly transferPpm: number
}

/** What a token takes where it was not measured, and in the pools where it was, by id. */
export type TaxesOfToken = { readonly usual: TokenTax; readonly inPool: ReadonlyMap<string, TokenTax> }

/** Tokens that are not listed are untaxed or unknown. */
export type Taxes = ReadonlyMap<Address, TaxesOfToken>

export function taxIn(taxes: Taxes | undefined, token: Address, poolId: string): TokenTax | undefined {
  const ofToken = taxes?.get(token)
  return ofToken && (ofToken.inPool.get(poolId) ?? ofToken.usual)
}

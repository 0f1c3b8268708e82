/** Reads the listed tokens of a chain: those in its configuration file (`Chain`). */
import { type Address, type Chain, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import { canonicalToken } from './graph.ts'

/**
 * Returns the token whose price applies to an address. The native token maps to the wrapped native token. On a chain
 * without a wrapper, it maps to its ERC-20 form, or if there is none, to the zero address. Only pools of the native
 * token can price the zero address.
 */
export function pricedTokenOf(address: Address, chain: Chain): Address {
  if (address !== NATIVE && address !== ZERO_ADDRESS) return address
  return chain.wrappedNative === null && chain.nativeErc20 ? chain.nativeErc20.address : canonicalToken(address, chain)
}

/** Returns the decimals of each listed token; undefined if the configuration omits them. */
export function listedDecimals(chain: Chain): ReadonlyMap<Address, number | undefined> {
  const { wrappedNative, nativeErc20, stables, tokens, nativeCurrency } = chain
  const listedAddresses = [wrappedNative, nativeErc20, ...stables, ...tokens].filter(
    (token) => token !== null && token !== undefined,
  )
  return new Map([
    [ZERO_ADDRESS, nativeCurrency.decimals],
    ...listedAddresses.map((token): [Address, number | undefined] => [token.address, token.decimals ?? undefined]),
  ])
}

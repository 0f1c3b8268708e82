/** Tokens as the chain's file has them. */
import { type Address, type Chain, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import { canonical } from './graph.ts'

/**
 * The token that carries an address's price: itself, and for the native asset its wrapper, or on a chain without one the
 * ERC-20 that shows it. The zero address where there is neither, and only pools of the native asset itself can tell.
 */
export function pricedAs(address: Address, chain: Chain): Address {
  if (address !== NATIVE && address !== ZERO_ADDRESS) return address
  return chain.wrappedNative === null && chain.nativeErc20 ? chain.nativeErc20.address : canonical(address, chain)
}

/** Decimals of the tokens that the file names, where it tells them. */
export function listedDecimals(chain: Chain): ReadonlyMap<Address, number | undefined> {
  const { wrappedNative, nativeErc20, stables, tokens, nativeCurrency } = chain
  const listed = [wrappedNative, nativeErc20, ...stables, ...tokens].filter(
    (token) => token !== null && token !== undefined,
  )
  return new Map([
    [ZERO_ADDRESS, nativeCurrency.decimals],
    ...listed.map((token): [Address, number | undefined] => [token.address, token.decimals ?? undefined]),
  ])
}

/** Tokens and accounts that a chain's file names, so that routes may trust them. */
import { type Address, type Chain, ZERO_ADDRESS } from '@sluice/chains'
import { familyOf } from '../dexes/index.ts'

/** Returns the tokens that any route may pass through. The zero address stands for the native token. */
export function namedTokens(chain: Chain): ReadonlySet<Address> {
  const { wrappedNative, nativeErc20, stables, hubs, tokens, dexes } = chain
  const listedAddresses = [wrappedNative, nativeErc20, ...stables, ...tokens].flatMap((token) =>
    token ? [token.address] : [],
  )
  const shares = dexes.filter(({ family }) => familyOf(family)?.rowsAreTokens).map(({ address }) => address)
  return new Set([ZERO_ADDRESS, ...listedAddresses, ...hubs, ...shares])
}

/**
 * Returns the accounts that a pool's quotes may depend on: the named tokens, the DEX deployments with their contracts,
 * and the `vouched` accounts.
 */
export function namedAccounts(chain: Chain): ReadonlySet<Address> {
  const rows = chain.dexes.flatMap(({ address, contracts = {} }) => [address, ...Object.values(contracts)])
  return new Set([...namedTokens(chain), ...rows, ...(chain.vouched ?? [])])
}

/** Accounts and tokens that the file of a chain vouches for by naming it. */
import { type Address, type Chain, ZERO_ADDRESS } from '@sluice/chains'
import { familyOf } from '../dexes/index.ts'

/** Tokens that any route may pass through. The native token stands among them as the zero address. */
export function namedTokens(chain: Chain): ReadonlySet<Address> {
  const { wrappedNative, nativeErc20, stables, hubs, tokens, dexes } = chain
  const listed = [wrappedNative, nativeErc20, ...stables, ...tokens].flatMap((token) => (token ? [token.address] : []))
  const shares = dexes.filter(({ family }) => familyOf(family)?.rowsAreTokens).map(({ address }) => address)
  return new Set([ZERO_ADDRESS, ...listed, ...hubs, ...shares])
}

/**
 * Accounts whose code and will a pool's answer may depend on: those tokens, the DEX rows with their contracts,
 * `vouched`.
 */
export function namedAccounts(chain: Chain): ReadonlySet<Address> {
  const rows = chain.dexes.flatMap(({ address, contracts = {} }) => [address, ...Object.values(contracts)])
  return new Set([...namedTokens(chain), ...rows, ...(chain.vouched ?? [])])
}

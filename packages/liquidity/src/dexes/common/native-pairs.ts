/**
 * Converts pairs and addresses for families whose pools can hold the native token. The zero address stands for the
 * native token.
 */
import { type Address, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import type { TokenPair } from '../../family.ts'

/** Adds a pair with the native token for each pair with the native token's wrapper. */
export function withNative(pairs: readonly TokenPair[], wrappedNative: Address | undefined): readonly TokenPair[] {
  const unwrap = (token: Address) => (token === wrappedNative ? ZERO_ADDRESS : token)
  const nativePairs = pairs
    .filter((pair) => wrappedNative !== undefined && pair.includes(wrappedNative))
    .map(([a, b]) => [unwrap(a), unwrap(b)] as const)
  return [...pairs, ...nativePairs]
}

/** Converts a token to the address that Curve and its forks use for it. They use `NATIVE` for the native token. */
export const toCoin = (token: Address): Address => (token === ZERO_ADDRESS ? NATIVE : token)

/** Reverses `toCoin`: converts an address that Curve or its forks use for a token back to the token. */
export const fromCoin = (coin: Address): Address => (coin === NATIVE ? ZERO_ADDRESS : coin)

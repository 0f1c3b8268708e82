/** Pairs of the native token for families whose pools can hold it. */
import { type Address, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import type { TokenPair } from './direction.ts'

/** Adds a pair with the native token for each pair with its wrapper. */
export function withNative(pairs: readonly TokenPair[], wrappedNative: Address | undefined): readonly TokenPair[] {
  const unwrap = (token: Address) => (token === wrappedNative ? ZERO_ADDRESS : token)
  const nativePairs = pairs
    .filter((pair) => wrappedNative !== undefined && pair.includes(wrappedNative))
    .map(([a, b]) => [unwrap(a), unwrap(b)] as const)
  return [...pairs, ...nativePairs]
}

/** Returns the coin by which Curve and its forks name a pool's token. */
export const toCoin = (token: Address): Address => (token === ZERO_ADDRESS ? NATIVE : token)

/** Returns the token of a pool that a coin of Curve or its forks names. */
export const fromCoin = (coin: Address): Address => (coin === NATIVE ? ZERO_ADDRESS : coin)

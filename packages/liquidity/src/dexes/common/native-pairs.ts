/** Pairs of the native token for families whose pools can hold it. */
import { type Address, ZERO_ADDRESS } from '@sluice/chains'
import type { TokenPair } from './direction.ts'

/** Adds a pair with the native token for each pair with its wrapper. */
export function withNative(pairs: readonly TokenPair[], wrappedNative: Address | undefined): readonly TokenPair[] {
  const unwrap = (token: Address) => (token === wrappedNative ? ZERO_ADDRESS : token)
  const nativePairs = pairs
    .filter((pair) => wrappedNative !== undefined && pair.includes(wrappedNative))
    .map(([a, b]) => [unwrap(a), unwrap(b)] as const)
  return [...pairs, ...nativePairs]
}

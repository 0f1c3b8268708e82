/** Pairs of the native token for families whose pools can hold it. */
import { type Address, ZERO_ADDRESS } from '@sluice/chains'

export type NativePair = readonly [Address, Address]

/** Adds a pair with the native token for each pair with its wrapper. */
export function withNative(pairs: readonly NativePair[], wrappedNative: Address | undefined): readonly NativePair[] {
  const native = (token: Address) => (token === wrappedNative ? ZERO_ADDRESS : token)
  const others = pairs
    .filter((pair) => wrappedNative !== undefined && pair.includes(wrappedNative))
    .map(([a, b]) => [native(a), native(b)] as const)
  return [...pairs, ...others]
}

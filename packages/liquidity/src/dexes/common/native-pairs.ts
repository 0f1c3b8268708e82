/** Pairs of the native token for families whose pools can hold it. */
import { type Address, ZERO_ADDRESS } from '@sluice/chains'

export type NativePair = readonly [Address, Address]

/** Adds a pair with the native token for each pair with its wrapper. */
export function withNative(pairs: readonly NativePair[], wrapped: Address | undefined): readonly NativePair[] {
  const native = (token: Address) => (token === wrapped ? ZERO_ADDRESS : token)
  const others = pairs
    .filter((pair) => wrapped !== undefined && pair.includes(wrapped))
    .map(([a, b]) => [native(a), native(b)] as const)
  return [...pairs, ...others]
}

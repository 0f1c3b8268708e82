import { type Address, ZERO_ADDRESS } from '@sluice/chains'

export type Pair = readonly [Address, Address]

/** Pairs of pools that hold the native token or its wrapper: one with the wrapper is asked for with both. */
export function withNative(pairs: readonly Pair[], wrapped: Address | undefined): readonly Pair[] {
  const native = (token: Address) => (token === wrapped ? ZERO_ADDRESS : token)
  const others = pairs
    .filter((pair) => wrapped !== undefined && pair.includes(wrapped))
    .map(([a, b]) => [native(a), native(b)] as const)
  return [...pairs, ...others]
}

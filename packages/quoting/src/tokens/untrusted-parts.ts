/**
 * Finds the untrusted pools and tokens of a route: neither named by the chain's file, nor trusted after many blocks of
 * good behavior. Anybody can deploy their code, which can behave as it likes.
 */
import { type Address, ZERO_ADDRESS } from '@sluice/chains'
import { isTrustedPool, type Pool, type Trust } from '@sluice/liquidity'

/** A swap in a pool. */
type Hop = { readonly pool: Pool; readonly tokenIn: Address; readonly tokenOut: Address }

/** Returns the ids of the untrusted pools and the addresses of the untrusted tokens. */
export function untrustedParts(hops: readonly Hop[], trust: Trust): readonly string[] {
  return hops.flatMap(({ pool, tokenIn, tokenOut }) => [
    ...(isTrustedPool(pool, trust) ? [] : [pool.id]),
    ...[tokenIn, tokenOut].filter((token) => token !== ZERO_ADDRESS && !trust.tokens.has(token)),
  ])
}

import { type Address, type Chain, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import type { Snapshot } from '@sluice/liquidity'
import { pickAnchors } from './anchors.ts'
import { sumDepth } from './depth.ts'
import { buildGraph, canonical } from './graph.ts'
import { type DepthPoint, sellDepth } from './impact.ts'
import { settle } from './settle.ts'

/** A price with less liquidity behind it than this is not a price. */
export const EVIDENCE_FLOOR_USD = 300

/** What a chain's tokens are worth at one block. Unknown is null, never 0 and never a guess. NATIVE is its wrapper. */
export type PriceBook = {
  /** Dollars for one whole token; null also where its decimals are not known. */
  usd(token: Address): number | null
  /** Dollars of liquidity, both sides, in all pools that hold the token. */
  depthUsd(token: Address): number | null
  /** Dollars of the token that can be sold at 0.5, 1, 2, 5 and 10 % price impact. */
  depthCurve(token: Address): readonly DepthPoint[] | null
}

export type PricingOptions = {
  /** Asked first; the chain's own file is asked next. */
  readonly decimals?: (token: Address) => number | undefined
}

/**
 * Prices and depth over a snapshot, anchored at the chain's stables. Pure; the work is done once here, the book only looks
 * up. Pools that have not changed since an earlier snapshot are not looked at again.
 */
export function priceTokens(snapshot: Snapshot, chain: Chain, options: PricingOptions = {}): PriceBook {
  const listed = listedDecimals(chain)
  const decimals = (token: Address) => options.decimals?.(token) ?? listed.get(token)

  const graph = buildGraph(snapshot.pools.values(), chain)
  const settled = settle(graph, pickAnchors(graph, chain, decimals), EVIDENCE_FLOOR_USD)
  const vouched = new Uint8Array(graph.tokens.length)
  for (const token of [...listed.keys(), ...chain.hubs]) {
    const id = graph.idOf.get(token)
    if (id !== undefined) vouched[id] = 1
  }
  const depth = sumDepth(graph, settled, vouched)

  const known = (address: Address): { id: number; token: Address } | null => {
    const token = pricedAs(address, chain)
    const id = graph.idOf.get(token)
    return id !== undefined && depth[id]! >= EVIDENCE_FLOOR_USD && settled.price[id]! > 0 ? { id, token } : null
  }
  return {
    usd(address) {
      const found = known(address)
      const places = found === null ? undefined : decimals(found.token)
      return found === null || places === undefined ? null : settled.price[found.id]! * 10 ** places
    },
    depthUsd(address) {
      const found = known(address)
      return found === null ? null : depth[found.id]!
    },
    depthCurve(address) {
      const found = known(address)
      return found === null ? null : sellDepth(graph, settled, vouched, found.id)
    },
  }
}

/**
 * The token that carries an address's price: itself, and for the native asset its wrapper, or on a chain without one the
 * ERC-20 that shows it. The zero address where there is neither, and only pools of the native asset itself can tell.
 */
export function pricedAs(address: Address, chain: Chain): Address {
  if (address !== NATIVE && address !== ZERO_ADDRESS) return address
  return chain.wrappedNative === null && chain.nativeErc20 ? chain.nativeErc20.address : canonical(address, chain)
}

function listedDecimals(chain: Chain): ReadonlyMap<Address, number | undefined> {
  const { wrappedNative, nativeErc20, stables, tokens, nativeCurrency } = chain
  const listed = [wrappedNative, nativeErc20, ...stables, ...tokens].filter(
    (token) => token !== null && token !== undefined,
  )
  return new Map([
    [ZERO_ADDRESS, nativeCurrency.decimals],
    ...listed.map((token): [Address, number | undefined] => [token.address, token.decimals ?? undefined]),
  ])
}

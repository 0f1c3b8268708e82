/** Test fixture: a token graph of pools with given rates and liquidity, without states of DEX families. */
import type { Address, Chain } from '@sluice/chains'
import type { Pool } from '@sluice/liquidity'
import { TokenGraph } from '../src/graph.ts'
import type { PricedPool, PricedToken } from '../src/token.ts'

/** Units of the second token per unit of the first, and the liquidity of the second behind that. */
type Rate = { readonly rate: number; readonly backing: number; readonly i?: number; readonly j?: number }
type RatedPool = { readonly reserves?: readonly number[]; readonly fee?: number }

/** Graph with a function that adds or updates pools by id. */
export function graphWith({
  listed = [] as readonly Address[],
  wrappedNative = null as { readonly address: Address } | null,
} = {}) {
  const graph = new TokenGraph({ wrappedNative } as unknown as Chain, new Set(listed))
  const put = (
    id: string,
    tokens: readonly Address[],
    rates: readonly Rate[],
    { reserves, fee = 0 }: RatedPool = {},
  ) => {
    const pairs = rates.map(({ rate, backing, i = 0, j = 1 }) => {
      return { i, j, midPrice: rate, backingI: backing / rate, backingJ: backing }
    })
    const view = { reserves: reserves ?? tokens.map(() => 0), fee, pairs }
    return graph.addOrUpdate({ id, tokens } as unknown as Pool, view, graph.findPool(id))
  }
  const tokenAt = (address: Address): PricedToken => graph.findToken(address)!
  return { graph, put, tokenAt }
}

/** Returns the edge of a pool from one of its tokens to another. */
export function edgeOf(pricedPool: PricedPool, from: Address, to: Address) {
  return pricedPool.edges.find(({ token, otherToken }) => token.address === from && otherToken.address === to)!
}

import { type Address, ZERO_ADDRESS } from '@sluice/chains'
import { pricedAs } from '@sluice/pricing'
import type { Request } from 'express'
import type { ChainService } from '../chain/chain-service.ts'
import type { RequestContext } from '../http/context.ts'
import { liquidityQuery, pricesQuery, read } from '../requests.ts'

/** How long ago the head may have been seen; callers are told to keep prices for seconds. */
const MAX_AGE_MS = 500

export async function prices(request: Request, chain: ChainService, context: RequestContext) {
  const { token } = read(pricesQuery, request.query)
  const book = (await viewOf(token.values(), chain, context)).prices()
  return keyed(token, (address) => book.usd(address))
}

export async function liquidity(request: Request, chain: ChainService, context: RequestContext) {
  const { token, curve } = read(liquidityQuery, request.query)
  const book = (await viewOf(token.values(), chain, context)).prices()
  if (curve === '0') return keyed(token, (address) => book.depthUsd(address))
  return keyed(token, (address) => {
    const points = book.depthCurve(address)
    return points && Object.fromEntries(points.map(({ impact, usd }) => [String(impact), usd]))
  })
}

function viewOf(tokens: Iterable<Address>, chain: ChainService, context: RequestContext) {
  const priced = [...tokens].map((token) => pricedAs(token, chain.chain))
  const groups = priced.filter((token) => token !== ZERO_ADDRESS).map((token) => [token])
  return context.time('state', () => chain.recentView(groups, MAX_AGE_MS, context.signal))
}

/** A map without a prototype, so that no key of a caller can meet one. Keys are as sent. */
export function keyed<K, V>(tokens: ReadonlyMap<string, K>, value: (token: K) => V): Record<string, V> {
  const map: Record<string, V> = Object.create(null)
  for (const [sent, token] of tokens) map[sent] = value(token)
  return map
}

import { setTimeout } from 'node:timers/promises'
import { type Address, ZERO_ADDRESS } from '@sluice/chains'
import { type PriceBook, pricedAs } from '@sluice/pricing'
import type { Request } from 'express'
import type { ChainService } from '../chain/chain-service.ts'
import type { RequestContext } from '../http/context.ts'
import { liquidityQuery, pricesQuery, read } from '../requests.ts'

/** Milliseconds that a caller waits for a first look at all pools of a chain; until then prices are null. */
const PATIENCE_MS = 300

export function prices(request: Request, chain: ChainService, context: RequestContext): Promise<string> {
  const { token } = read(pricesQuery, request.query)
  return answer(request, chain, context, token, (book) => keyed(token, (address) => book.usd(address)))
}

export function liquidity(request: Request, chain: ChainService, context: RequestContext): Promise<string> {
  const { token, curve } = read(liquidityQuery, request.query)
  return answer(request, chain, context, token, async (book) => {
    const told = new Map<Address, number | Record<string, number> | null>()
    for (const address of new Set(token.values()))
      told.set(address, curve === '0' ? await book.depthUsd(address) : await curveOf(book, address))
    return keyed(token, (address) => told.get(address))
  })
}

async function curveOf(book: PriceBook, token: Address): Promise<Record<string, number> | null> {
  const points = await book.depthCurve(token)
  return points && Object.fromEntries(points.map(({ impact, usd }) => [String(impact), usd]))
}

/** Made once for a target and a block: many ask for the same tokens again and again. */
async function answer(
  request: Request,
  chain: ChainService,
  context: RequestContext,
  tokens: ReadonlyMap<string, Address>,
  make: (book: PriceBook) => object | Promise<object>,
): Promise<string> {
  const priced = [...tokens.values()].map((token) => pricedAs(token, chain.chain))
  const wanted = priced.filter((token) => token !== ZERO_ADDRESS)
  const { view, isWhole } = await context.time('state', () => chain.views.recent(wanted, context.signal))
  const book = view.prices()
  if (!book.isCurrent) await context.time('prices', () => Promise.race([book.settled(), setTimeout(PATIENCE_MS)]))
  const isCurrent = isWhole && book.isCurrent
  const body = JSON.stringify(await make(book))
  if (isCurrent) view.answers.keep(request.url, body)
  return body
}

/** A map without a prototype, so that no key of a caller can meet one. Keys are as sent. */
export function keyed<K, V>(tokens: ReadonlyMap<string, K>, value: (token: K) => V): Record<string, V> {
  const map: Record<string, V> = Object.create(null)
  for (const [sent, token] of tokens) map[sent] = value(token)
  return map
}

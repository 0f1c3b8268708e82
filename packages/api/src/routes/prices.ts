/** Handlers of `/prices`, `/liquidity`, and `/history`. */
import { setTimeout } from 'node:timers/promises'
import { type Address, ZERO_ADDRESS } from '@sluice/chains'
import { noPrice, type PriceBook, type PriceDetail, pricedTokenOf } from '@sluice/pricing'
import type { BlockHeader } from '@sluice/rpc'
import type { Request } from 'express'
import type { z } from 'zod'
import { jsonObjectOf, toQueryParameters } from '../http/body.ts'
import type { RequestContext } from '../http/context.ts'
import { historyQuery, liquidityQuery, priceFlags, pricesBody, pricesQuery, read } from '../requests.ts'
import type { PriceDetailResponse, PriceHistoryResponse } from '../responses.ts'
import type { ServedChain } from '../served-chain.ts'

/** Completeness and block of the prices in a response. */
type PriceState = {
  /** True if the prices are final for this block: no pools or facts of the tokens are missing. */
  readonly isCurrent: boolean
  /** Returns true for a token whose first look-up has not finished. */
  readonly isPending: (token: Address) => boolean
  readonly block: BlockHeader
}

/**
 * Maximum milliseconds to wait for the prices at the newest block. Before the first block of a chain is priced, all
 * prices are null.
 */
const PRICE_TIMEOUT_MS = 300

/** Answers GET `/prices`. */
export function prices(request: Request, chain: ServedChain, context: RequestContext): Promise<string> {
  return answerPrices(read(pricesQuery, request.query), request, chain, context)
}

/** Answers POST `/prices`. */
export function postedPrices(request: Request, chain: ServedChain, context: RequestContext): Promise<string> {
  const { token, ...fields }: { readonly token?: unknown } = jsonObjectOf(request)
  return answerPrices(
    read(pricesBody, { ...toQueryParameters(fields, { flags: priceFlags }), token }),
    request,
    chain,
    context,
  )
}

async function answerPrices(
  { token, detail, block: pastBlock }: z.output<typeof pricesBody>,
  request: Request,
  chain: ServedChain,
  context: RequestContext,
): Promise<string> {
  const pricesJson = async (book: PriceBook, { isCurrent, isPending, block }: PriceState): Promise<string> => {
    const usdOf = (address: Address) => (isPending(address) ? null : book.usd(address))
    if (detail === '0') return encodeByToken(token, (address) => JSON.stringify(usdOf(address)))
    const details = new Map<Address, PriceDetailResponse>()
    for (const address of new Set(token.values())) {
      const priceDetail = isPending(address) ? noPrice('pending') : await book.detail(address)
      details.set(address, toPriceDetail(priceDetail, block, isCurrent))
    }
    return JSON.stringify(keyByTokenText(token, (address) => details.get(address)))
  }
  if (pastBlock === undefined) return answerAtHead(request, chain, context, token, pricesJson)
  const pastPrices = await context.time('prices', () =>
    chain.liveChain.pricesAt(pastBlock, [...token.values()], context.signal),
  )
  return pricesJson(pastPrices.prices, { ...pastPrices, isCurrent: true })
}

/**
 * Converts a price with its sources to the response format.
 *
 * @param isCurrent - false while pools are still being found: then an unknown token is reported as pending
 */
export function toPriceDetail(
  { usd, depthUsd, confidence, sources, reason }: PriceDetail,
  { number, timestamp }: BlockHeader,
  isCurrent: boolean,
): PriceDetailResponse {
  return {
    ...{ usd, block: number, timestamp, depthUsd, confidence },
    sources: sources.map(({ pool, ...source }) => ({ pool: pool.id, protocol: pool.family, ...source })),
    reason: reason === 'unknown' && !isCurrent ? 'pending' : reason,
  }
}

/** Answers `/liquidity`. */
export function liquidity(request: Request, chain: ServedChain, context: RequestContext): Promise<string> {
  const { token, curve } = read(liquidityQuery, request.query)
  return answerAtHead(request, chain, context, token, async (book, { isPending }) => {
    const depthByToken = new Map<Address, string>()
    const depthOf = async (address: Address) =>
      curve === '0' ? String(await book.depthUsd(address)) : curveOf(book, address)
    // A token without decimals has a depth in its pools, but no price.
    for (const address of new Set(token.values()))
      depthByToken.set(address, isPending(address) || book.usd(address) === null ? 'null' : await depthOf(address))
    return encodeByToken(token, (address) => depthByToken.get(address)!)
  })
}

/**
 * Answers `/history`. Recording of a token starts with the first request for it, so the first response has one point.
 */
export async function history(
  request: Request,
  chain: ServedChain,
  context: RequestContext,
): Promise<PriceHistoryResponse> {
  const { token } = read(historyQuery, request.query)
  const { book, priceState } = await readPrices(chain, [...token.values()], context)
  const { priceHistory } = chain.liveChain
  const pricedTokens = new Map([...token].map(([input, address]) => [input, pricedTokenOf(address, chain.chain)]))
  for (const address of pricedTokens.values()) {
    const usd = priceState.isPending(address) ? null : book.usd(address)
    if (usd === null) continue
    priceHistory.track(address)
    if (priceState.isCurrent) priceHistory.recordFirst(address, priceState.block, usd)
  }
  return keyByTokenText(pricedTokens, (address) => [...priceHistory.pointsOf(address)])
}

/**
 * Encodes an object whose keys are the tokens as the request spells them. Concatenation takes half the time of
 * `JSON.stringify`; addresses need no escapes.
 */
function encodeByToken(tokens: ReadonlyMap<string, Address>, encode: (token: Address) => string): string {
  let entries = ''
  for (const [input, token] of tokens) entries += `${entries === '' ? '' : ','}"${input}":${encode(token)}`
  return `{${entries}}`
}

/** Encodes a depth curve with its keys in rising order. An object would list integer keys first. */
async function curveOf(book: PriceBook, token: Address): Promise<string> {
  const points = await book.depthCurve(token)
  return points === null ? 'null' : `{${points.map(({ impact, usd }) => `"${impact}":${usd}`).join()}}`
}

/** Returns the body for the newest block. Caches it by URL until the next block, because clients repeat requests. */
async function answerAtHead(
  request: Request,
  chain: ServedChain,
  context: RequestContext,
  tokens: ReadonlyMap<string, Address>,
  makeBody: (book: PriceBook, priceState: PriceState) => Promise<string>,
): Promise<string> {
  const { view, book, priceState } = await readPrices(chain, [...tokens.values()], context)
  const body = await makeBody(book, priceState)
  // The URL of a POST does not contain its tokens, so it cannot be the key.
  if (priceState.isCurrent && book.hasNoPendingJumps && request.method !== 'POST')
    view.responses.store(request.url, body)
  return body
}

/**
 * Reads the current prices of tokens. For new tokens, waits a short time for their pools, and then for measured facts
 * such as their decimals.
 */
export async function readPrices(
  { chain, liveChain }: ServedChain,
  tokens: readonly Address[],
  timing: Pick<RequestContext, 'signal' | 'time'>,
) {
  const pricedTokens = tokens.map((token) => pricedTokenOf(token, chain))
  const requestedTokens = pricedTokens.filter((token) => token !== ZERO_ADDRESS)
  const { view, isComplete } = await timing.time('state', () => liveChain.views.recent(requestedTokens, timing.signal))
  const book = view.prices()
  if (!book.isCurrent)
    await timing.time('prices', () => Promise.race([book.whenCurrent(), setTimeout(PRICE_TIMEOUT_MS)]))
  const pendingTokens = await timing.time('prices', () => liveChain.gatherEvidence(requestedTokens, view))
  const priceState: PriceState = {
    isCurrent: isComplete && book.isCurrent && pendingTokens.size === 0,
    isPending: (token) => pendingTokens.has(pricedTokenOf(token, chain)),
    block: view.snapshot.block,
  }
  return { view, book, priceState }
}

/**
 * Creates an object whose keys are the tokens as the request spells them. It has no prototype, so keys such as
 * `__proto__` are safe.
 */
export function keyByTokenText<K, V>(tokens: ReadonlyMap<string, K>, fieldOf: (token: K) => V): Record<string, V> {
  const map: Record<string, V> = Object.create(null)
  for (const [input, token] of tokens) map[input] = fieldOf(token)
  return map
}

/** Handlers of `/prices`, `/liquidity`, and `/history`. */
import { setTimeout } from 'node:timers/promises'
import { type Address, ZERO_ADDRESS } from '@sluice/chains'
import { noPrice, type PriceBook, type PriceDetail, pricedTokenOf } from '@sluice/pricing'
import type { BlockHeader } from '@sluice/rpc'
import type { Request } from 'express'
import type { z } from 'zod'
import { bodyOf, parametersIn } from '../http/body.ts'
import type { RequestContext } from '../http/context.ts'
import { historyQuery, liquidityQuery, priceFlags, pricesBody, pricesQuery, read } from '../requests.ts'
import type { PriceDetailResponse, PriceHistoryResponse } from '../responses.ts'
import type { ServedChain } from '../served-chain.ts'

/** Completeness and block of the prices in an answer. */
type PriceState = {
  /** True if the prices are final for this block. */
  readonly isCurrent: boolean
  /** Returns true for a token whose first look-up has not finished. */
  readonly isPending: (token: Address) => boolean
  readonly block: BlockHeader
}

/**
 * Maximum wait for the newest snapshot to be priced, in milliseconds. Until the first snapshot of a chain is priced,
 * all prices are null.
 */
const PRICE_TIMEOUT_MS = 300

/** Answers GET `/prices`. */
export function prices(request: Request, chain: ServedChain, context: RequestContext): Promise<string> {
  return pricesOf(read(pricesQuery, request.query), request, chain, context)
}

/** Answers POST `/prices`. */
export function postedPrices(request: Request, chain: ServedChain, context: RequestContext): Promise<string> {
  const { token, ...fields }: { readonly token?: unknown } = bodyOf(request)
  return pricesOf(read(pricesBody, { ...parametersIn(fields, { flags: priceFlags }), token }), request, chain, context)
}

async function pricesOf(
  { token, detail, block: requestedTokens }: z.output<typeof pricesBody>,
  request: Request,
  chain: ServedChain,
  context: RequestContext,
): Promise<string> {
  const pricesJson = async (book: PriceBook, { isCurrent, isPending, block }: PriceState): Promise<string> => {
    const usdOf = (address: Address) => (isPending(address) ? null : book.usd(address))
    if (detail === '0') return jsonOf(token, (address) => JSON.stringify(usdOf(address)))
    const details = new Map<Address, PriceDetailResponse>()
    for (const address of new Set(token.values())) {
      const priceDetail = isPending(address) ? noPrice('pending') : await book.detail(address)
      details.set(address, detailOf(priceDetail, block, isCurrent))
    }
    return JSON.stringify(byTokenText(token, (address) => details.get(address)))
  }
  if (requestedTokens === undefined) return answer(request, chain, context, token, pricesJson)
  const past = await context.time('prices', () =>
    chain.liveChain.pricesAt(requestedTokens, [...token.values()], context.signal),
  )
  return pricesJson(past.prices, { isCurrent: true, isPending: () => false, block: past.block })
}

/**
 * Converts a price with its sources to the response format.
 *
 * @param isCurrent - false while pools are still being found: then an unknown token is reported as pending
 */
export function detailOf(
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
  return answer(request, chain, context, token, async (book, { isPending }) => {
    const depthByToken = new Map<Address, string>()
    const depthOf = async (address: Address) =>
      curve === '0' ? String(await book.depthUsd(address)) : curveOf(book, address)
    for (const address of new Set(token.values()))
      depthByToken.set(address, isPending(address) ? 'null' : await depthOf(address))
    return jsonOf(token, (address) => depthByToken.get(address)!)
  })
}

/** Answers `/history`. Recording of a token starts with its first request, so that its first answer has one point. */
export async function history(
  request: Request,
  chain: ServedChain,
  context: RequestContext,
): Promise<PriceHistoryResponse> {
  const { token } = read(historyQuery, request.query)
  const { book, at: block } = await readPrices(chain, [...token.values()], context)
  const { priceHistory } = chain.liveChain
  const pricedTokens = new Map([...token].map(([input, address]) => [input, pricedTokenOf(address, chain.chain)]))
  for (const address of pricedTokens.values()) {
    const usd = block.isPending(address) ? null : book.usd(address)
    if (usd === null) continue
    priceHistory.track(address)
    if (block.isCurrent) priceHistory.recordFirst(address, block.block, usd)
  }
  return byTokenText(pricedTokens, (address) => [...priceHistory.pointsOf(address)])
}

/** Encodes an object keyed by tokens as sent. Concatenation halves the time of `JSON.stringify`; addresses need no escapes. */
function jsonOf(tokens: ReadonlyMap<string, Address>, json: (token: Address) => string): string {
  let entries = ''
  for (const [input, token] of tokens) entries += `${entries === '' ? '' : ','}"${input}":${json(token)}`
  return `{${entries}}`
}

/** Encodes a depth curve with its keys in rising order. An object would list integer keys first. */
async function curveOf(book: PriceBook, token: Address): Promise<string> {
  const points = await book.depthCurve(token)
  return points === null ? 'null' : `{${points.map(({ impact, usd }) => `"${impact}":${usd}`).join()}}`
}

/** Returns the answer for the newest block. Remembers it by URL until the next block, because clients repeat the same requests. */
async function answer(
  request: Request,
  chain: ServedChain,
  context: RequestContext,
  tokens: ReadonlyMap<string, Address>,
  makeBody: (book: PriceBook, priceState: PriceState) => Promise<string>,
): Promise<string> {
  const { view, book, at } = await readPrices(chain, [...tokens.values()], context)
  const body = await makeBody(book, at)
  // The URL of a POST does not contain its tokens, so it cannot be the key.
  if (at.isCurrent && book.hasNoPendingJumps && request.method !== 'POST') view.answers.keep(request.url, body)
  return body
}

/** Reads the current prices of tokens. Waits for pools and facts of new tokens, each up to a short timeout. */
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
  const pending = await timing.time('prices', () => liveChain.gatherEvidence(requestedTokens, view))
  const priceState: PriceState = {
    isCurrent: isComplete && book.isCurrent && pending.size === 0,
    isPending: (token) => pending.has(pricedTokenOf(token, chain)),
    block: view.snapshot.block,
  }
  return { view, book, at: priceState }
}

/** Creates an object keyed by tokens as sent. It has no prototype, so keys such as `__proto__` are safe. */
export function byTokenText<K, V>(tokens: ReadonlyMap<string, K>, value: (token: K) => V): Record<string, V> {
  const map: Record<string, V> = Object.create(null)
  for (const [input, token] of tokens) map[input] = value(token)
  return map
}

/** Serves the preview picture (card) of a link to the Swap page, for sites that show previews of links (Open Graph). */
import { type Address, toAddress } from '@sluice/chains'
import { BoundedMap } from '@sluice/simulation'
import { formatUnits, parseUnits } from 'ethers'
import type { Request, RequestHandler, Response } from 'express'
import { z } from 'zod'
import { type CardContent, drawCard, type Fonts, readFonts } from '../card/card.ts'
import { callerOf, type ProxyTrust } from '../http/caller.ts'
import { contextOf, type RequestContext } from '../http/context.ts'
import { fixedHeaders } from '../http/headers.ts'
import { NATIVE_TEXT } from '../requests.ts'
import type { SwapResponse } from '../responses.ts'
import type { ServedChain } from '../served-chain.ts'
import type { Services } from '../services.ts'
import { answerRequest, readRequest } from '../swap/answer.ts'

/** Maximum cards in memory, of about 30 kB each. */
const MAX_CARDS = 200
/** Milliseconds for which a card is kept. */
const CARD_TTL_MS = 600_000
/** Maximum cards that are quoted and drawn at a time. Further requests get the plain card, without a swap. */
const MAX_CONCURRENT_CARDS = 2

const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/)
const link = z.object({
  chain: z.coerce.number().int().positive(),
  src: address,
  dst: address,
  // In its links, the page puts an amount in quotation marks if it looks like a number.
  amount: z
    .string()
    .transform((text) => text.replaceAll('"', ''))
    .pipe(z.string().regex(/^\d{1,30}(\.\d{1,30})?$/)),
  exact: z.enum(['in', 'out']).catch('in'),
})
export type CardLink = z.output<typeof link>

/** Parses the swap of a link; undefined if the link has no valid swap, so that its preview is the plain card. */
export function readCardLink(query: unknown): CardLink | undefined {
  return link.safeParse(query).data
}

const headers = fixedHeaders()

/** Creates the handler of `/app/card.png`; undefined if the web app's build has no fonts. */
export function createCardHandler(
  services: Services,
  webDir: string,
  isTrustedProxy: ProxyTrust,
): RequestHandler | undefined {
  const fonts = readFonts(webDir)
  if (!fonts) return undefined
  const cards = new BoundedMap<string, Buffer>(MAX_CARDS, { ttl: CARD_TTL_MS })
  let runningCount = 0
  const defaultCard = drawCard(fonts, undefined)
  const makeCard = async (
    cardLink: CardLink,
    request: Request,
    context: RequestContext,
  ): Promise<Buffer | undefined> => {
    if (runningCount >= MAX_CONCURRENT_CARDS) return undefined
    runningCount++
    try {
      return await renderCard(services, fonts, cardLink, callerOf(request, isTrustedProxy), context)
    } catch (error) {
      // If the swap has no route, the preview is the plain card; the page itself explains the reason.
      context.log.info({ err: error }, 'no card for a link')
      return undefined
    } finally {
      runningCount--
    }
  }
  const sendPng = (response: Response, png: Buffer, seconds: number) => {
    const contentHeaders = ['Content-Type', 'image/png', 'Content-Length', String(png.length)]
    const cacheHeaders = ['X-Request-Id', contextOf(response).id, 'Cache-Control', `public, max-age=${seconds}`]
    response.writeHead(200, [...headers, ...contentHeaders, ...cacheHeaders])
    response.end(png)
  }
  return async (request, response) => {
    const cardLink = readCardLink(request.query)
    const key = JSON.stringify(cardLink)
    const cached = cards.get(key)
    if (cached) return sendPng(response, cached, 600)
    const png = cardLink && (await makeCard(cardLink, request, contextOf(response)))
    if (!png) return sendPng(response, await defaultCard, 60)
    cards.set(key, png)
    sendPng(response, png, 600)
  }
}

async function renderCard(
  services: Services,
  fonts: Fonts,
  cardLink: CardLink,
  caller: string,
  context: RequestContext,
): Promise<Buffer> {
  const chain = services.chain(cardLink.chain)
  const drawTask = async () => drawCard(fonts, await contentOf(chain, cardLink, context))
  return context.orAborted(chain.admission.run(context.signal, { caller, kind: 'aggregator' }, drawTask))
}

async function contentOf(chain: ServedChain, cardLink: CardLink, context: RequestContext): Promise<CardContent> {
  const [src, dst] = await Promise.all([findToken(chain, cardLink.src), findToken(chain, cardLink.dst)])
  const isExactOutput = cardLink.exact === 'out'
  const baseUnits = parseUnits(cardLink.amount, isExactOutput ? dst.decimals : src.decimals)
  const quoteRequest = readRequest('quote', {
    ...{ src: cardLink.src, dst: cardLink.dst, maxPriceImpact: '100' },
    [isExactOutput ? 'amountOut' : 'amount']: String(baseUnits),
  })
  const quote = (await answerRequest(quoteRequest, chain, context)) as Omit<SwapResponse, 'tx'>
  const inputLegs = quote.swaps.filter(({ tokenIn }) => toAddress(tokenIn) === toAddress(quote.swaps[0]!.tokenIn))
  const pools = new Set(quote.swaps.map(({ pool }) => pool)).size
  return {
    ...{ src: src.symbol, dst: dst.symbol },
    inputAmount: shortAmount(quote.fromAmount, src.decimals),
    outputAmount: shortAmount(quote.toAmount, dst.decimals),
    note: `${pools === 1 ? '1 pool' : `${pools} pools`} on ${chain.chain.name}, simulated at block ${quote.simulationBlock}`,
    pools: inputLegs.map(({ dex, share }) => ({ name: dex, share })).sort((a, b) => b.share - a.share),
  }
}

type CardToken = { readonly symbol: string; readonly decimals: number }

/** Returns symbol and decimals of a token. @throws Error if the address is not a token */
async function findToken({ chain, liveChain }: ServedChain, address: string): Promise<CardToken> {
  const key: Address = toAddress(address)
  if (key === toAddress(NATIVE_TEXT)) return chain.nativeCurrency
  const { tokens } = await liveChain.listTokens(key)
  const token = tokens.find((candidate) => candidate.address === key)
  if (!token) throw new Error(`${key} is not a token`)
  return token
}

/**
 * Formats an amount of base units in whole tokens, with spaces between thousands. Keeps at most six digits after the
 * point, or two if there are more than four digits before it, and cuts off the others.
 */
function shortAmount(baseUnits: string, decimals: number): string {
  const [integer = '0', digits = ''] = formatUnits(baseUnits, decimals).split('.')
  const fraction = digits.slice(0, integer.length > 4 ? 2 : 6).replace(/0+$/, '')
  const groupedDigits = integer.replace(/\B(?=(\d{3})+$)/g, ' ')
  return fraction === '' ? groupedDigits : `${groupedDigits}.${fraction}`
}

/** HTTP client of the service. Validates every response that `swap` and `verify` depend on. */
import { checkCalls } from './checked-calls.ts'
import { ClientError } from './errors.ts'
import { readEvents } from './events.ts'
import { type HttpOptions, type Parameters, request, toTextParameters } from './http.ts'
import { checkOffer } from './permit-offer.ts'
import type {
  ChainEntry,
  ListedToken,
  PastQuoteParameters,
  PermitOffer,
  PermitParameters,
  Quote,
  QuoteEvent,
  QuoteParameters,
  Route,
  RouteParameters,
  SimulateParameters,
  SimulationResult,
  Stats,
  TokenListParameters,
} from './types.ts'

/**
 * Typed client of the service's endpoints. Every method throws ClientError only.
 *
 * @example
 * ```ts
 * const sluice = new SluiceClient({ baseUrl: 'https://swap.example' })
 * const route = await sluice.getSwap(1, { src, dst, amount: 10n ** 18n, from })
 * ```
 */
export class SluiceClient {
  private readonly options: HttpOptions

  constructor(options: HttpOptions) {
    this.options = options
  }

  /**
   * Requests the best route with its transaction.
   *
   * @throws ClientError `NO_ROUTE` if the service finds no route
   */
  async getSwap(chainId: number, parameters: RouteParameters, signal?: AbortSignal): Promise<Route> {
    const route = await request<Partial<Route>>(this.options, `/aggregator/${chainId}`, { query: parameters, signal })
    if (!route.tx || !route.toAmount || route.toAmount === '0' || !route.swaps)
      throw new ClientError('NO_ROUTE', 'no route found', { status: 200 })
    if (!isRoute(route)) throw new ClientError('BAD_ANSWER', 'the response is not a valid route')
    checkRequestedCalls(route, parameters)
    return route
  }

  /**
   * Requests the best route without a transaction, at the newest or at a past block.
   *
   * @throws ClientError as `getSwap` does
   */
  async getQuote(chainId: number, parameters: PastQuoteParameters, signal?: AbortSignal): Promise<Quote> {
    const quote = await request<Partial<Quote>>(this.options, `/quote/${chainId}`, { query: parameters, signal })
    if (!quote.toAmount || quote.toAmount === '0' || !quote.swaps)
      throw new ClientError('NO_ROUTE', 'no route found', { status: 200 })
    if (!isQuote(quote)) throw new ClientError('BAD_ANSWER', 'the quote is not as the interface has it')
    return quote
  }

  /**
   * Requests several quotes at one block.
   *
   * @returns one result per request, in order: a route if `from` was given, else a quote; an error if the request
   *   failed
   * @throws ClientError `UNSAFE` if the `calls` of a route do more than approve the input and send the transaction
   */
  async getQuotes(
    chainId: number,
    quotes: readonly QuoteParameters[],
    signal?: AbortSignal,
  ): Promise<readonly (Route | Quote | ClientError)[]> {
    const content = { body: { quotes: quotes.map(toTextParameters) }, signal }
    const { quotes: results } = await request<{ quotes: unknown }>(this.options, `/quotes/${chainId}`, content)
    if (!Array.isArray(results) || results.length !== quotes.length)
      throw new ClientError('BAD_ANSWER', 'the quotes are not as the interface has them')
    return results.map((item: unknown, k) => {
      const result = Object(item) as Partial<Route> & Partial<Refusal>
      if (result.error !== undefined) return refusalError(result)
      if (!(quotes[k]!.from === undefined ? isQuote(result) : isRoute(result)))
        throw new ClientError('BAD_ANSWER', 'a quote is not as the interface has it')
      checkRequestedCalls(result as Route | Quote, quotes[k]!)
      return result as Route | Quote
    })
  }

  /**
   * Streams a quote and its updates. Ends when the signal aborts or the caller leaves the loop.
   *
   * @throws ClientError with the service's reason if the service ends the stream
   */
  async *streamQuote(
    chainId: number,
    parameters: QuoteParameters,
    signal?: AbortSignal,
  ): AsyncGenerator<QuoteEvent, void, void> {
    for await (const { event, data } of readEvents(this.options, `/stream/${chainId}`, parameters, signal)) {
      if (event === 'end') throw refusalError(Object(data))
      if (event === 'quote' && !(parameters.from === undefined ? isQuote(Object(data)) : isRoute(Object(data))))
        throw new ClientError('BAD_ANSWER', 'a quote is not as the interface has it')
      if (event === 'quote') checkRequestedCalls(data as Route | Quote, parameters)
      if (event === 'refused') yield { event, data: data as Refusal, error: refusalError(Object(data)) }
      if (event === 'quote' || event === 'block') yield { event, data } as QuoteEvent
    }
  }

  /**
   * Requests the permits that the owner may sign instead of an approval. `swap()` and `signPermit()` do not use the
   * service for permits.
   *
   * @throws ClientError `UNSAFE` for an offer with another owner, token or amount, or with a spender other than the
   *   Guard
   */
  async getPermits(
    chainId: number,
    parameters: PermitParameters,
    signal?: AbortSignal,
  ): Promise<readonly PermitOffer[]> {
    const { src, from, amount, deadline } = parameters
    const { permits } = await request<{ permits: unknown }>(this.options, `/permit/${chainId}`, {
      query: { src, from, amount, deadline },
      signal,
    })
    if (!Array.isArray(permits)) throw new ClientError('BAD_ANSWER', 'the response is not a list of permits')
    for (const offer of permits) checkOffer(chainId, Object(offer), parameters)
    return permits as readonly PermitOffer[]
  }

  /** Simulates a call. A revert is a result, not an error. */
  simulate(chainId: number, parameters: SimulateParameters, signal?: AbortSignal): Promise<SimulationResult> {
    return request(this.options, `/simulate/${chainId}`, { body: toTextParameters(parameters), signal })
  }

  /**
   * Requests prices in USD. The keys of the result are the given addresses. The value is null for a token that the
   * service cannot price.
   */
  prices(chainId: number, tokens: readonly string[], signal?: AbortSignal): Promise<Record<string, number | null>> {
    return request(this.options, `/prices/${chainId}`, { query: { token: tokens }, signal })
  }

  /**
   * Requests the liquidity in USD. The keys of the result are the given addresses. The value is null for a token that
   * the service cannot price.
   */
  liquidity(chainId: number, tokens: readonly string[], signal?: AbortSignal): Promise<Record<string, number | null>> {
    return request(this.options, `/liquidity/${chainId}`, { query: { token: tokens }, signal })
  }

  /** Sends a GET request to any endpoint that responds with a JSON object. */
  get<T extends object>(path: `/${string}`, parameters: Parameters = {}, signal?: AbortSignal): Promise<T> {
    return request(this.options, path, { query: parameters, signal })
  }

  /** Requests the tokens of a chain in descending order of liquidity. */
  async tokenList(
    chainId: number,
    parameters: TokenListParameters = {},
    signal?: AbortSignal,
  ): Promise<readonly ListedToken[]> {
    const { tokens } = await request<{ tokens: unknown }>(this.options, `/tokenlist/${chainId}`, {
      query: parameters,
      signal,
    })
    if (!Array.isArray(tokens)) throw new ClientError('BAD_ANSWER', 'the list of tokens is not as the interface has it')
    return tokens as readonly ListedToken[]
  }

  /** Requests statistics of how a chain's quotes drift one and two blocks later. */
  async stats(chainId: number, signal?: AbortSignal): Promise<Stats> {
    const stats = await request<Partial<Stats>>(this.options, `/stats/${chainId}`, { signal })
    if (![stats.blocks, stats.families, stats.brands, stats.pools, stats.withdrawing].every(Array.isArray))
      throw new ClientError('BAD_ANSWER', 'the statistics are not as the interface has them')
    return stats as Stats
  }

  /** Requests the supported chains, keyed by chain id. */
  chains(signal?: AbortSignal): Promise<Record<string, ChainEntry>> {
    return request(this.options, '/chains', { signal })
  }
}

/** Maximum legs of a route. */
const MAX_LEGS = 1_000
const MAX_MESSAGE_CHARS = 2_000

/**
 * Checks the `calls` of a route, if it has any. They may approve exactly the requested input, or, for an exact output,
 * the input of the route.
 *
 * @throws ClientError `UNSAFE`
 */
function checkRequestedCalls(
  quote: Quote & Partial<Pick<Route, 'tx'>>,
  { src, amount }: Pick<RouteParameters, 'src' | 'amount'> | Pick<QuoteParameters, 'src' | 'amount'>,
): void {
  if (quote.calls === undefined) return
  const { tx } = quote
  if (!tx) throw new ClientError('UNSAFE', 'a quote without a sender has `calls`')
  checkCalls({ ...quote, src, tx }, BigInt(amount ?? quote.fromAmount))
}

/** Returns true if all fields that `verify` reads have the documented types. */
function isRoute(route: Partial<Route>): route is Route {
  return hasTextFields(Object(route.tx), 'from', 'to', 'data', 'value') && isQuote(route)
}

type Refusal = { readonly error: string; readonly code: string }

/**
 * Error codes that the service sends with status 422: the swap is impossible at this block, but may be possible at a
 * later one.
 */
export const REFUSALS: readonly string[] = [
  'NO_STATE',
  'UNKNOWN_TOKEN',
  'NO_ROUTE',
  'AMOUNT_TOO_SMALL',
  'INSUFFICIENT_LIQUIDITY',
  'ROUTE_REVERTED',
  'PRICE_IMPACT',
  'VALUE_LOSS',
  'GUARD_NOT_DEPLOYED',
]

/**
 * Converts an error without an HTTP status to a ClientError. Such errors are items of a `/quotes` response, or events
 * of a stream.
 */
function refusalError(body: Partial<Refusal>): ClientError {
  const { error, code } = body
  const text = typeof error === 'string' ? error.slice(0, MAX_MESSAGE_CHARS) : 'no quote'
  const details = { ...(typeof code === 'string' && { serviceCode: code }), body }
  return REFUSALS.includes(String(code))
    ? new ClientError('NO_ROUTE', text, { status: 422, ...details })
    : new ClientError('HTTP', text, details)
}

function isQuote(quote: Partial<Quote>): quote is Quote {
  const { swaps } = quote
  return (
    [quote.toAmount, quote.gasEstimate, quote.fromAmount].every((amount) => /^\d{1,78}$/.test(String(amount))) &&
    hasTextFields(quote, 'toAmount', 'gasEstimate', 'fromAmount') &&
    Number.isSafeInteger(quote.simulationBlock) &&
    Array.isArray(swaps) &&
    swaps.length <= MAX_LEGS &&
    swaps.every((leg) => hasTextFields(Object(leg), 'pool', 'tokenIn', 'tokenOut'))
  )
}

function hasTextFields(value: object, ...names: readonly string[]): boolean {
  return names.every((name) => typeof (value as Record<string, unknown>)[name] === 'string')
}

/** Implements DefiLlama's `GET /prices/current/{coins}` with this service's own prices. */
import { type Address, asAddress, type ChainMapEntry } from '@sluice/chains'
import { abortable } from '@sluice/rpc'
import type { Express, Request, RequestHandler } from 'express'
import type { Config } from '../config.ts'
import { ApiError } from '../errors.ts'
import { callerOf, type ProxyTrust } from '../http/caller.ts'
import { contextOf, type RequestContext } from '../http/context.ts'
import { replyTagged } from '../http/reply.ts'
import { currentPricesPath, type RequestCoin, read } from '../requests.ts'
import type { CurrentPricesResponse } from '../responses.ts'
import { readPrices } from '../routes/prices.ts'
import type { Services } from '../services.ts'
import { toApiError } from '../translate.ts'

/** Maximum chains of one request. All chains are read at once, and chains that are not in use are started. */
const MAX_CHAINS = 20
/** Share of the request timeout after which chains that are still being read are left out of the answer. */
const CHAIN_TIMEOUT_SHARE = 0.8

type CoinPrice = CurrentPricesResponse['coins'][string]
/** Coins of one chain by their text in the request. */
type ChainCoins = ReadonlyMap<string, Address>
/** Prices of one chain, or the error of reading them. */
type Outcome = { readonly prices: ReadonlyMap<string, CoinPrice> } | { readonly error: unknown }

/** Adds the routes. @param methodNotAllowed - creates the handler that refuses all other methods */
export function addLlamaPriceRoutes(
  app: Express,
  {
    services,
    config,
    isTrustedProxy,
  }: { readonly services: Services; readonly config: Config; readonly isTrustedProxy: ProxyTrust },
  methodNotAllowed: (methods: string) => RequestHandler,
): void {
  const chainIdByName = chainIdsByName(services.registry.chainMap())
  const handler: RequestHandler = async (request, response) => {
    const context = contextOf(response)
    const { coins } = read(currentPricesPath, { coins: request.params.coins ?? '' })
    const coinsByChainId = coinsByChain(coins, chainIdByName)
    const priceReader = new ChainPriceReader(request, {
      services,
      isTrustedProxy,
      context,
      timeoutMs: config.requestTimeoutMs * CHAIN_TIMEOUT_SHARE,
    })
    const outcomes = await context.orAborted(priceReader.pricesOf(coinsByChainId))
    replyTagged(request, response, context, JSON.stringify(bodyOf(coins, outcomes)))
  }
  for (const path of ['/prices/current', '/prices/current/:coins'])
    app.route(path).get(handler).all(methodNotAllowed('GET, HEAD'))
}

/**
 * Returns chain ids by the lower-case names that requests may use: DefiLlama's key of the chain, the chain id, and the
 * name in the registry. A name that is DefiLlama's key of another chain stands for that chain.
 */
export function chainIdsByName(chains: Readonly<Record<string, ChainMapEntry>>): ReadonlyMap<string, number> {
  const entries = Object.values(chains)
  const idsByName = (nameOf: (entry: ChainMapEntry) => string | null) =>
    entries.flatMap((entry): [string, number][] => {
      const name = nameOf(entry)
      return name === null ? [] : [[name.toLowerCase(), Number(entry.ChainID)]]
    })
  return new Map([
    ...idsByName(({ ChainName }) => ChainName),
    ...idsByName(({ CoinsPrefix }) => CoinsPrefix),
    ...idsByName(({ ChainID }) => ChainID),
  ])
}

/**
 * Groups coins by chain id. Ignores coins of chains that are not served.
 *
 * @throws ApiError `INVALID_PARAMETER` for a coin of a served chain that is not an address, and for too many chains
 */
export function coinsByChain(
  coins: readonly RequestCoin[],
  chainIdByName: ReadonlyMap<string, number>,
): ReadonlyMap<number, ChainCoins> {
  const coinsByChainId = new Map<number, Map<string, Address>>()
  for (const { input, chain, token } of coins) {
    const chainId = chainIdByName.get(chain.toLowerCase())
    if (chainId === undefined) continue
    const address = asAddress(token.toLowerCase())
    if (address === null)
      throw new ApiError('INVALID_PARAMETER', `coins must have a valid 0x... address for chain ${chain}`)
    const chainCoins = coinsByChainId.get(chainId)
    if (chainCoins) chainCoins.set(input, address)
    else coinsByChainId.set(chainId, new Map([[input, address]]))
  }
  if (coinsByChainId.size > MAX_CHAINS)
    throw new ApiError('INVALID_PARAMETER', `coins must be of at most ${MAX_CHAINS} chains`)
  return coinsByChainId
}

/**
 * Returns the response body in the order of the request. Its map has no prototype, so keys such as `__proto__` are
 * safe.
 *
 * @throws the first error if no chain could be read
 */
export function bodyOf(coins: readonly RequestCoin[], outcomes: readonly Outcome[]): CurrentPricesResponse {
  const failures = outcomes.flatMap((outcome) => ('error' in outcome ? [outcome.error] : []))
  if (failures.length > 0 && failures.length === outcomes.length) throw failures[0]
  const prices = new Map(outcomes.flatMap((outcome) => ('prices' in outcome ? [...outcome.prices] : [])))
  const priceByCoin: Record<string, CoinPrice> = Object.create(null)
  for (const { input } of coins) if (prices.has(input)) priceByCoin[input] = prices.get(input)!
  return { coins: priceByCoin }
}

type ChainReadOptions = {
  readonly services: Services
  readonly isTrustedProxy: ProxyTrust
  readonly context: RequestContext
  readonly timeoutMs: number
}

/**
 * Reads the prices of one request on several chains at once. If a chain fails or hangs, the others are still returned.
 */
class ChainPriceReader {
  private readonly request: Request
  private readonly options: ChainReadOptions

  constructor(request: Request, options: ChainReadOptions) {
    this.request = request
    this.options = options
  }

  async pricesOf(coinsByChainId: ReadonlyMap<number, ChainCoins>): Promise<readonly Outcome[]> {
    const { context, timeoutMs } = this.options
    const deadline = new AbortController()
    const expire = () => deadline.abort(new ApiError('TIMEOUT', `no chain answered within ${timeoutMs} ms`))
    const timer = setTimeout(expire, timeoutMs - (performance.now() - context.startedAt))
    const signal = AbortSignal.any([context.signal, deadline.signal])
    try {
      return await Promise.all([...coinsByChainId].map(([chainId, coins]) => this.outcomeOf(chainId, coins, signal)))
    } finally {
      clearTimeout(timer)
    }
  }

  private async outcomeOf(chainId: number, coins: ChainCoins, signal: AbortSignal): Promise<Outcome> {
    try {
      return { prices: await abortable(this.read(chainId, coins, signal), signal) }
    } catch (error) {
      const { log } = this.options.context
      const { code } = toApiError(error)
      if (code === 'INTERNAL') log.error({ err: error, chain: chainId }, 'unexpected error')
      else log.warn({ err: error, chain: chainId, code }, 'answered without the prices of a chain')
      return { error }
    }
  }

  private async read(chainId: number, coins: ChainCoins, signal: AbortSignal): Promise<ReadonlyMap<string, CoinPrice>> {
    const { services, isTrustedProxy, context } = this.options
    const chain = services.chain(chainId)
    const request = {
      caller: callerOf(this.request, isTrustedProxy),
      kind: `prices ${Math.ceil(Math.log2(coins.size))}`,
      onWait: () => {
        context.hasQueued = true
      },
    }
    return chain.admission.run(signal, request, async () => {
      const tokens = [...new Set(coins.values())]
      const { book, priceState } = await readPrices(chain, tokens, {
        signal,
        time: (stage, work) => context.time(stage, work),
      })
      const pricedTokens = tokens.filter((token) => !priceState.isPending(token) && book.usd(token) !== null)
      const symbols = await chain.liveChain.tokens.symbols(pricedTokens, chain.liveChain.rpc)
      const prices = new Map<Address, CoinPrice>()
      for (const token of pricedTokens) {
        const { usd: price, confidence } = await book.detail(token)
        const decimals = chain.liveChain.tokens.facts.decimals(token)
        const symbol = symbols.get(token)
        if (price === null || decimals === undefined) continue
        prices.set(token, {
          ...{ decimals, ...(symbol !== undefined && { symbol }), price },
          ...{ timestamp: priceState.block.timestamp, confidence },
        })
      }
      return new Map(
        [...coins].flatMap(([input, token]): [string, CoinPrice][] => {
          const price = prices.get(token)
          return price ? [[input, price]] : []
        }),
      )
    })
  }
}

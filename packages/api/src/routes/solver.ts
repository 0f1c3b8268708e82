/**
 * Endpoints of a solver, with `ROLE=solver` (docs/solver.md): for drivers of CoW Protocol, which send auctions to
 * solvers, and for UniswapX.
 */
import type { Address } from '@sluice/chains'
import {
  answerWebhook,
  BodyError,
  type ChainQuotes,
  ChainRouter,
  NETWORKS,
  notificationKind,
  readAuction,
  readWebhook,
  solve,
} from '@sluice/solver'
import express, { type Request, type RequestHandler, type Response, Router } from 'express'
import type { Config } from '../config.ts'
import { ApiError } from '../errors.ts'
import { contextOf, type RequestContext } from '../http/context.ts'
import { errorReply, reply, replyEmpty, replyJson } from '../http/reply.ts'
import { readChainId } from '../requests.ts'
import type { ServedChain } from '../served-chain.ts'
import type { Services } from '../services.ts'

/** Maximum bytes of an auction: several times the size of an auction of a busy chain with its liquidity. */
const MAX_AUCTION_BYTES = 64_000_000
/** Maximum bytes of any other body. */
const MAX_SMALL_BYTES = 100_000
/** Maximum auctions that are solved at a time; more are refused with 429. */
const MAX_AUCTIONS = 4
/** Milliseconds of a request's timeout that are reserved for sending the response. */
const RESPONSE_RESERVE_MS = 500

/** Creates the endpoints of a solver: under `/solver/{chain}` for every chain, and at the root for `SOLVER_CHAIN`. */
export function solverRouter(
  services: Services,
  config: Config,
  methodNotAllowed: (methods: string) => RequestHandler,
): Router {
  const router = Router()
  const auctions = new Auctions(services, config)
  const addPostRoute = (path: string, limit: number, handler: RequestHandler) =>
    router.route(path).post(express.json({ limit }), handler).all(methodNotAllowed('POST'))
  for (const prefix of ['/solver/:network', ...(config.solverChain === undefined ? [] : [''])]) {
    addPostRoute(`${prefix}/solve`, MAX_AUCTION_BYTES, auctions.solve)
    addPostRoute(`${prefix}/notify`, MAX_SMALL_BYTES, auctions.notify)
  }
  const { uniswapxFiller: filler, uniswapxTimeoutMs } = config
  if (filler !== undefined)
    addPostRoute('/uniswapx/quote', MAX_SMALL_BYTES, uniswapxQuoteHandler(services, filler, uniswapxTimeoutMs))
  return router
}

/** Handles the auctions that drivers send, and their notifications about earlier solutions. */
class Auctions {
  private readonly services: Services
  private readonly config: Config
  private runningAuctions = 0

  constructor(services: Services, config: Config) {
    this.services = services
    this.config = config
  }

  /**
   * Answers an auction. Stops searching for solutions at the auction's deadline, or shortly before the request's
   * timeout.
   */
  readonly solve: RequestHandler = async (request, response) => {
    const context = contextOf(response)
    const chain = this.chainOf(request, context)
    const auction = parseBody(() => readAuction(request.body))
    if (this.runningAuctions >= MAX_AUCTIONS) return refuseBusy(response)
    this.runningAuctions++
    try {
      const { requestTimeoutMs, solverSettlement } = this.config
      const latestDeadline =
        Date.now() - (performance.now() - context.startedAt) + requestTimeoutMs - RESPONSE_RESERVE_MS
      const quotes = chainQuotesOf(chain, context)
      const solutions = await solve(
        { ...auction, deadline: Math.min(auction.deadline, latestDeadline) },
        {
          wrappedNative: quotes.wrappedNative,
          chain: new ChainRouter(quotes, solverSettlement),
          signal: context.signal,
        },
      )
      this.services.metrics.solverSolutions.inc({ chain: chain.chain.chainId }, solutions.length)
      replyJson(response, context, JSON.stringify({ solutions }))
    } finally {
      this.runningAuctions--
    }
  }

  /** Counts a driver's reports about solutions. */
  readonly notify: RequestHandler = (request, response) => {
    const { chainId: chain } = this.chainOf(request, contextOf(response)).chain
    this.services.metrics.solverNotifications.inc({ chain, kind: notificationKind(request.body) })
    reply(response, { type: 'json', body: '{}' })
  }

  private chainOf({ params }: Request, context: RequestContext): ServedChain {
    const network = params.network as string | undefined
    const chainId = network === undefined ? this.config.solverChain! : (NETWORKS.get(network) ?? readChainId(network))
    context.chainId = chainId
    return this.services.chain(chainId)
  }
}

/** Creates the handler of UniswapX quote requests. Answers 204 without a quote. */
function uniswapxQuoteHandler(services: Services, filler: Address, timeoutMs: number): RequestHandler {
  return async (request, response) => {
    const context = contextOf(response)
    const quoteWebhook = parseBody(() => readWebhook(request.body))
    context.chainId = quoteWebhook.tokenInChainId
    const quotes = chainQuotesOf(services.chain(quoteWebhook.tokenInChainId), context)
    const answer = await answerWebhook(quoteWebhook, quotes, filler, timeoutMs, context.signal)
    if (answer) replyJson(response, context, JSON.stringify(answer))
    else replyEmpty(response, [])
  }
}

function chainQuotesOf({ chain, liveChain }: ServedChain, context: RequestContext): ChainQuotes {
  return {
    wrappedNative: chain.wrappedNative?.address ?? null,
    guard: liveChain.contracts.guard,
    quote: (request, signal) =>
      liveChain.quote(request, { signal, time: (stage, work) => context.time(stage, work), log: context.log }),
  }
}

/** Parses a body. @throws ApiError `INVALID_PARAMETER` if it is invalid */
function parseBody<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof BodyError) throw new ApiError('INVALID_PARAMETER', error.message)
    throw error
  }
}

/** Answers 429, which drivers expect from an overloaded solver. */
function refuseBusy(response: Response): void {
  const error = new ApiError('OVERLOADED', `${MAX_AUCTIONS} auctions are being solved`)
  const context = contextOf(response)
  context.errorCode = error.code
  const { headers = [], body } = errorReply(error, context.id, 'B')
  reply(response, { status: 429, type: 'json', body, headers })
}

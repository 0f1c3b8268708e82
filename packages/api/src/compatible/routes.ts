/**
 * HTTP routes that imitate the APIs of 0x and 1inch, so that integrators can try this service by changing a base URL.
 * `COMPATIBLE=1` enables them. A dialect converts between one of these APIs and the API of this service.
 */
import type { Express, Request, RequestHandler, Response } from 'express'
import { ApiError } from '../errors.ts'
import { callerOf, type ProxyTrust } from '../http/caller.ts'
import { contextOf, type RequestContext } from '../http/context.ts'
import { errorReply, reply, replyJson } from '../http/reply.ts'
import { readChainId } from '../requests.ts'
import type { ServedChain } from '../served-chain.ts'
import type { Services } from '../services.ts'
import { answerRequest, readRequest } from '../swap/answer.ts'
import { toLoggedApiError } from '../translate.ts'
import { approvals } from './approvals.ts'
import type { Dialect, Query } from './dialect.ts'
import { oneInch } from './one-inch.ts'
import { zeroX } from './zero-x.ts'

/** Error codes that mean that no swap route exists. */
const NO_ROUTE: ReadonlySet<string> = new Set([
  ...['UNKNOWN_TOKEN', 'NO_ROUTE', 'AMOUNT_TOO_SMALL', 'INSUFFICIENT_LIQUIDITY', 'ROUTE_REVERTED'],
])

export function addCompatibleRoutes(app: Express, services: Services, isTrustedProxy: ProxyTrust): void {
  /** Creates a handler that runs `endpoint`, and sends errors in the format of the dialect's API. */
  const handlerFor = (
    dialect: Pick<Dialect, 'toNoRouteBody' | 'toErrorBody'>,
    chainIdOf: (request: Request) => unknown,
    endpoint: (request: Request, chain: ServedChain, context: RequestContext) => Promise<object>,
  ): RequestHandler => {
    return async (request, response) => {
      const context = contextOf(response)
      try {
        const chainId = readChainId(String(chainIdOf(request) ?? ''))
        context.chainId = chainId
        const chain = services.chain(chainId)
        const task = { caller: callerOf(request, isTrustedProxy), kind: 'aggregator' }
        const body = chain.admission.run(context.signal, task, () => endpoint(request, chain, context))
        replyJson(response, context, JSON.stringify(await context.orAborted(body)))
      } catch (thrown) {
        sendError(dialect, thrown, response)
      }
    }
  }
  const quoteHandler = (dialect: Dialect, chainIdOf: (request: Request) => unknown): RequestHandler =>
    handlerFor(dialect, chainIdOf, async (request, chain, context) => {
      const parameters = dialect.toParameters(request.query as Query)
      const parsed = readRequest('from' in parameters ? 'swap' : 'quote', parameters)
      const [route, gasPriceWei] = await Promise.all([
        answerRequest(parsed, chain, context),
        chain.liveChain.rpc.gasPrice(),
      ])
      const { chainId } = chain.chain
      const facts = { chainId, routerAddress: chain.routerAddress, requestId: context.id, gasPriceWei }
      return dialect.toBody(route, facts, request.query as Query)
    })
  const chainIdInQuery = (request: Request) => request.query.chainId
  const chainIdInPath = (request: Request) => request.params.chainId
  app.get('/compatible/0x/swap/allowance-holder/quote', quoteHandler(zeroX('swap'), chainIdInQuery))
  app.get('/compatible/0x/swap/allowance-holder/price', quoteHandler(zeroX('quote'), chainIdInQuery))
  app.use('/compatible/0x', refuseUnknownPath(zeroX('quote')))
  const oneInchSwap = oneInch('swap')
  for (const version of ['v6.0', 'v6.1']) {
    const base = `/compatible/1inch/swap/${version}/:chainId`
    app.get(`${base}/swap`, quoteHandler(oneInchSwap, chainIdInPath))
    app.get(`${base}/quote`, quoteHandler(oneInch('quote'), chainIdInPath))
    for (const [name, endpoint] of Object.entries(approvals))
      app.get(`${base}/approve/${name}`, handlerFor(oneInchSwap, chainIdInPath, endpoint))
  }
  app.use('/compatible/1inch', refuseUnknownPath(oneInchSwap))
  app.use('/compatible', () => {
    throw unknownPathError()
  })
}

function unknownPathError(): ApiError {
  return new ApiError('NOT_FOUND', 'this path is not among those of docs/compatible.md')
}

function refuseUnknownPath(dialect: Dialect): RequestHandler {
  return (_request, response) => sendError(dialect, unknownPathError(), response)
}

/** Sends an error in the format of the dialect's API, with the headers of this service's own errors. */
function sendError(
  { toNoRouteBody, toErrorBody }: Pick<Dialect, 'toNoRouteBody' | 'toErrorBody'>,
  thrown: unknown,
  response: Response,
) {
  const context = contextOf(response)
  const error = toLoggedApiError(thrown, context.log, context.abortReason)
  context.errorCode = error.code
  const isMissingRoute = toNoRouteBody !== undefined && NO_ROUTE.has(error.code)
  const body = isMissingRoute ? toNoRouteBody(context.id) : toErrorBody(error, context.id)
  // Version B of the service's own error format is JSON; only its headers are used.
  const { headers = [] } = errorReply(error, context.id, 'B')
  reply(response, { status: isMissingRoute ? 200 : error.status, type: 'json', body: JSON.stringify(body), headers })
}

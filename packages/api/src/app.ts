/** Assembles the HTTP interface: routes, admission, error handling, and the metrics listener. */
import type { IncomingMessage, RequestListener } from 'node:http'
import type { TraceRecorder } from '@sluice/tracing/recorder'
import express, { type ErrorRequestHandler, type Express, type Request, type RequestHandler, Router } from 'express'
import { classifyRequest } from './admission/kind.ts'
import { withLoadShedding } from './admission/load-shedder.ts'
import { addLlamaPriceRoutes } from './compatible/llama-prices.ts'
import { addCompatibleRoutes } from './compatible/routes.ts'
import type { Config } from './config.ts'
import { ApiError } from './errors.ts'
import { readBody } from './http/body.ts'
import { callerOf, type ProxyTrust } from './http/caller.ts'
import { checkRequest } from './http/check-request.ts'
import { attach, contextOf, RequestContext } from './http/context.ts'
import { parseQuery } from './http/query.ts'
import { record } from './http/record.ts'
import { reply, replyError, replyJson, replyTagged } from './http/reply.ts'
import { endTrace, startTrace } from './http/trace.ts'
import { readChainId } from './requests.ts'
import { createCardHandler } from './routes/card.ts'
import { docsRouter, openApi } from './routes/docs.ts'
import { chainReady, health, metricsPage, ready } from './routes/operate.ts'
import { pageRouter } from './routes/page.ts'
import { permits } from './routes/permit.ts'
import { history, liquidity, postedPrices, prices } from './routes/prices.ts'
import { quotes } from './routes/quotes.ts'
import { referee } from './routes/referee.ts'
import { simulate } from './routes/simulate.ts'
import { solverRouter } from './routes/solver.ts'
import { stats } from './routes/stats.ts'
import { status } from './routes/status.ts'
import { stream } from './routes/stream.ts'
import { routeEndpoint } from './routes/swap.ts'
import { tokenList } from './routes/token-list.ts'
import { tokens } from './routes/token-report.ts'
import type { ServedChain } from './served-chain.ts'
import type { Services } from './services.ts'
import { toLoggedApiError } from './translate.ts'

/** Handler of an endpoint whose path names a chain. Resolves to the response body. */
type ChainEndpoint<Body> = (
  request: Request,
  chain: ServedChain,
  context: RequestContext,
  config: Config,
) => Promise<Body>

/** Sends a JSON body. */
type Send = typeof replyTagged
const sendUntagged: Send = (_request, response, context, body) => replyJson(response, context, body)

/** Request listeners of the service. The caller opens the ports. */
export type App = {
  readonly listener: RequestListener
  /** Serves only `/metrics`, for a port that clients cannot reach. */
  readonly metrics: RequestListener
  /** Returns true for the address of a trusted proxy, by `TRUST_PROXY`. */
  readonly isTrustedProxy: ProxyTrust
}

/**
 * Creates the HTTP interface of the given services. Opens no port, and does not close the services.
 *
 * @param recorder - records traces; without it no request is traced
 */
export function createApp(services: Services, config: Config, recorder?: TraceRecorder): App {
  const app = createRoutes(services, config)
  const isTrustedProxy: ProxyTrust = app.get('trust proxy fn')
  const listener: RequestListener = (request, response) => {
    const context = new RequestContext(request, services.log, config.requestTimeoutMs)
    const trace = startTrace(request, recorder)
    attach(context, response, () => {
      record(endpointOf(request), request, response, context, services)
      if (trace) endTrace(trace, endpointOf(request), request, response, context)
    })
    if (trace) trace.run(() => app(request, response))
    else app(request, response)
  }
  return {
    listener: withLoadShedding({ services, version: config.errorVersion, isTrustedProxy, listener }),
    metrics: createMetricsListener(services, config),
    isTrustedProxy,
  }
}

/**
 * Creates the listener for `METRICS_PORT`. Requests to it are not counted in the metrics, and never refused under
 * overload.
 */
function createMetricsListener(services: Services, config: Config): RequestListener {
  const app = express()
  app.set('etag', false)
  app.disable('x-powered-by')
  app.route('/metrics').get(metricsPage(services)).all(createMethodNotAllowed(config)('GET, HEAD'))
  app.use(refuseUnknownPath, errorHandler(config))
  return (request, response) => {
    attach(new RequestContext(request, services.log, config.requestTimeoutMs), response, () => {})
    app(request, response)
  }
}

/** Returns a factory of handlers that answer 405 and name the allowed methods. */
function createMethodNotAllowed({ errorVersion }: Config): (methods: string) => RequestHandler {
  return (methods) => {
    const error = new ApiError('METHOD_NOT_ALLOWED', `use ${methods}`)
    return (_request, response) => replyError(response, error, errorVersion, ['Allow', methods])
  }
}

/** Creates the handler that stores the chain of the URL in `response.locals.chain`, for the handlers after it. */
function createSelectChain(services: Services): RequestHandler {
  return (request, response, next) => {
    const chainId = readChainId(request.params.chainId as string | undefined)
    contextOf(response).chainId = chainId
    response.locals.chain = services.chain(chainId)
    next()
  }
}

function createRoutes(services: Services, config: Config): Express {
  const app = express()
  app.set('trust proxy', config.trustProxy)
  app.set('query parser', parseQuery)
  app.set('etag', false)
  app.disable('x-powered-by')

  const isTrustedProxy: ProxyTrust = app.get('trust proxy fn')
  app.use(checkRequest)

  const chainHandler = (endpoint: ChainEndpoint<string>, send: Send = sendUntagged): RequestHandler => {
    return async (request, response) => {
      const context = contextOf(response)
      const chain: ServedChain = response.locals.chain
      const task = {
        caller: callerOf(request, isTrustedProxy),
        kind: classifyRequest(request.originalUrl, request.method)?.kind ?? 'other',
        onWait: () => {
          context.hasQueued = true
        },
      }
      const running = chain.admission.run(context.signal, task, () => endpoint(request, chain, context, config))
      send(request, response, context, await context.orAborted(running))
    }
  }
  const jsonHandler = (endpoint: ChainEndpoint<object>): RequestHandler =>
    chainHandler(async (...request) => JSON.stringify(await endpoint(...request)))
  const methodNotAllowed = createMethodNotAllowed(config)
  const getOnly = methodNotAllowed('GET, HEAD')
  const selectChain = createSelectChain(services)
  const swapHandler = jsonHandler(routeEndpoint('swap'))
  const quoteHandler = jsonHandler(routeEndpoint('quote'))
  const operatorRouter = createOperatorRouter(services, config, methodNotAllowed)
  if (config.role === 'indexer') return app.use(operatorRouter, refuseUnknownPath, errorHandler(config))
  const chainMapJson = JSON.stringify(services.registry.chainMap())

  app.route('/aggregator/:chainId').get(selectChain, swapHandler).all(getOnly)
  app.route('/quote/:chainId').get(selectChain, quoteHandler).all(getOnly)
  app.route('/quotes/:chainId').post(selectChain, readBody, jsonHandler(quotes)).all(methodNotAllowed('POST'))
  app
    .route('/simulate/:chainId')
    .get(selectChain, jsonHandler(simulate))
    .post(selectChain, readBody, jsonHandler(simulate))
    .all(methodNotAllowed('GET, HEAD, POST'))
  addLlamaPriceRoutes(app, { services, config, isTrustedProxy }, methodNotAllowed)
  app
    .route('/prices/:chainId')
    .get(selectChain, sendRecentAnswer, chainHandler(prices, replyTagged))
    .post(selectChain, readBody, chainHandler(postedPrices))
    .all(methodNotAllowed('GET, HEAD, POST'))
  app.route('/liquidity/:chainId').get(selectChain, sendRecentAnswer, chainHandler(liquidity, replyTagged)).all(getOnly)
  app.route('/history/:chainId').get(selectChain, jsonHandler(history)).all(getOnly)
  app.route('/tokens/:chainId').get(selectChain, jsonHandler(tokens)).all(getOnly)
  app
    .route('/stream/:chainId')
    // Express passes HEAD requests to GET handlers; a stream would never answer one.
    .head(methodNotAllowed('GET'))
    .get(selectChain, stream(services, config, isTrustedProxy))
    .all(methodNotAllowed('GET'))
  app.route('/permit/:chainId').get(selectChain, jsonHandler(permits)).all(getOnly)
  app.route('/tokenlist/:chainId').get(selectChain, jsonHandler(tokenList)).all(getOnly)
  app.route('/status/:chainId/:hash').get(selectChain, jsonHandler(status)).all(getOnly)
  app.route('/referee/:chainId/:hash').get(selectChain, jsonHandler(referee)).all(getOnly)
  app.route('/stats/:chainId').get(selectChain, jsonHandler(stats)).all(getOnly)
  app
    .route('/chains')
    .get((_request, response) => reply(response, { type: 'json', body: chainMapJson }))
    .all(getOnly)
  app.route('/ready/:chainId').get(selectChain, chainReady(services)).all(getOnly)
  if (config.compatible) addCompatibleRoutes(app, services, isTrustedProxy)
  if (config.role === 'solver') app.use(solverRouter(services, config, methodNotAllowed))
  return app.use(
    operatorRouter,
    createDocumentRouter({ services, config, isTrustedProxy }, methodNotAllowed),
    refuseUnknownPath,
    errorHandler(config),
  )
}

/** Sends the cached body if the same URL was already answered at the newest block; otherwise calls the next handler. */
const sendRecentAnswer: RequestHandler = (request, response, next) => {
  const chain: ServedChain = response.locals.chain
  const body = chain.liveChain.recentResponse(request.url)
  if (body === undefined) next()
  else replyTagged(request, response, contextOf(response), body)
}

const refuseUnknownPath: RequestHandler = () => {
  throw new ApiError('NOT_FOUND', 'unknown path; see /openapi.json')
}

function createOperatorRouter(
  services: Services,
  config: Config,
  methodNotAllowed: (methods: string) => RequestHandler,
): Router {
  const router = Router()
  router.route('/health').get(health).all(methodNotAllowed('GET, HEAD'))
  router.route('/ready').get(ready(services)).all(methodNotAllowed('GET, HEAD'))
  if (config.metricsPort === undefined)
    router.route('/metrics').get(metricsPage(services)).all(methodNotAllowed('GET, HEAD'))
  return router
}

type AppDependencies = { readonly services: Services; readonly config: Config; readonly isTrustedProxy: ProxyTrust }

/** Creates the routes of the OpenAPI document, the documentation, and the playground. */
function createDocumentRouter(
  { services, config, isTrustedProxy }: AppDependencies,
  methodNotAllowed: (methods: string) => RequestHandler,
): Router {
  const router = Router()
  router.route('/openapi.json').get(openApi).all(methodNotAllowed('GET, HEAD'))
  router.use(docsRouter(config.docsDir, methodNotAllowed))
  const cardHandler = createCardHandler(services, config.webDir, isTrustedProxy)
  if (cardHandler) router.route('/app/card.png').get(cardHandler).all(methodNotAllowed('GET, HEAD'))
  router.use(pageRouter(config.webDir, config.localChainFile))
  return router
}

/** Returns the path pattern of the matched route as a metric label, so the number of labels is bounded. */
function endpointOf(request: IncomingMessage & Partial<Pick<Request, 'route'>>): string {
  return typeof request.route?.path === 'string' ? request.route.path : 'other'
}

/** Creates the final error handler. Only ApiError messages are sent to clients. */
function errorHandler(config: Config): ErrorRequestHandler {
  return (thrown: unknown, _request, response, _next) => {
    const context = contextOf(response)
    const error = toLoggedApiError(thrown, context.log, context.abortReason)
    if (error.status === 502 || error.status === 504)
      context.log.warn({ err: thrown, code: error.code }, 'request failed')
    // The log line that `record` writes for every request contains the codes of all other errors. A second line per
    // refusal would take too much time under overload.
    if (response.headersSent) response.destroy()
    else replyError(response, error, config.errorVersion)
  }
}

import type { IncomingMessage, RequestListener } from 'node:http'
import { parse as parseQuery } from 'node:querystring'
import express, { type ErrorRequestHandler, type Express, type Request, type RequestHandler } from 'express'
import { callerOf, type Trust } from './admission/caller.ts'
import { gate } from './admission/gate.ts'
import { asksFor } from './admission/kind.ts'
import type { ChainService } from './chain/chain-service.ts'
import type { Config } from './config.ts'
import { ApiError } from './errors.ts'
import { attach, contextOf, RequestContext } from './http/context.ts'
import { edge } from './http/edge.ts'
import { record } from './http/record.ts'
import { reply, replyError, replyJson } from './http/reply.ts'
import { readChainId } from './requests.ts'
import { docs, docsStyle, openApi } from './routes/docs.ts'
import { chainReady, health, metricsPage, ready } from './routes/operate.ts'
import { simulate } from './routes/simulate.ts'
import { swap } from './routes/swap.ts'
import { tokens } from './routes/token-report.ts'
import { liquidity, prices } from './routes/tokens.ts'
import type { Services } from './services.ts'
import { toApiError } from './translate.ts'

/** Bytes of JSON that carry 128 kB of calldata in hex and every other field. */
const MAX_BODY_BYTES = 270_000

/** An endpoint of one chain. */
type ChainEndpoint<Body> = (
  request: Request,
  chain: ChainService,
  context: RequestContext,
  config: Config,
) => Promise<Body>

export type App = {
  readonly listener: RequestListener
  /** Which addresses are proxies whose word counts. */
  readonly trusts: Trust
}

/** The whole HTTP interface over the given services; opens no port and owns no chain. */
export function createApp(services: Services, config: Config): App {
  const app = createRoutes(services, config)
  const trusts: Trust = app.get('trust proxy fn')
  const listener: RequestListener = (request, response) => {
    const context = new RequestContext(request, services.log, config.requestTimeoutMs)
    attach(context, response, () => record(endpointOf(request), request, response, context, services))
    app(request, response)
  }
  return { listener: gate({ services, version: config.errorVersion, trusts, listener }), trusts }
}

function createRoutes(services: Services, config: Config): Express {
  const app = express()
  app.set('trust proxy', config.trustProxy)
  // Every parameter is read: the limit on the target is limit enough.
  app.set('query parser', (text: string) => parseQuery(text, '&', '=', { maxKeys: 0 }))
  app.set('etag', false)
  app.disable('x-powered-by')

  const trusts: Trust = app.get('trust proxy fn')

  app.use(edge)

  const perChain = (work: ChainEndpoint<string>): RequestHandler => {
    return async (request, response) => {
      const context = contextOf(response)
      const chain: ChainService = response.locals.chain
      const asked = { caller: callerOf(request, trusts), kind: asksFor(request.originalUrl)?.kind ?? 'other' }
      const run = chain.admission.run(context.signal, asked, () => work(request, chain, context, config))
      replyJson(response, context, await context.within(run))
    }
  }
  const json = (work: ChainEndpoint<object>): RequestHandler =>
    perChain(async (...request) => JSON.stringify(await work(...request)))
  const known: RequestHandler = (request, response, next) => {
    const chain: ChainService = response.locals.chain
    const body = chain.views.recentAnswer(request.url)
    if (body === undefined) next()
    else replyJson(response, contextOf(response), body)
  }
  const allow = (methods: string): RequestHandler => {
    const error = new ApiError('METHOD_NOT_ALLOWED', `use ${methods}`)
    return (_request, response) => replyError(response, error, config.errorVersion, ['Allow', methods])
  }
  const onChain: RequestHandler = (request, response, next) => {
    const chainId = readChainId(request.params.chainId as string | undefined)
    contextOf(response).chainId = chainId
    response.locals.chain = services.chain(chainId)
    next()
  }
  const chainMap = JSON.stringify(services.registry.chainMap())
  const readBody = express.json({ limit: MAX_BODY_BYTES, strict: true })

  app.route('/aggregator/:chainId').get(onChain, json(swap)).all(allow('GET, HEAD'))
  app
    .route('/simulate/:chainId')
    .get(onChain, json(simulate))
    .post(onChain, readBody, json(simulate))
    .all(allow('GET, HEAD, POST'))
  app.route('/prices/:chainId').get(onChain, known, perChain(prices)).all(allow('GET, HEAD'))
  app.route('/liquidity/:chainId').get(onChain, known, perChain(liquidity)).all(allow('GET, HEAD'))
  app.route('/tokens/:chainId').get(onChain, json(tokens)).all(allow('GET, HEAD'))
  app
    .route('/chains')
    .get((_request, response) => reply(response, { type: 'json', body: chainMap }))
    .all(allow('GET, HEAD'))
  app.route('/health').get(health).all(allow('GET, HEAD'))
  app.route('/ready').get(ready(services)).all(allow('GET, HEAD'))
  app.route('/ready/:chainId').get(onChain, chainReady(services)).all(allow('GET, HEAD'))
  app.route('/metrics').get(metricsPage(services)).all(allow('GET, HEAD'))

  app.route('/openapi.json').get(openApi).all(allow('GET, HEAD'))
  app.route('/docs').get(docs).all(allow('GET, HEAD'))
  app.route('/docs.css').get(docsStyle).all(allow('GET, HEAD'))

  app.use(() => {
    throw new ApiError('NOT_FOUND', 'there is no such path; /openapi.json lists those that are')
  })
  app.use(errors(config))
  return app
}

/** Path pattern for labels of bounded number. */
function endpointOf(request: IncomingMessage & Partial<Pick<Request, 'route'>>): string {
  return typeof request.route?.path === 'string' ? request.route.path : 'other'
}

/** The last stop of every failure: nothing but an ApiError's own text ever reaches a caller. */
function errors(config: Config): ErrorRequestHandler {
  return (thrown: unknown, _request, response, _next) => {
    const context = contextOf(response)
    const error = toApiError(thrown, context.abortReason)
    if (error.code === 'INTERNAL') context.log.error({ err: thrown }, 'unexpected error')
    // A refusal for want of room says all in the request's own line, and comes when there is no time for more.
    else if (error.status === 502 || error.status === 504)
      context.log.warn({ err: thrown, code: error.code }, 'request failed')
    if (response.headersSent) response.destroy()
    else replyError(response, error, config.errorVersion)
  }
}

/** Paths that speak as other services do, so that an integrator tries this one by changing a base address. Opt-in: `COMPATIBLE`. */
import type { Express, Request, RequestHandler } from 'express'
import { ApiError } from '../errors.ts'
import { callerOf, type Trust } from '../http/caller.ts'
import { contextOf } from '../http/context.ts'
import { errorReply, reply, replyJson } from '../http/reply.ts'
import { readChainId } from '../requests.ts'
import type { Services } from '../services.ts'
import { answerWish, readWish } from '../swap/answer.ts'
import { toApiError } from '../translate.ts'
import type { Dialect, Query } from './dialect.ts'
import { oneInch } from './one-inch.ts'
import { zeroX } from './zero-x.ts'

const NO_ROUTE: ReadonlySet<string> = new Set([
  ...['UNKNOWN_TOKEN', 'NO_ROUTE', 'AMOUNT_TOO_SMALL', 'INSUFFICIENT_LIQUIDITY', 'ROUTE_REVERTED'],
])

export function compatiblePaths(app: Express, services: Services, trusts: Trust): void {
  const speak = (dialect: Dialect, chainId: (request: Request) => unknown): RequestHandler => {
    return async (request, response) => {
      const context = contextOf(response)
      try {
        const id = readChainId(String(chainId(request) ?? ''))
        context.chainId = id
        const chain = services.chain(id)
        const parameters = dialect.parameters(request.query as Query)
        const asked = { caller: callerOf(request, trusts), kind: 'aggregator' }
        const run = chain.admission.run(context.signal, asked, async () => {
          const wish = readWish('from' in parameters ? 'swap' : 'quote', parameters)
          const [route, gasPriceWei] = await Promise.all([answerWish(wish, chain, context), chain.live.rpc.gasPrice()])
          const facts = { chainId: id, routerAddress: chain.routerAddress, requestId: context.id, gasPriceWei }
          return dialect.body(route, facts, request.query as Query)
        })
        replyJson(response, context, JSON.stringify(await context.within(run)))
      } catch (thrown) {
        const error = toApiError(thrown, context.abortReason)
        if (error.code === 'INTERNAL') context.log.error({ err: thrown }, 'unexpected error')
        context.errorCode = error.code
        const isNone = dialect.noRoute !== undefined && NO_ROUTE.has(error.code)
        const body = isNone ? dialect.noRoute!(context.id) : dialect.error(error, context.id)
        const { headers = [] } = errorReply(error, context.id, 'B')
        reply(response, { status: isNone ? 200 : error.status, type: 'json', body: JSON.stringify(body), headers })
      }
    }
  }
  const inQuery = (request: Request) => request.query.chainId
  const inPath = (request: Request) => request.params.chainId
  app.get('/compatible/0x/swap/allowance-holder/quote', speak(zeroX('swap'), inQuery))
  app.get('/compatible/0x/swap/allowance-holder/price', speak(zeroX('quote'), inQuery))
  app.get('/compatible/1inch/swap/v6.0/:chainId/swap', speak(oneInch('swap'), inPath))
  app.get('/compatible/1inch/swap/v6.0/:chainId/quote', speak(oneInch('quote'), inPath))
  app.get('/compatible/1inch/swap/v6.0/:chainId/approve/spender', (request, response) => {
    const chain = services.chain(readChainId(request.params.chainId as string | undefined))
    reply(response, { type: 'json', body: JSON.stringify({ address: chain.routerAddress }) })
  })
  app.use('/compatible', () => {
    throw new ApiError('NOT_FOUND', 'this path is not among those of docs/compatible.md')
  })
}

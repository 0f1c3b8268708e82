/** What operators ask: is the process up, are its chains fresh, what does it count. */
import type { RequestHandler, Response } from 'express'
import { reply } from '../http/reply.ts'
import { readChainId, unsupportedChain } from '../requests.ts'
import type { ChainReadiness, Readiness } from '../responses.ts'
import type { Services } from '../services.ts'

export const health: RequestHandler = (_request, response) => {
  const body = JSON.stringify({ status: 'ok', uptimeSeconds: Math.round(process.uptime()) })
  reply(response, { type: 'json', body })
}

/**
 * Of the process: 503 before it serves and while it stops, and where none of its chains can be served. A chain that fails says
 * so here and in `/ready/{chain_id}`, and leaves the others to their callers.
 */
export function ready(services: Services): RequestHandler {
  const supported = services.registry.supportedIds().length
  return (_request, response) => {
    const chains = services.started.map((chain) => chain.status())
    const failing = chains.filter(({ state }) => state === 'failing').length
    const isReady = !services.closing && failing < supported
    const body: Readiness = {
      status: services.closing ? 'stopping' : isReady ? 'ready' : 'not ready',
      failing,
      chains: Object.fromEntries(chains.map(({ chainId, ...status }) => [chainId, status])),
    }
    replyReadiness(response, isReady, body)
  }
}

/** Of one chain. One that sleeps wakes when it is asked for, and is not asked here. */
export function chainReady(services: Services): RequestHandler {
  return (request, response) => {
    const chainId = readChainId(request.params.chainId as string | undefined)
    if (!services.supports(chainId)) throw unsupportedChain(chainId)
    const { state, ...rest } = services.known(chainId)?.status() ?? { state: 'asleep' as const }
    const isReady = !services.closing && state !== 'failing'
    const status = services.closing ? 'stopping' : isReady ? 'ready' : 'not ready'
    replyReadiness(response, isReady, { chainId, ...rest, status, state } satisfies ChainReadiness)
  }
}

function replyReadiness(response: Response, isReady: boolean, body: object): void {
  const headers = ['Cache-Control', 'no-store', ...(isReady ? [] : ['Retry-After', '1'])]
  reply(response, { status: isReady ? 200 : 503, type: 'json', body: JSON.stringify(body), headers })
}

export function metricsPage(services: Services): RequestHandler {
  return async (_request, response) => {
    const { metrics } = services
    metrics.afterwards.settle()
    for (const chain of services.started) chain.exportGauges()
    reply(response, { type: 'metrics', body: await metrics.registry.metrics() })
  }
}

/** What operators ask: is the process up, are its chains fresh, what does it count. */
import type { RequestHandler } from 'express'
import type { ChainService } from '../chain/chain-service.ts'
import { exportGauges } from '../chain/gauges.ts'
import { reply } from '../http/reply.ts'
import type { Services } from '../services.ts'

export const health: RequestHandler = (_request, response) => {
  const body = JSON.stringify({ status: 'ok', uptimeSeconds: Math.round(process.uptime()) })
  reply(response, { type: 'json', body })
}

/**
 * 503 while the process stops, or can serve no chain at all: an orchestrator takes it away then. One chain that fails is told in
 * the body, and takes nobody down.
 */
export function ready(services: Services): RequestHandler {
  return (_request, response) => {
    const chains = services.started.map((chain) => chain.status())
    const failing = chains.filter(({ state }) => state === 'failing').length
    const isReady = !services.closing && failing < services.registry.supportedIds().length
    const body = JSON.stringify({
      status: isReady ? 'ready' : 'not ready',
      chains: Object.fromEntries(chains.map(({ chainId, ...status }) => [chainId, status])),
    })
    reply(response, { status: isReady ? 200 : 503, type: 'json', body })
  }
}

/** 503 while this chain cannot be followed; one that sleeps, rests or has another clock is served. */
export function chainReady(services: Services): RequestHandler {
  return (_request, response) => {
    const { chainId, ...status } = (response.locals.chain as ChainService).status()
    const isReady = !services.closing && status.state !== 'failing'
    const body = JSON.stringify({ status: isReady ? 'ready' : 'not ready', chainId, ...status })
    reply(response, { status: isReady ? 200 : 503, type: 'json', body })
  }
}

export function metricsPage(services: Services): RequestHandler {
  return async (_request, response) => {
    const { metrics } = services
    metrics.afterwards.settle()
    for (const chain of services.started) exportGauges(chain, metrics)
    reply(response, { type: 'metrics', body: await metrics.registry.metrics() })
  }
}

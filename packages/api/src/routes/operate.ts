/** What operators ask: is the process up, are its chains fresh, what does it count. */
import type { RequestHandler } from 'express'
import { exportGauges } from '../chain/gauges.ts'
import { reply } from '../http/reply.ts'
import type { Services } from '../services.ts'

export const health: RequestHandler = (_request, response) => {
  const body = JSON.stringify({ status: 'ok', uptimeSeconds: Math.round(process.uptime()) })
  reply(response, { type: 'json', body })
}

/** 503 while a chain that is awake cannot be followed; chains asleep are not asked. */
export function ready(services: Services): RequestHandler {
  return (_request, response) => {
    const chains = services.started.map((chain) => chain.status())
    const isReady = !services.closing && chains.every(({ state }) => state !== 'failing')
    const body = JSON.stringify({
      status: isReady ? 'ready' : 'not ready',
      chains: Object.fromEntries(chains.map(({ chainId, ...status }) => [chainId, status])),
    })
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

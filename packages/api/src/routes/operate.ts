/** What operators ask: is the process up, are its chains fresh, what does it count. */
import type { RequestHandler } from 'express'
import type { Services } from '../services.ts'

export const health: RequestHandler = (_request, response) => {
  response.json({ status: 'ok', uptimeSeconds: Math.round(process.uptime()) })
}

/** 503 while a chain that is awake cannot be followed; chains asleep are not asked. */
export function ready(services: Services): RequestHandler {
  return (_request, response) => {
    const chains = services.started.map((chain) => chain.status())
    const isReady = !services.closing && chains.every(({ state }) => state !== 'failing')
    response.status(isReady ? 200 : 503).json({
      status: isReady ? 'ready' : 'not ready',
      chains: Object.fromEntries(chains.map(({ chainId, ...status }) => [chainId, status])),
    })
  }
}

export function metricsPage(services: Services): RequestHandler {
  return async (_request, response) => {
    const { metrics } = services
    for (const chain of services.started) chain.exportGauges()
    response.type(metrics.registry.contentType).send(await metrics.registry.metrics())
  }
}

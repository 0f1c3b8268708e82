/** Endpoints for operators: health, readiness, and metrics. */
import type { RequestHandler } from 'express'
import { clearChainSeries, exportGauges, exportScan } from '../chain-gauges.ts'
import { noStoreHeaders, reply } from '../http/reply.ts'
import type { ServedChain } from '../served-chain.ts'
import type { Services } from '../services.ts'

/** Always answers 200: it shows that the process runs. */
export const health: RequestHandler = (_request, response) => {
  const body = JSON.stringify({ status: 'ok', uptimeSeconds: Math.round(process.uptime()) })
  reply(response, { type: 'json', body, headers: noStoreHeaders })
}

/**
 * Answers 503 while the process shuts down, if all chains fail, or if the Redis connection is not ready, so that an
 * orchestrator sends it no requests. If only some chains fail, the body shows them but the status is 200.
 */
export function ready(services: Services): RequestHandler {
  return (_request, response) => {
    const chains = services.startedChains.map(({ liveChain }) => liveChain.status())
    const failing = chains.filter(({ state }) => state === 'failing').length
    const { scaleOut } = services
    const isServing = failing < services.registry.supportedIds().length && scaleOut?.isReady !== false
    const isReady = !services.isClosing && isServing
    const body = JSON.stringify({
      status: isReady ? 'ready' : 'not ready',
      ...(scaleOut && { bus: scaleOut.status() }),
      chains: Object.fromEntries(chains.map(({ chainId, ...status }) => [chainId, status])),
    })
    reply(response, { status: isReady ? 200 : 503, type: 'json', body, headers: noStoreHeaders })
  }
}

/**
 * Answers 503 while the chain fails or the process shuts down. A chain that is asleep, or whose blocks are late, is
 * ready.
 */
export function chainReady(services: Services): RequestHandler {
  return (_request, response) => {
    const { chainId, ...status } = (response.locals.chain as ServedChain).liveChain.status()
    const isReady = !services.isClosing && status.state !== 'failing'
    const body = JSON.stringify({ status: isReady ? 'ready' : 'not ready', chainId, ...status })
    reply(response, { status: isReady ? 200 : 503, type: 'json', body, headers: noStoreHeaders })
  }
}

/** Returns all metrics in Prometheus format. Gauges are updated at each request. */
export function metricsPage(services: Services): RequestHandler {
  return async (_request, response) => {
    const { metrics, scaleOut } = services
    metrics.backgroundQueue.flush()
    clearChainSeries(metrics)
    for (const chain of services.startedChains) exportGauges(chain, metrics)
    if (scaleOut) {
      const { state, owned } = scaleOut.status()
      metrics.bus.set({ what: 'connected' }, Number(state !== 'away'))
      metrics.bus.set({ what: 'full' }, Number(state === 'full'))
      metrics.bus.set({ what: 'owned' }, owned.length)
      for (const [chainId, scan] of scaleOut.scans) exportScan(chainId, scan, metrics)
    }
    reply(response, { type: 'metrics', body: await metrics.registry.metrics(), headers: noStoreHeaders })
  }
}

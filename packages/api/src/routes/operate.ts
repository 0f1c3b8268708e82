/** Questions of operators: is the process up, are its chains fresh, what does it count. */
import type { RequestHandler } from 'express'
import { exportGauges, exportScan } from '../chain-gauges.ts'
import { resetDrift } from '../drift-metrics.ts'
import { reply } from '../http/reply.ts'
import type { ServedChain } from '../served-chain.ts'
import type { Services } from '../services.ts'

export const health: RequestHandler = (_request, response) => {
  const body = JSON.stringify({ status: 'ok', uptimeSeconds: Math.round(process.uptime()) })
  reply(response, { type: 'json', body })
}

/**
 * 503 while the process stops, or can serve no chain at all, or has no Redis where it needs one: an orchestrator takes it away then. One chain that fails is told in
 * the body, and takes nobody down.
 */
export function ready(services: Services): RequestHandler {
  return (_request, response) => {
    const chains = services.started.map(({ live }) => live.status())
    const failing = chains.filter(({ state }) => state === 'failing').length
    const { scaleOut } = services
    const isServing = failing < services.registry.supportedIds().length && scaleOut?.isReady !== false
    const isReady = !services.closing && isServing
    const body = JSON.stringify({
      status: isReady ? 'ready' : 'not ready',
      ...(scaleOut && { bus: scaleOut.status() }),
      chains: Object.fromEntries(chains.map(({ chainId, ...status }) => [chainId, status])),
    })
    reply(response, { status: isReady ? 200 : 503, type: 'json', body })
  }
}

/** 503 while this chain cannot be followed; one that sleeps, rests or has another clock is served. */
export function chainReady(services: Services): RequestHandler {
  return (_request, response) => {
    const { chainId, ...status } = (response.locals.chain as ServedChain).live.status()
    const isReady = !services.closing && status.state !== 'failing'
    const body = JSON.stringify({ status: isReady ? 'ready' : 'not ready', chainId, ...status })
    reply(response, { status: isReady ? 200 : 503, type: 'json', body })
  }
}

export function metricsPage(services: Services): RequestHandler {
  return async (_request, response) => {
    const { metrics, scaleOut } = services
    metrics.afterwards.flush()
    resetDrift(metrics.drift)
    for (const chain of services.started) exportGauges(chain, metrics)
    if (scaleOut) {
      const { state, owned } = scaleOut.status()
      metrics.bus.set({ what: 'connected' }, Number(state !== 'away'))
      metrics.bus.set({ what: 'full' }, Number(state === 'full'))
      metrics.bus.set({ what: 'owned' }, owned.length)
      for (const [chainId, scan] of scaleOut.scans) exportScan(chainId, scan, metrics)
    }
    reply(response, { type: 'metrics', body: await metrics.registry.metrics() })
  }
}

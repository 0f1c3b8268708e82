import type { QuotingEvent, QuotingListener } from '@sluice/quoting'
import type { Metrics } from './metrics.ts'
import { countRpcEvent } from './rpc-metrics.ts'

/** Counts what happens on a chain, beside the requests and not within them. */
export function countEvents(metrics: Metrics, chain: number): QuotingListener {
  return (event) => {
    // Failures are counted at once: they are few, and looked at when all else stands still.
    if (event.kind === 'rpc-failure') metrics.rpcErrors.inc({ chain, endpoint: event.endpoint, code: event.code })
    else metrics.afterwards.add(() => count(metrics, chain, event))
  }
}

function count(metrics: Metrics, chain: number, event: Exclude<QuotingEvent, { kind: 'rpc-failure' }>): void {
  switch (event.kind) {
    case 'quote':
      return void metrics.quotes.inc({ chain, how: event.how })
    case 'rpc':
      return void countRpcEvent(metrics.rpc, chain, event.event)
    case 'trial': {
      const { outcome, shortfallPpm, optimalityGapBps } = event
      metrics.trials.inc({ chain, outcome })
      if (optimalityGapBps !== null) metrics.routeGap.observe(optimalityGapBps)
      if (shortfallPpm !== undefined) metrics.settledError.observe(Math.abs(Number(shortfallPpm)))
    }
  }
}

/** Counts events of a chain in the metrics. */
import type { QuotingEvent, QuotingListener } from '@sluice/quoting'
import type { Metrics } from './metrics.ts'
import { countRpcEvent } from './rpc-metrics.ts'

/** Returns a listener that counts a chain's events in batches, so that requests do not wait for it. */
export function countEvents(metrics: Metrics, chain: number): QuotingListener {
  return (event) => {
    // Failures are counted at once, so that they are visible even if the process is too busy to run the batches.
    if (event.kind === 'rpc-failure') metrics.rpcErrors.inc({ chain, endpoint: event.endpoint, code: event.code })
    else metrics.backgroundQueue.add(() => count(metrics, chain, event))
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
      if (shortfallPpm !== undefined) metrics.expectedOutputError.observe(Math.abs(Number(shortfallPpm)))
    }
  }
}

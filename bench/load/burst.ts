/**
 * `npm run bench -- load burst`: sends bursts of 200 different quotes, as a page with a portfolio does, to a service
 * that has just started. Compares five bursts with quotes one after the other. Every quote of a burst must succeed.
 * Results in `results/burst.json`.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { startLocalService } from '../lib/world.ts'
import { record } from '../record.ts'
import { type Answer, getRequest } from './connection.ts'
import { figuresOf, openAll } from './generator.ts'

const QUOTES = 200
const BURSTS = 5
/** Pause between bursts. */
const REST_MS = 3_000

const { service, nextPath, stop } = await startLocalService()
try {
  const connections = await openAll(service.url, QUOTES)
  const bursts = []
  for (let burst = 0; burst < BURSTS; burst++) {
    // No pause before the first burst: the service has not handled any request yet.
    if (burst > 0) await sleep(REST_MS)
    const start = performance.now()
    const answers = await Promise.all(connections.map((connection) => connection.send(getRequest(nextPath()))))
    bursts.push(figuresOf(answers, (performance.now() - start) / 1000))
  }
  const baseline: Answer[] = []
  for (let i = 0; i < QUOTES; i++) baseline.push(await connections[0]!.send(getRequest(nextPath())))
  for (const connection of connections) connection.close()
  const total = baseline.reduce((sum, { ms }) => sum + ms, 0)
  record('burst', { quotesAtOnce: QUOTES, oneAfterTheOther: figuresOf(baseline, total / 1000), bursts })
} finally {
  await stop()
}

/**
 * `npm run bench -- load overload [<seconds>]`: sends ten times the quotes that the service can process from ten callers,
 * and compares the successful ones with its maximum on 32 busy connections. The round with the median share counts.
 * Results in `results/overload.json`.
 */
import { startLocalService } from '../lib/world.ts'
import { record, rounded } from '../record.ts'
import { getRequest } from './connection.ts'
import { closedLoop, medianRound, openLoop } from './generator.ts'

const [seconds = 15] = process.argv.slice(2).map(Number)
const ROUNDS = 3
const WARM_UP = 15
const TIMES = 10
/** Addresses of the callers. */
const from = Array.from({ length: 10 }, (_, k) => `127.0.0.${k + 2}`)

const { service, nextPath, stop } = await startLocalService()
try {
  const load = { url: service.url, next: () => getRequest(nextPath()), from }
  await closedLoop({ ...load, connections: 32, seconds: WARM_UP })
  const run = async () => {
    const capacity = await closedLoop({ ...load, connections: 32, seconds: 5 })
    const rate = Math.round(capacity.perSecond * TIMES)
    const overload = await openLoop({ ...load, connections: 2_000, seconds, rate })
    return { capacity, overload, workDone: rounded(overload.perSecond / capacity.perSecond, 2) }
  }
  record('overload', { times: TIMES, ...(await medianRound(ROUNDS, run, ({ workDone }) => workDone)) })
} finally {
  await stop()
}

/**
 * `npm run bench -- load overload [<seconds>]`: requests ten times as many quotes as the service can process, from
 * ten addresses. Compares the rate of successful quotes with the capacity: the rate on 32 busy connections. Of three
 * rounds, the one with the median ratio counts. Results in `results/overload.json`.
 */
import { startLocalService } from '../lib/world.ts'
import { record, rounded } from '../record.ts'
import { getRequest } from './connection.ts'
import { closedLoop, medianRound, openLoop } from './generator.ts'

const [seconds = 15] = process.argv.slice(2).map(Number)
const ROUNDS = 3
const WARM_UP_SECONDS = 15
/** Requested rate as a multiple of the capacity. */
const OVERLOAD_FACTOR = 10
const callerAddresses = Array.from({ length: 10 }, (_, i) => `127.0.0.${i + 2}`)

const { service, nextPath, stop } = await startLocalService()
try {
  const load = { url: service.url, next: () => getRequest(nextPath()), sourceAddresses: callerAddresses }
  await closedLoop({ ...load, connections: 32, seconds: WARM_UP_SECONDS })
  const run = async () => {
    const capacity = await closedLoop({ ...load, connections: 32, seconds: 5 })
    const rate = Math.round(capacity.perSecond * OVERLOAD_FACTOR)
    const overload = await openLoop({ ...load, connections: 2_000, seconds, rate })
    return { capacity, overload, workDone: rounded(overload.perSecond / capacity.perSecond, 2) }
  }
  record('overload', { times: OVERLOAD_FACTOR, ...(await medianRound(ROUNDS, run, ({ workDone }) => workDone)) })
} finally {
  await stop()
}

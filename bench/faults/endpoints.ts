/**
 * `npm run bench -- faults [endpoints <words>]`: measures quotes over HTTP while the chain's endpoints fail. Measures
 * each kind of failure at one of two endpoints and at both, and measures without faults before and after. Words select
 * kinds of failures by their names. Results in `results/faults.json`.
 */
import { type EndpointFailure, endpointFailures, NodeProxy, setEndpointFailure } from '@sluice/devnet'
import { moveChain, type Outcome, percentile, randomPath, sendForMs } from '../lib/quotes.ts'
import { randomOf } from '../lib/random.ts'
import { startLocalService, startService } from '../lib/world.ts'
import { record, rounded } from '../record.ts'

const BASELINE_MS = 700
const FAULT_MS = 1_500
const CONCURRENCY = 6

const QUIET_ENV = { LOG_LEVEL: 'silent' }
const { devnet, service: baselineService, ...local } = await startLocalService(QUIET_ENV)
const random = randomOf(14)
const nextPath = () => randomPath(devnet, random)
const requestedNames = process.argv.slice(2)
// The kind `no overrides` comes last, because the service remembers for minutes that an endpoint lacks state overrides.
const kinds = endpointFailures(random)
  .filter(({ name }) => requestedNames.length === 0 || requestedNames.some((word) => name.includes(word)))
  .sort((a, b) => Number(a.name === 'no overrides') - Number(b.name === 'no overrides'))

/** Result of one kind of failure. The times are in milliseconds. */
type Row = {
  /** Name of the failure. */
  readonly weather: string
  /** Failing endpoints: one of the two, or both. */
  readonly struck: 'one' | 'both'
  readonly quotes: number
  readonly answeredPercent: number
  readonly p50: number
  readonly p95: number
  /** 95th percentile without faults. */
  readonly calmP95: number
  /** `p95` as a multiple of `calmP95`. */
  readonly times: number
  /** Number of failed responses, by HTTP status and error code. */
  readonly failures?: Readonly<Record<string, number>>
}

const mover = await moveChain(devnet, baselineService.url)
/** The two endpoints of the measured service, which fail in one way after the other. */
const proxies = [await NodeProxy.start(devnet.url), await NodeProxy.start(devnet.url)]
const urls = proxies.map(({ url }) => url).join()
const service = await startService({ ...local.env, ...QUIET_ENV, RPC_URL_31337: urls })
const rows: Row[] = []
try {
  await sendForMs(service.url, nextPath, CONCURRENCY, 4_000)
  for (const failure of kinds)
    for (const struck of failure.survivable ? (['one', 'both'] as const) : (['one'] as const)) {
      const row = await measure(failure, struck)
      rows.push(row)
      console.log(tableLine(row))
    }
} finally {
  await mover.stop()
  await service.stop()
  for (const proxy of proxies) await proxy.stop()
  await local.stop()
}
const worstOf = (struck: Row['struck']) => {
  const modeRows = rows.filter((row) => row.struck === struck)
  return {
    leastAnsweredPercent: Math.min(...modeRows.map(({ answeredPercent }) => answeredPercent)),
    mostTimesCalm: Math.max(...modeRows.map(({ times }) => times)),
  }
}
if (requestedNames.length === 0) record('faults', { one: worstOf('one'), both: worstOf('both'), rows })
process.exit()

/** Measures one kind of fault. The failing endpoint is first in the list. */
async function measure(failure: EndpointFailure, struck: Row['struck']): Promise<Row> {
  const baseline = await sendForMs(service.url, nextPath, CONCURRENCY, BASELINE_MS)
  for (const proxy of struck === 'one' ? [proxies[0]!] : proxies) setEndpointFailure(proxy, failure)
  const faultyOutcomes = await sendForMs(service.url, nextPath, CONCURRENCY, FAULT_MS)
  for (const proxy of proxies) setEndpointFailure(proxy)
  // Measures without faults both before and after, so that other load on the machine affects both measurements.
  return toRow(
    failure,
    struck,
    [...baseline, ...(await sendForMs(service.url, nextPath, CONCURRENCY, BASELINE_MS))],
    faultyOutcomes,
  )
}

function toRow(
  { name }: EndpointFailure,
  struck: Row['struck'],
  baseline: readonly Outcome[],
  faulty: readonly Outcome[],
): Row {
  const failures: Record<string, number> = {}
  for (const { status, body } of [...baseline, ...faulty]) {
    if (status === 200) continue
    const failureText = `${status} ${/"code":"(\w+)"/.exec(body)?.[1] ?? body.slice(0, 60)}`
    failures[failureText] = (failures[failureText] ?? 0) + 1
  }
  const answeredCount = faulty.filter(({ status }) => status === 200).length
  const [p95, calmP95] = [percentile(faulty, 0.95), percentile(baseline, 0.95)]
  return {
    weather: name,
    struck,
    quotes: faulty.length,
    answeredPercent: rounded((100 * answeredCount) / faulty.length, 2),
    p50: percentile(faulty, 0.5),
    p95,
    calmP95,
    times: rounded(p95 / calmP95),
    ...(Object.keys(failures).length > 0 && { failures }),
  }
}

function tableLine({ weather, struck, quotes, answeredPercent, p50, p95, calmP95, times, failures }: Row): string {
  const text = failures ? JSON.stringify(failures) : ''
  return `${weather.padEnd(28)} ${struck.padEnd(5)} ${String(quotes).padStart(5)} ${String(answeredPercent).padStart(6)} % p50 ${String(p50).padStart(7)} p95 ${String(p95).padStart(7)} calm ${String(calmP95).padStart(6)} × ${times} ${text}`
}

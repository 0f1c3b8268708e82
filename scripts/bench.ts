/**
 * `npm run bench -- <name> [arguments]`: runs one benchmark, prints its results, and saves them in bench/results.
 * Without a name it lists the benchmarks; bench/README.md describes them.
 */
const BENCHMARKS: Readonly<Record<string, string>> = {
  abuse: 'company/abuse.ts',
  against: 'api/against.ts',
  api: 'api/api.ts',
  'awake-chains': 'awake-chains.ts',
  bill: 'bill.ts',
  bounded: 'bounded/bench.ts',
  burst: 'company/burst.ts',
  bus: 'bus/bench.ts',
  'bus-faults': 'bus/faults.ts',
  'bus-guards': 'bus/guards.ts',
  calls: 'weather/calls.ts',
  capacity: 'capacity/bench.ts',
  certificates: 'certificates.ts',
  chains: 'chains.ts',
  'cold-start': 'cold-start.ts',
  'event-loop': 'event-loop/bench.ts',
  families: 'families.ts',
  fuzz: 'fuzz.ts',
  gas: 'gas/bench.ts',
  'gas-account': 'gas/account.ts',
  'guard-model': 'guard-model.ts',
  honesty: 'honesty/bench.ts',
  'hop-gas': 'hop-gas/bench.ts',
  inclusion: 'inclusion/bench.ts',
  invariants: 'invariants.ts',
  'least-input': 'router/least-input.ts',
  'mainnet-prices': 'mainnet-prices.ts',
  net: 'net/bench.ts',
  newcomer: 'newcomer.ts',
  outage: 'outage.ts',
  overload: 'company/overload.ts',
  pages: 'pages.ts',
  parameters: 'parameters.ts',
  peers: 'peers/bench.ts',
  'price-attacks': 'price-attacks.ts',
  pricing: 'pricing.ts',
  readability: 'readability.ts',
  reading: 'reading.ts',
  real: 'real.ts',
  referee: 'referee.ts',
  reorgs: 'weather/reorgs.ts',
  rolling: 'rolling.ts',
  router: 'router/bench.ts',
  'router-against': 'router/against.ts',
  routers: 'routers.ts',
  scale: 'router/scale.ts',
  simulate: 'simulate.ts',
  soak: 'api/soak.ts',
  strangers: 'strangers.ts',
  stream: 'streams.ts',
  sync: 'sync.ts',
  threads: 'router/threads.ts',
  verify: 'verify.ts',
  weather: 'weather/weather.ts',
}

const [name = ''] = process.argv.splice(2, 1)
const file = Object.hasOwn(BENCHMARKS, name) ? BENCHMARKS[name] : undefined
if (file) await import(`../bench/${file}`)
else {
  const names = Object.keys(BENCHMARKS).join(', ')
  console.error(
    name ? `There is no benchmark ${name}; there are ${names}.` : `npm run bench -- <name>, one of ${names}`,
  )
  process.exitCode = 1
}

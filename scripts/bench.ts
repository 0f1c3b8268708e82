/**
 * `npm run bench -- <name> [its arguments]`: one benchmark, whose figures are printed and kept under bench/results. Without
 * a name it lists them; bench/README.md tells what each measures.
 */
const BENCHMARKS: Readonly<Record<string, string>> = {
  abuse: 'company/abuse.ts',
  against: 'api/against.ts',
  api: 'api/api.ts',
  'awake-chains': 'awake-chains.ts',
  burst: 'company/burst.ts',
  calls: 'weather/calls.ts',
  chains: 'chains.ts',
  'event-loop': 'event-loop/bench.ts',
  fuzz: 'fuzz.ts',
  gas: 'gas/bench.ts',
  'hop-gas': 'hop-gas/bench.ts',
  invariants: 'invariants.ts',
  overload: 'company/overload.ts',
  parameters: 'parameters.ts',
  pricing: 'pricing.ts',
  reading: 'reading.ts',
  reorgs: 'weather/reorgs.ts',
  router: 'router/bench.ts',
  simulate: 'simulate.ts',
  soak: 'api/soak.ts',
  strangers: 'strangers.ts',
  sync: 'sync.ts',
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

/**
 * `npm run bench -- router-against -- <folder>`: time of the search alone, beside that of another checkout (one whose packages
 * are installed and built), trade by trade and in turn in one process; of each trade the shortest of many runs, which others on the
 * machine disturb least. Trades that both route alike are told apart from those that they do not. Results in `results/router-against.json`.
 */
import { execFileSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { record, rounded } from '../record.ts'
import { generate } from './generate.ts'
import * as ownRoute from './route.ts'
import * as ownScenario from './scenario.ts'
import { median, quantile } from './statistics.ts'

const [folder] = process.argv.slice(2)
if (!folder) throw new Error('npm run bench -- router-against -- <folder of the other checkout>')
const other = resolve(process.env.INIT_CWD ?? '.', folder)

type Code = Pick<typeof ownRoute, 'requestOf' | 'routeTrade' | 'scenarioGraph'> &
  Pick<typeof ownScenario, 'loadScenario'> & { readonly findRoute: (graph: never, request: never) => unknown }

const SIZES = [
  { nPools: 20, seed: 910_001, nTrades: 60 },
  { nPools: 200, seed: 920_001, nTrades: 60 },
  { nPools: 2_000, seed: 930_001, nTrades: 40 },
] as const
const GAS_PRICES = [0n, 10n ** 10n]
/** Searches of a trade by each side that are timed. */
const RUNS = 21
/** Searches of all trades by each side before: by then the engine has compiled them. */
const WARM_UP_ROUNDS = 60

const own = { ...ownRoute, ...ownScenario, ...(await import('@sluice/routing')) } as unknown as Code
const earlier = Object.assign(
  {},
  ...(await Promise.all(
    ['bench/router/route.ts', 'bench/router/scenario.ts', 'packages/routing/src/index.ts'].map(
      (file) => import(join(other, file)),
    ),
  )),
) as Code

/** A search of one side, for as often as it is wanted. */
function sideOf(code: Code, scenario: ownScenario.Scenario, gasPriceWei: bigint) {
  const loaded = code.loadScenario(scenario)
  const graph = code.scenarioGraph(loaded)
  return {
    search(trade: ownScenario.ScenarioTrade): void {
      code.findRoute(graph as never, code.requestOf(loaded, trade, gasPriceWei) as never)
    },
    routeOf(trade: ownScenario.ScenarioTrade): string {
      const { amountOut, legs } = code.routeTrade(loaded, graph, trade, gasPriceWei)
      return JSON.stringify([amountOut, legs])
    },
  }
}

/** Microseconds that it takes. */
function spent(work: () => void): number {
  const start = performance.now()
  work()
  return (performance.now() - start) * 1000
}

const figuresOf = (trades: readonly { readonly own: number; readonly earlier: number }[]) => {
  const ratios = trades.map((trade) => trade.own / trade.earlier)
  const sum = (side: 'own' | 'earlier') => trades.reduce((total, trade) => total + trade[side], 0)
  return {
    trades: trades.length,
    ratio: {
      p25: rounded(quantile(ratios, 0.25), 3),
      median: rounded(median(ratios), 3),
      p75: rounded(quantile(ratios, 0.75), 3),
    },
    totalRatio: rounded(sum('own') / sum('earlier'), 3),
    medianUs: {
      own: rounded(median(trades.map((trade) => trade.own))),
      earlier: rounded(median(trades.map((trade) => trade.earlier))),
    },
  }
}

const sizes = []
for (const size of SIZES) {
  for (const gasPriceWei of GAS_PRICES) {
    const scenario = generate({ name: 'bench', ...size })
    const sides = [sideOf(own, scenario, gasPriceWei), sideOf(earlier, scenario, gasPriceWei)] as const
    for (let round = 0; round < WARM_UP_ROUNDS; round++)
      for (const trade of scenario.trades) for (const side of sides) side.search(trade)
    const trades = scenario.trades.map((trade) => {
      const times: [number[], number[]] = [[], []]
      for (let run = 0; run < RUNS; run++) {
        // Each is first in every other run.
        for (const at of run % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const))
          times[at].push(spent(() => sides[at].search(trade)))
      }
      const [ownUs, earlierUs] = times.map((list) => Math.min(...list)) as [number, number]
      return { own: ownUs, earlier: earlierUs, alike: sides[0].routeOf(trade) === sides[1].routeOf(trade) }
    })
    sizes.push({
      pools: size.nPools,
      gasPriceGwei: Number(gasPriceWei / 10n ** 9n),
      alike: figuresOf(trades.filter(({ alike }) => alike)),
      unlike: figuresOf(trades.filter(({ alike }) => !alike)),
    })
    console.error(JSON.stringify(sizes.at(-1)))
  }
}
const git = (...args: string[]) => execFileSync('git', args, { cwd: other, encoding: 'utf8' }).trim()
record('router-against', { earlierCommit: git('rev-parse', '--short', 'HEAD'), sizes })

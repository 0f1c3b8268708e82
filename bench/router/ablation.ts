/**
 * `npm run bench -- router ablation <folder>`: compares the search of this checkout with that of another installed and
 * built checkout, request by request: routes, bounds, and work. If the other checkout lacks a heuristic, the result
 * shows what the heuristic contributes. Work is a count of operations, which the machine's load does not affect.
 * Results in `results/router-ablation.json`.
 */
import { join, resolve } from 'node:path'
import type { Snapshot } from '@sluice/liquidity'
import type { buildGraph, ExactOutputRequest, findRoute, RouteRequest, RouteResult } from '@sluice/routing'
import { drawTrade, makeMarket } from '../bounded/markets.ts'
import { snapshotOf } from '../lib/snapshot.ts'
import { record, rounded, shortCommit } from '../record.ts'
import { generate } from './generate.ts'
import { requestOf, SERVICE_LIMITS } from './route.ts'
import { loadScenario } from './scenario.ts'

const [folder] = process.argv.slice(2)
if (!folder) throw new Error('npm run bench -- router ablation <folder of the other checkout>')
const otherRoot = resolve(process.env.INIT_CWD ?? '.', folder)
const root = join(import.meta.dirname, '../..')

type RouterModules = {
  readonly buildGraph: typeof buildGraph
  readonly findRoute: typeof findRoute
  readonly WorkBudget: new () => NonNullable<Parameters<typeof findRoute>[2]>
}
type Request = RouteRequest | ExactOutputRequest
/** Requests over the pools of one market. The result has a group for each `name`. */
type RequestSet = {
  readonly snapshot: Snapshot
  readonly requests: readonly (readonly [name: string, request: Request])[]
}

const SCENARIOS = [
  { nPools: 20, count: 6, nTrades: 60 },
  { nPools: 200, count: 4, nTrades: 60 },
  { nPools: 2_000, count: 1, nTrades: 60 },
]
const SEED = 700_000
const GAS_PRICES = [0n, 10n ** 9n, 10n ** 10n]
const MARKETS = 400
/** Gas of a typical route. */
const TYPICAL_GAS = 300_000
/** Gas prices of the requests, expressed as the cost of `TYPICAL_GAS` divided by the value of the trade. */
const GAS_SHARES = [0, 0.0001, 0.003, 0.02]
const RESTRICTIONS = [
  { maxSplits: 1 },
  { maxSplits: 2 },
  { maxSplits: 3 },
  { maxSplits: 5 },
  { maxHops: 2 },
  { maxHops: 3 },
]
const BPS = 10_000
/** Maximum difference in basis points of routes that count as equal. */
const EQUAL_BPS = 0.5
/** Maximum number of base units by which rounding changes an amount. */
const ROUNDED_UNITS = 2
/**
 * Maximum price impact as a fraction. Trades with more impact are left out, because the service rejects them by
 * default.
 */
const MAX_IMPACT = 0.2

function* drawRequestSets(): Generator<RequestSet> {
  for (const { nPools, count, nTrades } of SCENARIOS)
    for (let index = 0; index < count; index++) {
      const scenario = generate({ name: 'ablation', nPools, nTrades, seed: SEED + nPools + index })
      const loadedScenario = loadScenario(scenario)
      const requests = scenario.trades.flatMap((trade, index) => [
        ...GAS_PRICES.map(
          (gasPriceWei) => ['pools', requestOf(loadedScenario, trade, gasPriceWei, SERVICE_LIMITS)] as const,
        ),
        [
          'narrow',
          { ...requestOf(loadedScenario, trade, 0n, SERVICE_LIMITS), ...RESTRICTIONS[index % RESTRICTIONS.length] },
        ] as const,
      ])
      yield {
        snapshot: loadedScenario.snapshot,
        requests: requests.map(([name, request]) => [`${nPools} ${name}`, request]),
      }
    }
  for (let index = 0; index < MARKETS; index++) {
    const market = makeMarket(SEED + index)
    const { tokenIn, tokenOut, amountIn } = drawTrade(market, 0)
    const valueOfToken = (token: typeof tokenIn) => market.values[market.tokens.indexOf(token)]!
    const tradeValue = Number(amountIn) * valueOfToken(tokenIn)
    const commonFields = { tokenIn, tokenOut, wrappedNative: market.tokens[0]! }
    const gasPrices = GAS_SHARES.map((share) =>
      BigInt(Math.floor((share * tradeValue) / (TYPICAL_GAS * market.values[0]!))),
    )
    const amountOut = BigInt(Math.floor((0.9 * tradeValue) / valueOfToken(tokenOut)))
    const name = market.pricesDisagree ? 'disagreeing market' : 'fair market'
    const inputs = [...new Set(gasPrices)].map(
      (gasPriceWei) => [name, { ...commonFields, amountIn, gasPriceWei }] as const,
    )
    const outputs = amountOut > 0n ? [['exact output', { ...commonFields, amountOut, gasPriceWei: 0n }] as const] : []
    yield { snapshot: snapshotOf(market.pools), requests: [...inputs, ...outputs] }
  }
}

async function importRouter(checkout: string): Promise<RouterModules> {
  const files = ['packages/routing/src/index.ts', 'packages/routing/src/problem/budget.ts']
  return Object.assign({}, ...(await Promise.all(files.map((file) => import(join(checkout, file)))))) as RouterModules
}

/** Result of a request with its counted work. */
type Outcome = { readonly result: RouteResult; readonly work: number }

function outcomeOf(
  { findRoute, WorkBudget }: RouterModules,
  graph: ReturnType<typeof buildGraph>,
  request: Request,
): Outcome {
  const budget = new WorkBudget()
  const budgetBefore = budget.remaining
  return { result: findRoute(graph, request, budget), work: budgetBefore - budget.remaining }
}

/**
 * Returns the loss of the other checkout's route compared with this checkout's route. For an exact input, the loss is
 * in output after gas. For an exact output, it is the additional input. Unit: basis points of the amount of this
 * checkout's route. Negative if this checkout's route is worse; null if the price impact is too large.
 */
function lossOf(request: Request, ownResult: RouteResult, otherResult: RouteResult): number | null {
  if (!ownResult.ok || !otherResult.ok) return ownResult.ok === otherResult.ok ? 0 : ownResult.ok ? BPS : -BPS
  const { amountIn, amountOut, midAmountOut, gasCostOut } = ownResult.route
  if (1 - Number(amountOut) / Number(midAmountOut ?? amountOut) > MAX_IMPACT) return null
  if ('amountOut' in request) return (Number(otherResult.route.amountIn) / Number(amountIn) - 1) * BPS
  const netGain =
    Number(amountOut) -
    Number(gasCostOut) -
    (Number(otherResult.route.amountOut) - Number(otherResult.route.gasCostOut))
  const roundingBps = (ROUNDED_UNITS / Number(amountOut)) * BPS
  const loss = (netGain / Number(amountOut)) * BPS
  return Math.abs(loss) > roundingBps ? loss : 0
}

type Tally = {
  requests: number
  /** Number of requests for which the other checkout has the worse route. */
  worse: number
  better: number
  worstBps: number
  /** Work of this checkout. */
  ownWork: number
  /** Work of the other checkout. */
  otherWork: number
  /** Number of requests for which the distance between route and bound is larger in the other checkout. */
  wider: number
}
const tallyByName: Record<string, Tally> = {}
const [ownRouter, otherRouter] = await Promise.all([importRouter(root), importRouter(otherRoot)])
for (const { snapshot, requests } of drawRequestSets()) {
  const graphs = [ownRouter, otherRouter].map(({ buildGraph }) => buildGraph(snapshot))
  for (const [name, request] of requests) {
    const ownOutcome = outcomeOf(ownRouter, graphs[0]!, request)
    const otherOutcome = outcomeOf(otherRouter, graphs[1]!, request)
    tallyByName[name] ??= { requests: 0, worse: 0, better: 0, worstBps: 0, ownWork: 0, otherWork: 0, wider: 0 }
    const tally = tallyByName[name]
    tally.ownWork += ownOutcome.work
    tally.otherWork += otherOutcome.work
    const loss = lossOf(request, ownOutcome.result, otherOutcome.result)
    if (loss === null) continue
    tally.requests++
    if (loss > EQUAL_BPS) tally.worse++
    if (loss < -EQUAL_BPS) tally.better++
    tally.worstBps = Math.max(tally.worstBps, rounded(loss, 2))
    const gapOf = ({ result }: Outcome) => (result.ok ? (result.route.optimalityGapNetBps ?? BPS) : 0)
    if (gapOf(otherOutcome) > gapOf(ownOutcome) + EQUAL_BPS) tally.wider++
  }
}
record('router-ablation', {
  otherCommit: shortCommit(otherRoot),
  sets: Object.entries(tallyByName).map(([name, { ownWork, otherWork, ...tally }]) => ({
    name,
    ...tally,
    workRatio: rounded(otherWork / ownWork, 4),
  })),
})

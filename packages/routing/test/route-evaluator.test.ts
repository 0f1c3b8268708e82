/** Outputs and minimum inputs of routes without building legs, compared with full settlements. */
import type { Pool } from '@sluice/liquidity'
import { expect, test } from 'vitest'
import { solveBackwards } from '../src/exact/backward-solve.ts'
import { RouteEvaluator } from '../src/exact/route-evaluator.ts'
import { LegRefused, type SettlementCache, settle } from '../src/exact/settle.ts'
import { sharesOf } from '../src/exact/shares.ts'
import { buildGraph } from '../src/graph/build-graph.ts'
import { WorkBudget } from '../src/problem/budget.ts'
import { NO_LEARNED_GAS } from '../src/problem/edge-gas.ts'
import { Admission, newSoftenings, type Problem } from '../src/problem/problem.ts'
import { search } from '../src/search.ts'
import type { Flow } from '../src/solver/flow.ts'
import type { RouteRequest } from '../src/types.ts'
import { E18, fairPools, pair, request, seeded, snapshotOf, token } from './graphs.ts'
import { kinds } from './wide-pools.ts'

const RUNS = process.env.LONG ? 3_000 : 150
const COARSE = 10n ** 12n

/** Pairs whose prices agree; every third token has few units. */
function coarsePools(seed: number): readonly Pool[] {
  return fairPools(seed, 6 + (seed % 25), 4 + (seed % 4)).map(({ state, tokens }, index) => {
    const [a, b] = [0, 1].map((side) => Number(tokens[side]) - 0x1000)
    const cut = (reserve: bigint, index: number) => (index % 3 === seed % 3 ? reserve / COARSE + 1n : reserve)
    return pair(index + 1, { a: a!, b: b!, reserveA: cut(state.reserve0, a!), reserveB: cut(state.reserve1, b!) })
  })
}

const widePools = (seed: number): readonly Pool[] => [
  { ...kinds.stable([1, 2, 3], [300_000n * E18, 310_000n * E18, 290_000n * E18]), id: 'stable' },
  ...fairPools(seed, 8, 4),
]

/** A request's best route before settlement. */
function searchFor(pools: readonly Pool[], req: RouteRequest): { problem: Problem; flow: Flow } | null {
  const graph = buildGraph(snapshotOf(pools))
  const { tokenIndex, hasWidePools, scratch } = graph.topology
  const [sold, bought] = [tokenIndex.get(req.tokenIn), tokenIndex.get(req.tokenOut)]
  if (sold === undefined || bought === undefined) return null
  const { source, target, rate, rateBack, adjustedCurves, outputFactors } = new Admission(graph, req, sold, bought)
  const problem: Problem = {
    graph,
    requestTokens: req,
    source,
    target,
    amountIn: Number(req.amountIn),
    maxHops: 4,
    maxPools: 24,
    isSinglePath: false,
    mayReusePools: hasWidePools,
    rate,
    rateBack,
    adjustedCurves,
    outputFactors,
    ...NO_LEARNED_GAS,
    costPerGas: 0,
    costPerLeg: 0,
    maxAlternatives: 0,
    budget: new WorkBudget(),
    softenings: newSoftenings(),
  }
  const result = scratch.within(() => search(problem))
  return result && { problem, flow: result.flow }
}

function drawnRequest(random: () => number): RouteRequest {
  const ppm = () => Math.floor(random() * 60_000)
  const usual = { buyPpm: ppm(), sellPpm: ppm(), transferPpm: 0 }
  const taxes = new Map([token(1), token(2)].map((taxed) => [taxed, { usual, inPool: new Map() }]))
  return request({ amountIn: BigInt(Math.ceil(10 ** (6 + 16 * random()))), ...(random() < 0.3 && { taxes }) })
}

test('outputs equal those of settlements, and minimum inputs are minimal', () => {
  const counts = { evaluated: 0, minimal: 0, divided: 0 }
  for (let run = 1; run <= RUNS; run++) {
    const random = seeded(run)
    const req = drawnRequest(random)
    const result = searchFor(run % 3 === 0 ? widePools(run) : coarsePools(run), req)
    if (!result) continue
    const { problem, flow } = result
    const { amountIn, taxes } = req
    const cache: SettlementCache = { shares: sharesOf(problem, flow), settledLegs: new Map(), fixedInputs: null }
    const settleAt = (amount: bigint) => settle(problem, flow, amount, taxes, cache)
    const pays = (amount: bigint) => (amount > 0n ? settledOr(0n, () => settleAt(amount).amountOut) : 0n)
    const first = settledOr(null, () => settleAt(amountIn))
    if (!first || first.amountOut === 0n) continue
    const ownCache: SettlementCache = { ...cache, settledLegs: new Map() }
    const output = new RouteEvaluator(problem, ownCache, first, taxes)
    const expectSame = (amount: bigint) => {
      const evaluated = output.outputAt(amount)
      if (evaluated === null) return
      expect(evaluated, `run ${run}, ${amount}`).toBe(pays(amount))
      counts.evaluated++
    }
    const near = (part: number) => amountIn - BigInt(Math.floor(Number(amountIn) * part * random()))
    for (const part of [0, 0.9, 1e-3, 1e-6]) expectSame(near(part))
    cache.fixedInputs = ownCache.fixedInputs = new Map(first.edges.map((edge, k) => [edge, first.legs[k]!.amountIn]))
    for (const part of [0, 1e-3, 1e-6]) expectSame(near(part))

    const required = first.amountOut - (first.amountOut * BigInt(Math.floor(random() * 1e3))) / 10_000_000n
    const minimal = solveBackwards(
      output,
      { amountIn, amountOut: pays(amountIn) },
      required,
      flow.amountOut / Number(amountIn),
    )
    if (minimal === null) continue
    expect(pays(minimal), `run ${run}`).toBeGreaterThanOrEqual(required)
    expect(pays(minimal - 1n), `run ${run}`).toBeLessThan(required)
    counts.minimal++
    if (flow.edges.length > flow.hops) counts.divided++
  }
  expect(counts.evaluated).toBeGreaterThan(RUNS * 3)
  expect(counts.minimal).toBeGreaterThan(RUNS / 2)
  expect(counts.divided).toBeGreaterThan(RUNS / 5)
})

function settledOr<T, U>(otherwise: U, run: () => T): T | U {
  try {
    return run()
  } catch (error) {
    if (error instanceof LegRefused) return otherwise
    throw error
  }
}

/** Random requests over the local chain's pools of all families. Each must end, and keep its limits and filters. */
import { type Address, type Chain, toAddress } from '@sluice/chains'
import { type Devnet, devnetChain, startDevnet } from '@sluice/devnet'
import { createMarket, type Snapshot } from '@sluice/liquidity'
import { createRpc } from '@sluice/rpc'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findRoute } from '../src/find-route.ts'
import { buildGraph } from '../src/graph/build-graph.ts'
import type { Graph } from '../src/graph/graph.ts'
import { WorkBudget } from '../src/problem/budget.ts'
import { seeded } from './graphs.ts'
import { drawRequest, expectValid, netOf } from './random-requests.ts'

const RUNS = process.env.LONG ? 20_000 : 100
/** Requests with a low work limit, of which about a quarter reach it. */
const LIMITED_RUNS = process.env.LONG ? 5_000 : 80

let devnet: Devnet
let tokens: readonly Address[]
let wrappedNative: Address | null
let snapshot: Snapshot
let graph: Graph
beforeAll(async () => {
  devnet = await startDevnet()
  const rpc = createRpc({ chainId: devnet.chainId, urls: [devnet.url] })
  const text = JSON.stringify(devnetChain(devnet.info, devnet.url))
  const chain: Chain = JSON.parse(text.replace(/"0x[0-9a-fA-F]{40}"/g, (address) => address.toLowerCase()))
  const market = createMarket({ chain, rpc })
  tokens = Object.values(devnet.info.tokens).map(({ address }) => toAddress(address))
  wrappedNative = chain.wrappedNative?.address ?? null
  snapshot = await market.ensure(tokens)
  graph = buildGraph(snapshot)
  await market.stop()
  rpc.close()
})
afterAll(() => devnet?.stop())

test('all parameters in combination', { timeout: 3_600_000 }, () => {
  const pools = [...snapshot.pools.values()]
  expect(new Set(pools.map(({ family }) => family)).size).toBeGreaterThan(8)
  let routed = 0
  let cut = 0
  for (let run = 1; run <= RUNS; run++) {
    const req = drawRequest(seeded(run), { pools, tokens }, wrappedNative)
    const budget = new WorkBudget()
    const result = findRoute(graph, req, budget)
    if (budget.hasRunOut) cut++
    if (!result.ok) continue
    routed++
    try {
      expectValid(result.route, req)
      const path = findRoute(graph, { ...req, maxSplits: 1, maxHops: 1 })
      // 0.1 bps: the search does not know about a wrap that legs share.
      const alone = path.ok ? netOf(path.route) : Number.NEGATIVE_INFINITY
      expect(netOf(result.route)).toBeGreaterThanOrEqual(alone - Math.abs(alone) * 1e-5 - 1)
    } catch (error) {
      throw new Error(`run ${run}`, { cause: error })
    }
  }
  expect(routed).toBeGreaterThan(RUNS / 3)
  // Amounts beyond all liquidity, for which many allocations search the largest routable amount.
  expect(cut).toBeLessThanOrEqual(RUNS / 100)
})

test('with a low work limit the route is worse but valid and deterministic', () => {
  const pools = [...snapshot.pools.values()]
  let cut = 0
  for (let run = 1; run <= LIMITED_RUNS; run++) {
    const req = drawRequest(seeded(run), { pools, tokens }, wrappedNative)
    const limit = 10 ** (3 + 3 * seeded(run + 1)())
    const [first, second] = [1, 2].map(() => {
      const budget = new WorkBudget(limit)
      try {
        return { result: findRoute(graph, req, budget), cut: budget.hasRunOut }
      } catch (error) {
        return { code: (error as { code?: string }).code, cut: budget.hasRunOut }
      }
    })
    expect(first).toEqual(second)
    const withLimit = () => findRoute(graph, { ...req, work: limit })
    if (first!.code !== undefined) expect(withLimit).toThrow(expect.objectContaining({ code: first!.code }))
    else expect(withLimit()).toEqual(first!.result)
    if (first!.cut) cut++
    if (first!.code !== undefined) expect(first!.code).toBe('WORK_SPENT')
    else if (first!.result!.ok) expectValid(first!.result!.route, req)
    else expect(first!.cut || !findRoute(graph, req).ok).toBe(true)
  }
  expect(cut).toBeGreaterThan(10)
})

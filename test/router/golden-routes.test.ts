/**
 * Compares routes of the generated scenarios with recorded ones, like the test of the same name in packages/routing.
 */
import { findRoute, type RouteRequest } from '@sluice/routing'
import { digestOf, goldenLines } from '@sluice/routing/testing'
import { expect, test } from 'vitest'
import { generate } from '../../bench/router/generate.ts'
import { requestOf, SERVICE_LIMITS, scenarioGraph } from '../../bench/router/route.ts'
import { loadScenario } from '../../bench/router/scenario.ts'

const GWEI = 10n ** 9n
const FREE = { maxHops: 8, maxSplits: 1_000 }
const NARROW = { maxHops: 2, maxSplits: 3 }
type Kind = { readonly gasPriceWei: bigint; readonly limits: typeof FREE; readonly more?: Partial<RouteRequest> }
const without = (id: string) => ({ sources: { exclude: new Set([id]) } })

const kinds: Readonly<Record<string, Kind>> = {
  'no gas, no limits': { gasPriceWei: 0n, limits: FREE },
  'no gas, as served': { gasPriceWei: 0n, limits: SERVICE_LIMITS },
  '1 gwei, no limits': { gasPriceWei: GWEI, limits: FREE },
  '10 gwei, as served': { gasPriceWei: 10n * GWEI, limits: SERVICE_LIMITS },
  '10 gwei, three pools': { gasPriceWei: 10n * GWEI, limits: NARROW },
  '10 gwei, no concentrated liquidity': { gasPriceWei: 10n * GWEI, limits: SERVICE_LIMITS, more: without('v3') },
  '50 gwei, calldata': { gasPriceWei: 50n * GWEI, limits: SERVICE_LIMITS, more: { l1FeePerByteWei: 1e11 } },
}

test.each([
  { nPools: 20, seed: 11, nTrades: 24 },
  { nPools: 200, seed: 12, nTrades: 24 },
  { nPools: 2_000, seed: 13, nTrades: 12 },
])('$nPools pools of seed $seed', async (size) => {
  const scenario = generate({ name: 'golden', ...size })
  const loaded = loadScenario(scenario)
  const graph = scenarioGraph(loaded)
  const groups = Object.entries(kinds).map(([name, { gasPriceWei, limits, more }]) =>
    goldenLines(
      name,
      scenario.trades.map((trade) => {
        const request = { ...requestOf(loaded, trade, gasPriceWei, limits), ...more }
        return digestOf(findRoute(graph, request), request)
      }),
    ),
  )
  await expect(groups.join('')).toMatchFileSnapshot(`goldens/${size.nPools}.txt`)
})

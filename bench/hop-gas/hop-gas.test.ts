import { GAS_TABLE, ROUTE_GAS } from '@sluice/liquidity'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startLocal, type World } from '../../packages/liquidity/test/fuzz/world.ts'
import { fit, routeGas, sample } from './measure.ts'
import { errorsOf, predict } from './predict.ts'

/** The table also knows Ethereum's tokens, some of which are proxies; these are the local chain's plain ones. */
const TOLERANCE = 0.2

let world: World
beforeAll(async () => {
  world = await startLocal()
})
afterAll(() => world?.stop())

test('the table agrees with fresh swaps through Guard, Executor and pools', async () => {
  const { swaps, pairs } = await sample(world, 77, 4)
  const route = routeGas(pairs)
  const fresh = fit(swaps, route)
  expect(Math.abs(route / ROUTE_GAS - 1)).toBeLessThan(TOLERANCE)
  for (const family of ['uniswap-v2', 'uniswap-v3', 'uniswap-v4', 'curve-stable', 'balancer-v2'] as const) {
    const off = fresh.get(family)!.hop / GAS_TABLE[family].hop - 1
    console.info(`${family}: table ${GAS_TABLE[family].hop}, fresh ${fresh.get(family)!.hop}`)
    expect(Math.abs(off), family).toBeLessThan(TOLERANCE)
  }
})

test('what the table says of routes is within 15 % of what senders are charged, half the time at least', async () => {
  const rows = new Map(Object.entries(GAS_TABLE))
  const errors = errorsOf(await predict(world, { route: ROUTE_GAS, rows }, 40, 78))
  console.info(`off by, in per cent: ${JSON.stringify(errors)}`)
  expect(errors.routes).toBe(40)
  expect(errors.absoluteMedian).toBeLessThan(15)
})

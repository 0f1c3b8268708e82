/**
 * Tests the accuracy of the gas table and of refunds.
 *
 * @module-tag long
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startLocal, type World } from '@sluice/liquidity/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { errorsOf } from '../../bench/gas/hop/errors.ts'
import type { GasFile } from '../../bench/gas/hop/fit.ts'
import { observePools, observeRandomRoutes, warmUpChain } from '../../bench/gas/hop/observe.ts'
import { approveAll } from '../../bench/gas/hop/swap.ts'

const FILE = join(import.meta.dirname, '../../packages/liquidity/src/dexes/common/gas.generated.json')

/** Number of random routes sent before the measured ones. */
const WARM_UP_ROUTES = process.env.LONG ? 120 : 20
let world: World
beforeAll(async () => {
  world = await startLocal()
  await approveAll(world)
  await warmUpChain(world, 77, WARM_UP_ROUTES)
})
afterAll(() => world?.stop())

/** Number of routes to send, for the table and for refunds. */
const ROUTES = process.env.LONG ? 15 : 8
const REFUNDED = process.env.LONG ? 10 : 5
/** Timeout in milliseconds for some hundred transactions on a busy machine. */
const LONG = 300_000

test(
  'the gas table is within 10 % of the charged gas for at least half of the routes, of one pool and of many',
  async () => {
    const table = JSON.parse(readFileSync(FILE, 'utf8')) as GasFile
    const [alone, routes] = [await observePools(world), await observeRandomRoutes(world, ROUTES, 78)]
    expect(alone.length).toBeGreaterThan(60)
    expect(routes.length).toBe(ROUTES)
    for (const samples of [alone, routes]) {
      const errors = errorsOf(samples, table)
      console.info(`off by, in per cent: ${JSON.stringify(errors)}`)
      expect(errors.absoluteMedian).toBeLessThan(10)
    }
  },
  LONG,
)

test(
  'gas before refunds is the charged gas plus the refund',
  async () => {
    for (const { gross, charged } of await observeRandomRoutes(world, REFUNDED, 79)) {
      expect(gross).toBeGreaterThanOrEqual(charged)
      // EIP-3529. Differences between block and simulation, such as an oracle's slot, are at most 2 %
      // (docs/honesty.md).
      expect(gross - charged).toBeLessThanOrEqual(gross / 5 + gross / 50)
    }
  },
  LONG,
)

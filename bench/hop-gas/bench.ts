/**
 * `npm run measure:gas`: swaps through the real Guard, Executor and pools of the local chain and of Ethereum's real state, and
 * writes what a hop of each family costs into the table that the router uses. Rows of families that do not run here stay as
 * they are. How far off the table is for routes of the router goes to `results/hop-gas.json`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { GasRow } from '@sluice/liquidity'
import { startEthereum, startLocal } from '../../packages/liquidity/test/fuzz/world.ts'
import { record } from '../record.ts'
import { fit, routeGas, type Samples, sample } from './measure.ts'
import { errorsOf, predict } from './predict.ts'

const FILE = join(import.meta.dirname, '../../packages/liquidity/src/dexes/common/gas.generated.json')
const ROUTES = 120

const worlds = [await startLocal(), await startEthereum()]
const samples: Samples[] = []
for (const world of worlds) samples.push(await sample(world, 1))

const old = JSON.parse(readFileSync(FILE, 'utf8')) as { families: Record<string, GasRow> }
const route = routeGas(samples.flatMap(({ pairs }) => pairs))
const measured = fit(
  samples.flatMap(({ swaps }) => swaps),
  route,
)
const families = Object.fromEntries(Object.entries(old.families).map(([id, row]) => [id, measured.get(id) ?? row]))
writeFileSync(FILE, `${JSON.stringify({ route, families }, null, 2)}\n`)

const errorPercent: Record<string, object> = {}
for (const world of worlds) {
  const rows = new Map(Object.entries(families))
  errorPercent[world.name] = errorsOf(await predict(world, { route, rows }, ROUTES, 2))
  await world.stop()
}
record('hop-gas', {
  route,
  families,
  swaps: samples.reduce((sum, { swaps }) => sum + swaps.length, 0),
  reverted: samples.reduce((sum, { reverted }) => sum + reverted, 0),
  errorPercent,
})

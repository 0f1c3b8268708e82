/**
 * `npm run measure:gas`: measures the gas of routes through Guard, Executor, and pools of the local chain and of
 * recorded Ethereum state. Fits the router's gas table to it. Families without pools there keep their rows. Writes the
 * table's errors for other routes to `results/hop-gas.json`. Keeps the previous table with `--check`, or if the fitted
 * table has larger errors.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startEthereum, startLocal, type World } from '@sluice/liquidity/testing'
import { record } from '../record.ts'
import { errorsOf, learnedErrorsOf } from './hop/errors.ts'
import { fitTable, type GasFile } from './hop/fit.ts'
import { type ObservedRoute, observePools, observeRandomRoutes, warmUpChain } from './hop/observe.ts'
import { approveAll } from './hop/swap.ts'

const FILE = join(import.meta.dirname, '../../packages/liquidity/src/dexes/common/gas.generated.json')
/** Number of random routes of each world to which the table is fitted. */
const FITTED_SAMPLES = 300
/** Number of routes of each world on which the table is tested: a number on the command line, or 1,000. */
const SAMPLES = Number(process.argv.find((argument) => /^\d+$/.test(argument)) ?? 1_000)

const isCheck = process.argv.includes('--check')
const worlds: World[] = []
for (const start of [startEthereum, startLocal]) worlds.push(await start())
for (const world of worlds) {
  await approveAll(world)
  await warmUpChain(world, 1)
}
const previousTable = JSON.parse(readFileSync(FILE, 'utf8')) as GasFile
let table = previousTable
if (!isCheck) {
  const samples: ObservedRoute[] = []
  for (const world of worlds)
    samples.push(...(await observePools(world)), ...(await observeRandomRoutes(world, FITTED_SAMPLES, 2)))
  table = fitTable(samples, previousTable)
}
const otherRoutes: ObservedRoute[] = []
const errorPercent: Record<string, object> = {}
const learnedErrorPercent: Record<string, object> = {}
for (const world of worlds) {
  const samples = await observeRandomRoutes(world, SAMPLES, 3)
  otherRoutes.push(...samples)
  errorPercent[world.name] = errorsOf(samples, table)
  learnedErrorPercent[world.name] = learnedErrorsOf(samples)
  console.error(
    world.name,
    errorPercent[world.name],
    'before',
    errorsOf(samples, previousTable),
    learnedErrorPercent[world.name],
  )
  await world.stop()
}
const [newErrors, previousErrors] = [errorsOf(otherRoutes, table), errorsOf(otherRoutes, previousTable)]
if (
  isCheck ||
  (newErrors.absoluteMedian <= previousErrors.absoluteMedian && newErrors.absoluteP90 <= previousErrors.absoluteP90)
) {
  if (!isCheck) writeFileSync(FILE, `${JSON.stringify(table, null, 2)}\n`)
  record('hop-gas', { ...table, errorPercent, learnedErrorPercent })
} else {
  console.error('kept the previous table, because the fitted one has larger errors')
  process.exitCode = 1
}

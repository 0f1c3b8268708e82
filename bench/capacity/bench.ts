/**
 * `npm run bench -- capacity`: the model of docs/scaling.md, and a fleet of the size that it asks for under the load that it was asked for,
 * request by request. Made of numbers alone: the same on every machine. Results in `results/capacity.json`.
 */
import { record } from '../record.ts'
import { COEFFICIENTS, LOADS, planOf } from './plan.ts'
import { simulate } from './simulate.ts'

const SECONDS = 20
const SEEDS = [1, 2, 3]

const loads = Object.entries(LOADS).map(([name, load]) => {
  const plan = planOf(load)
  const outcomes = SEEDS.map((seed) => simulate(load, plan.workers, SECONDS, seed))
  // The unluckiest of the seeds.
  const worst = outcomes.reduce((a, b) => (b.latencyMs.p99 > a.latencyMs.p99 ? b : a))
  return { name, load, plan, simulated: worst }
})
const twoDigits = (_: string, value: unknown) => (typeof value === 'number' ? Number(value.toPrecision(3)) : value)
record('capacity', JSON.parse(JSON.stringify({ coefficients: COEFFICIENTS, seconds: SECONDS, loads }, twoDigits)))

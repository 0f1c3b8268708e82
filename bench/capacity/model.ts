/**
 * `npm run bench -- capacity`: computes the size of a fleet by the model of docs/scaling.md, and simulates this fleet
 * under its load, request by request. Measures nothing, so results are equal on every machine. Results in
 * `results/capacity.json`.
 */
import { record } from '../record.ts'
import { COEFFICIENTS, LOADS, planOf } from './plan.ts'
import { simulate } from './simulate.ts'

const SECONDS = 20
const SEEDS = [1, 2, 3]

const loads = Object.entries(LOADS).map(([name, load]) => {
  const plan = planOf(load)
  const outcomes = SEEDS.map((seed) => simulate(load, plan.workers, SECONDS, seed))
  // Uses the outcome with the longest latency.
  const worstOutcome = outcomes.reduce((a, b) => (b.latencyMs.p99 > a.latencyMs.p99 ? b : a))
  return { name, load, plan, simulated: worstOutcome }
})
const twoDigits = (_: string, value: unknown) => (typeof value === 'number' ? Number(value.toPrecision(3)) : value)
record('capacity', JSON.parse(JSON.stringify({ coefficients: COEFFICIENTS, seconds: SECONDS, loads }, twoDigits)))

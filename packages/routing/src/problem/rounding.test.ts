/** Tests the bounds on what rounding gains. */
import { expect, test } from 'vitest'
import { NO_LEARNED_GAS } from './edge-gas.ts'
import type { Problem } from './problem.ts'
import { roundingOfPool, roundingOfTaxes } from './rounding.ts'

const SOURCE = 0
const TARGET = 1
type Curve = { readonly keepIn: number; readonly keepOut: number }

/** A problem with parallel edges from the source to the target, and taxed curves of the edges. */
function problemOf(families: readonly string[], taxedCurves: ReadonlyMap<number, Curve> = new Map()): Problem {
  return {
    ...NO_LEARNED_GAS,
    graph: {
      edges: families.map((family) => ({ pool: { family }, curve: { keepIn: 0.99, keepOut: 1 } })),
      topology: { from: families.map(() => SOURCE), to: families.map(() => TARGET) },
    },
    ...{ source: SOURCE, target: TARGET, rate: families.map(() => 2) },
    ...{ adjustedCurves: taxedCurves, outputFactors: new Map() },
  } as unknown as Problem
}

test('a swap gains at most one unit of input and one of output, unless its family rounds against the trader', () => {
  const problem = problemOf(['balancer-v1', 'uniswap-v3'])
  expect(roundingOfPool(problem, 0, 3, 2)).toBe(5)
  expect(roundingOfPool(problem, 1, 3, 2)).toBe(0)
  // The rate is 2, so at these prices the pool does not trade.
  expect(roundingOfPool(problem, 0, 5, 2)).toBe(0)
})

test('one unit that a taxed pool receives is more than one unit of the sender', () => {
  const taxed = problemOf(['balancer-v1'], new Map([[0, { keepIn: 0.99 * 0.8, keepOut: 1 }]]))
  expect(roundingOfPool(taxed, 0, 3, 2)).toBeCloseTo(3 / 0.8 + 2, 12)
})

test('each taxed leg out of the source gains a unit before its tax, and each into the target a unit of output', () => {
  const families = ['uniswap-v2', 'uniswap-v2', 'uniswap-v2']
  const sold = { keepIn: 0.99 * 0.5, keepOut: 1 }
  const bought = { keepIn: 0.99, keepOut: 0.5 }
  const roundingOf = (curves: readonly (Curve | undefined)[], maxEdges = 9) => {
    const taxedCurves = new Map(curves.flatMap((curve, edge) => (curve ? [[edge, curve] as const] : [])))
    return roundingOfTaxes(problemOf(families, taxedCurves), taxedCurves.keys(), maxEdges, 4)
  }
  expect(roundingOf([])).toBe(0)
  expect(roundingOf([sold, undefined, sold])).toBeCloseTo(2 * (4 / 0.5), 12)
  expect(roundingOf([sold, bought, bought])).toBeCloseTo(4 / 0.5 + 2, 12)
  expect(roundingOf([bought, bought, bought], 2)).toBe(2)
})

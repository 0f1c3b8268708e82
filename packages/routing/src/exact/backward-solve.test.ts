/** Tests the backward solution of a route against the inverse of its pools, which the test computes itself. */

import { expect, test } from 'vitest'
import { compileCurve } from '../graph/price-curve.ts'
import { solveBackwards } from './backward-solve.ts'
import type { EvaluatedLeg, RouteEvaluator } from './route-evaluator.ts'

const E18 = 10n ** 18n
type PoolTerms = readonly [reserveIn: bigint, reserveOut: bigint]
type LegTerms = { readonly from: number; readonly to: number; readonly pool: PoolTerms; readonly part?: bigint }

const outputOf = ([x, y]: PoolTerms, amountIn: bigint) => (amountIn * y) / (x + amountIn)
/** Minimum input, rounded up. */
const inputOf = ([x, y]: PoolTerms, out: bigint) => (x * out + y - out - 1n) / (y - out)
/**
 * Price curve of x·y = k: √price falls from √(y / x) with a liquidity of √(x·y), up to a part of the output reserve.
 */
function curveOf([x, y]: PoolTerms, part: number) {
  const root = Math.sqrt(Number(y) / Number(x))
  const liquidity = Float64Array.of(Math.sqrt(Number(x)) * Math.sqrt(Number(y)))
  return compileCurve({ sqrtPrice: Float64Array.of(root, root * (1 - part)), liquidity, keepIn: 1, keepOut: 1 })
}

/** A route whose legs take the rest of a token, or a part of it in thousandths; counts its quotes. */
function routeOver(terms: readonly LegTerms[], { target = 1, knowsInput = false, part = 0.999 } = {}) {
  let quotes = 0
  const legs: EvaluatedLeg[] = terms.map(({ from, to }, edge) => ({
    ...{ share: { edge } as EvaluatedLeg['share'], from, to, amountIn: 0n, amountOut: 0n, outputByInput: new Map() },
  }))
  const quote = (edge: number, amountIn: bigint) => {
    quotes++
    return outputOf(terms[edge]!.pool, amountIn)
  }
  const output = {
    legs,
    target,
    problem: {
      adjustedCurves: new Map(),
      graph: { edges: terms.map(({ pool }) => ({ curve: curveOf(pool, part) })) },
    },
    outputAt(amountIn: bigint, fork?: { readonly token: number; readonly balance: bigint }) {
      const balances = new Map([[0, amountIn]])
      const forked = new Set<number>()
      for (const [edge, leg] of legs.entries()) {
        if (fork?.token === leg.from && !forked.has(leg.from)) balances.set(leg.from, fork.balance)
        if (!forked.has(leg.from)) leg.amountIn = balances.get(leg.from) ?? 0n
        forked.add(leg.from)
        const balance = balances.get(leg.from) ?? 0n
        leg.amountIn = terms[edge]!.part === undefined ? balance : (balance * terms[edge]!.part) / 1_000n
        leg.amountOut = quote(edge, leg.amountIn)
        balances.set(leg.from, balance - leg.amountIn)
        balances.set(leg.to, (balances.get(leg.to) ?? 0n) + leg.amountOut)
      }
      return balances.get(target) ?? 0n
    },
    outputOf: ({ share: { edge } }: EvaluatedLeg, amountIn: bigint) => quote(edge, amountIn),
    inputFor: ({ share: { edge } }: EvaluatedLeg, out: bigint) => (knowsInput ? inputOf(terms[edge]!.pool, out) : null),
  } as unknown as RouteEvaluator
  const near = (amountIn: bigint) => ({ amountIn, amountOut: output.outputAt(amountIn)! })
  return { output, near, count: () => quotes, reset: () => (quotes = 0) }
}
const [A, B, C]: readonly PoolTerms[] = [
  [1_000n * E18, 3_000n * E18],
  [5_000n * E18, 700n * E18],
  [40_000n * E18, 50_000n * E18],
]

test.each([false, true])('of pools in series, to the unit (inverse known: %s)', (knowsInput) => {
  const { output, near } = routeOver(
    [
      { from: 0, to: 1, pool: A! },
      { from: 1, to: 2, pool: B! },
    ],
    { target: 2, knowsInput },
  )
  const point = near(10n * E18)
  for (const change of [-5, -1, 0, 1, 7, 300]) {
    const required = point.amountOut + (point.amountOut * BigInt(change)) / 10_000n + BigInt(change)
    const expected = inputOf(A!, inputOf(B!, required))
    expect(solveBackwards(output, point, required, 0.2)).toBe(expected)
  }
})

test('two pools of the source, the first with a fixed input', () => {
  const fixed = 4n * E18
  const { output } = routeOver([
    { from: 0, to: 1, pool: C! },
    { from: 0, to: 1, pool: A! },
  ])
  const fixedOutput = outputOf(C!, fixed)
  const at = (amountIn: bigint) => {
    const legs = output.legs as EvaluatedLeg[]
    Object.assign(legs[0]!, { amountIn: fixed, amountOut: fixedOutput })
    Object.assign(legs[1]!, { amountIn: amountIn - fixed, amountOut: outputOf(A!, amountIn - fixed) })
    return fixedOutput + outputOf(A!, amountIn - fixed)
  }
  Object.assign(output, { outputAt: at })
  const point = { amountIn: 10n * E18, amountOut: at(10n * E18) }
  const required = point.amountOut + E18 / 100n
  expect(solveBackwards(output, point, required, 3)).toBe(fixed + inputOf(A!, required - fixedOutput))
  // The fixed leg alone pays this much.
  expect(solveBackwards(output, point, fixedOutput, 3)).toBeNull()
  expect(solveBackwards(output, point, fixedOutput + 1n, 3)).toBe(fixed + 1n)
})

test('of a token that two pools divide', () => {
  const { output, near } = routeOver(
    [
      { from: 0, to: 1, pool: A! },
      { from: 1, to: 2, pool: B!, part: 400n },
      { from: 1, to: 2, pool: C! },
    ],
    { target: 2 },
  )
  const point = near(10n * E18)
  const required = point.amountOut + point.amountOut / 1_000n
  const min = solveBackwards(output, point, required, 1)!
  expect(output.outputAt(min)).toBeGreaterThanOrEqual(required)
  expect(output.outputAt(min - 1n)).toBeLessThan(required)
})

test('a point that the route no longer pays, and an output beyond the curve, have no solution', () => {
  const short = routeOver([{ from: 0, to: 1, pool: A! }], { part: 0.01 })
  const point = short.near(10n * E18)
  expect(solveBackwards(short.output, { ...point, amountOut: point.amountOut + 1n }, point.amountOut, 3)).toBeNull()
  // The curve ends at a hundredth of the reserve of 3,000, and has nothing beyond.
  const isSolved = (required: bigint) => solveBackwards(short.output, point, required, 3) !== null
  expect([isSolved(29n * E18), isSolved(30n * E18), isSolved(40n * E18)]).toEqual([true, false, false])
})

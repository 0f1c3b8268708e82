/** Tests discounts of outputs along a route, against values computed by hand. */
import { expect, test } from 'vitest'
import { discountedOutput } from './drift-penalties.ts'

/** Tokens 0 to 3; edge k leads from `from[k]` to `to[k]`. The source is 0, the target is 3. */
const [from, to] = [
  [0, 0, 1, 1, 2],
  [1, 3, 3, 2, 3],
]
type Hop = readonly [edge: number, amountOut: bigint]
function outputOf(factors: readonly (readonly [number, number])[], hops: readonly Hop[], amountOut: bigint) {
  const problem = { outputFactors: new Map(factors), graph: { topology: { from, to } }, source: 0, target: 3 }
  const settlement = {
    legs: hops.map(([, amountOut]) => ({ amountOut })),
    edges: hops.map(([edge]) => edge),
    amountOut,
  }
  return discountedOutput(problem as never, settlement as never)
}

test.each<[string, readonly (readonly [number, number])[], readonly Hop[], bigint, number]>([
  ['without discounts', [], [[1, 100n]], 100n, 100],
  ['of pools that are not used', [[0, 0.5]], [[1, 100n]], 100n, 100],
  ['of one pool', [[1, 0.9]], [[1, 100n]], 100n, 90],
  [
    'of the first of two pools carries on',
    [[0, 0.8]],
    [
      [0, 50n],
      [2, 100n],
    ],
    100n,
    80,
  ],
  [
    'of both multiply',
    [
      [0, 0.8],
      [2, 0.5],
    ],
    [
      [0, 50n],
      [2, 100n],
    ],
    100n,
    40,
  ],
  [
    'of one of two parallel pools counts by its part',
    [[1, 0.5]],
    [
      [1, 60n],
      [0, 7n],
      [2, 40n],
    ],
    100n,
    70,
  ],
  [
    'before a fork applies to all that follows',
    [[0, 0.5]],
    [
      [0, 50n],
      [3, 10n],
      [2, 60n],
      [4, 40n],
    ],
    100n,
    50,
  ],
  [
    'of legs that buy nothing does not count',
    [[1, 0.5]],
    [
      [1, 0n],
      [0, 5n],
      [2, 100n],
    ],
    100n,
    100,
  ],
  ['of nothing bought at all', [[1, 0.5]], [[1, 0n]], 0n, 0],
])('a discount %s', (_, factors, hops, amountOut, expected) => {
  expect(outputOf(factors, hops, amountOut)).toBeCloseTo(expected, 10)
})

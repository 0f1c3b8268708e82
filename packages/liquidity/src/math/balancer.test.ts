/** Tests of the math that several Balancer families share. */
import { expect, test } from 'vitest'
import { weightedAmountOut } from './balancer.ts'

const E18 = 10n ** 18n

// The input balance grows by a quarter, so that its ratio to the balance before is 0.8.
test.each([
  ['1:1', 5n, 5n, 200n * E18],
  ['2:1', 6n, 3n, 360n * E18],
  ['4:1', 8n, 2n, 590n * E18 + (4n * E18) / 10n],
])('pools of weights %s pay the exact power, and the first version rounds it up', (_, weightIn, weightOut, paid) => {
  const pay = (hasExactPowers: boolean) =>
    weightedAmountOut(100n * E18, weightIn * E18, 1_000n * E18, weightOut * E18, 25n * E18, hasExactPowers)
  expect(pay(true)).toBe(paid)
  expect(pay(false)).toBeLessThan(paid)
  expect(pay(false)).toBeGreaterThan(paid - paid / 10n ** 13n)
})

import { toAddress } from '@sluice/chains'
import { expect, test } from 'vitest'
import type { Read, Reads } from '../family.ts'
import { both } from './reads.ts'

const to = toAddress(`0x${'11'.repeat(20)}`)
const read = (data: `0x${string}`): Read => ({ to, data })

/** Asks for so many reads in each round, and ends with what was answered. */
function* rounds(...sizes: readonly number[]): Reads<readonly unknown[]> {
  const told: unknown[] = []
  for (const [round, size] of sizes.entries())
    told.push(...(yield Array.from({ length: size }, (_, i) => read(`0x${round}${i}`))))
  return told
}

test.each([
  [[2, 1], [3]],
  [[1], [2, 2, 1]],
  [[], [1, 1]],
  [[], []],
])('two generators with rounds of %j and %j go together, each with its own answers', (first, second) => {
  const together = both(rounds(...first), rounds(...second))
  let count = 0
  let step = together.next([])
  for (; !step.done; count++) step = together.next(step.value.map(({ data }) => data))
  const own = (sizes: readonly number[]) =>
    sizes.flatMap((size, round) => Array.from({ length: size }, (_, i) => `0x${round}${i}`))
  expect(step.value).toEqual([own(first), own(second)])
  expect(count).toBe(Math.max(first.length, second.length))
})

/** Tests of running two read generators side by side. */
import { toAddress } from '@sluice/chains'
import { expect, test } from 'vitest'
import type { Read, Reads } from '../family.ts'
import { bothReads } from './reads.ts'

const to = toAddress(`0x${'11'.repeat(20)}`)
const read = (data: `0x${string}`): Read => ({ to, data })

/** Yields the given number of reads in each round, and returns all results. */
function* rounds(...sizes: readonly number[]): Reads<readonly unknown[]> {
  const results: unknown[] = []
  for (const [round, size] of sizes.entries())
    results.push(...(yield Array.from({ length: size }, (_, i) => read(`0x${round}${i}`))))
  return results
}

test.each([
  [[2, 1], [3]],
  [[1], [2, 2, 1]],
  [[], [1, 1]],
  [[], []],
])('two generators with rounds of %j and %j run side by side, each with its own results', (first, second) => {
  const combined = bothReads(rounds(...first), rounds(...second))
  let count = 0
  let step = combined.next([])
  for (; !step.done; count++) step = combined.next(step.value.map(({ data }) => data))
  const own = (sizes: readonly number[]) =>
    sizes.flatMap((size, round) => Array.from({ length: size }, (_, i) => `0x${round}${i}`))
  expect(step.value).toEqual([own(first), own(second)])
  expect(count).toBe(Math.max(first.length, second.length))
})

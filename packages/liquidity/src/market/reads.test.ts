/** Tests of running read generators side by side, and of reads that an unexpected answer stops. */
import { toAddress } from '@sluice/chains'
import { expect, test } from 'vitest'
import type { Read, Reads } from '../family.ts'
import { bothReads, isolatedReads } from './reads.ts'

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

test('an answer that makes the reads of a batch throw affects only its own item', () => {
  const batches: (readonly string[])[] = []
  const readsOf = function* (batch: readonly string[]): Reads<readonly string[]> {
    batches.push(batch)
    const answers = yield batch.map((item) => read(`0x${item}`))
    return batch.map((item, k) => {
      if (item === 'bad') throw new TypeError(`${answers[k]} is not what anybody expects`)
      return `${item} ${answers[k]}`
    })
  }
  const finish = (batch: readonly string[]) => {
    const reads = isolatedReads(batch, readsOf)
    let rounds = 0
    let step = reads.next([])
    for (; !step.done; rounds++) step = reads.next(step.value.map(({ data }) => data))
    return { value: step.value, rounds }
  }
  expect(finish(['a', 'b'])).toEqual({ value: [['a 0xa', 'b 0xb']], rounds: 1 })
  expect(finish(['a', 'bad', 'b'])).toEqual({ value: [['a 0xa'], ['b 0xb']], rounds: 2 })
  expect(batches.slice(1)).toEqual([['a', 'bad', 'b'], ['a'], ['bad'], ['b']])
  expect(finish(['bad'])).toEqual({ value: [], rounds: 1 })
})

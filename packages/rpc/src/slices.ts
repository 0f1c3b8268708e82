/** Runs long computations in slices of time, so that they do not block the event loop. */
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Milliseconds after which a slice ends, once its current step is done. */
const SLICE_MS = 4

/** Interruptible computation: yields at least about every millisecond and returns its result. */
export type Steps<T> = Generator<unknown, T, void>

/** Longest slice of each kind, in milliseconds, since `takeLongestTasks` was last called. */
const longestMsByKind = new Map<string, number>()

/**
 * Runs a computation in slices and yields to the event loop in between. The first slice runs synchronously.
 *
 * @param kind - label for metrics
 */
export async function inSlices<T>(kind: string, steps: Steps<T>): Promise<T> {
  for (;;) {
    const start = performance.now()
    let ms = 0
    let step: IteratorResult<unknown, T>
    try {
      do {
        step = steps.next()
        ms = performance.now() - start
      } while (!step.done && ms < SLICE_MS)
    } finally {
      recordTask(kind, performance.now() - start)
    }
    if (step.done) return step.value
    await nextTurn()
  }
}

/** Runs a computation without yielding. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** Records how long a task blocked the event loop. */
export function recordTask(kind: string, ms: number): void {
  if (ms > (longestMsByKind.get(kind) ?? 0)) longestMsByKind.set(kind, ms)
}

/** Returns the longest slice of each kind, in milliseconds, since the last call. */
export function takeLongestTasks(): ReadonlyMap<string, number> {
  const result = new Map(longestMsByKind)
  longestMsByKind.clear()
  return result
}

/** Long work in short pieces: whoever has more to do than a few milliseconds gives the event loop a turn in between. */
import { setImmediate as turn } from 'node:timers/promises'

/** Most milliseconds that a piece of work holds the event loop, and what its last step takes longer. */
const SLICE_MS = 4

/** Work that can be interrupted: it yields wherever it may be, at least every millisecond or so, and returns its result. */
export type Steps<T> = Generator<unknown, T, void>

/** Milliseconds of the longest slice of each kind since they were last told. */
const longest = new Map<string, number>()

/**
 * Does the work in slices of a few milliseconds, the first of them at once: what is short is done when this returns.
 *
 * @param kind - a word for metrics
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
      noteTask(kind, performance.now() - start)
    }
    if (step.done) return step.value
    await turn()
  }
}

/** Does the work without a pause. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** Takes note of how long something held the event loop. */
export function noteTask(kind: string, ms: number): void {
  if (ms > (longest.get(kind) ?? 0)) longest.set(kind, ms)
}

/** The longest slice of each kind in milliseconds since the last call. */
export function takeLongestTasks(): ReadonlyMap<string, number> {
  const taken = new Map(longest)
  longest.clear()
  return taken
}

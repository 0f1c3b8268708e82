/** Feedback of an input before the work that it causes. */
import { useCallback, useRef, useState } from 'react'

/** Maximum milliseconds until the work runs in a page without frames, such as a hidden tab. */
const MAX_WAIT_MS = 200

/** Runs work after the next frame is painted, so that it does not delay the feedback of the input that causes it. */
export function afterPaint(work: () => void): void {
  let hasRun = false
  const run = () => {
    if (hasRun) return
    hasRun = true
    work()
  }
  requestAnimationFrame(() => setTimeout(run))
  setTimeout(run, MAX_WAIT_MS)
}

/** Resolves after the next frame is painted. */
export const painted = (): Promise<void> => new Promise(afterPaint)

/**
 * Shows a choice at once, and applies it after the next paint. For choices in the URL, whose navigation renders the page again.
 *
 * @param value - the applied choice
 * @returns the choice to show, and a stable function that chooses
 */
export function useChoice<T>(value: T, apply: (next: T) => Promise<void> | void) {
  const [pending, setPending] = useState<{ readonly next: T }>()
  const latest = useRef(apply)
  latest.current = apply
  const choose = useCallback((next: T) => {
    const own = { next }
    setPending(own)
    afterPaint(async () => {
      await latest.current(next)
      // A later choice is still to be applied.
      setPending((current) => (current === own ? undefined : current))
    })
  }, [])
  return [pending ? pending.next : value, choose] as const
}

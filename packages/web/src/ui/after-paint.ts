/**
 * Delays work, such as rendering a page, until the browser has painted its response to a click or key.
 */
import { useCallback, useEffect, useRef, useState } from 'react'

/** Milliseconds after which the work runs if the browser paints no frame, as in a hidden tab. */
const MAX_WAIT_MS = 200

/** Pause in typing after which a text is applied. */
export const TYPING_PAUSE_MS = 250

/** Runs work after the browser has painted the next frame. */
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

/**
 * Returns a value, but each change of it only after the next paint. So the browser can paint and handle inputs before
 * components that use the value render again. The first render gets the value at once.
 */
export function useAfterPaint<T>(value: T): T {
  const [paintedValue, setPaintedValue] = useState<T>(() => value)
  const latestValue = useRef(value)
  latestValue.current = value
  useEffect(() => {
    if (paintedValue !== value) afterPaint(() => setPaintedValue(() => latestValue.current))
  }, [value, paintedValue])
  return paintedValue
}

/** Returns the number of parts of a large view to show: one at first, and one more after each paint. */
export function usePaintedParts(count: number): number {
  const [partCount, setPartCount] = useState(1)
  useEffect(() => {
    if (partCount < count) afterPaint(() => setPartCount(partCount + 1))
  }, [partCount, count])
  return partCount
}

/** Resolves after the next frame is painted. */
export const nextPaint = (): Promise<void> => new Promise(afterPaint)

/**
 * Shows a choice of the user at once, and applies it after the next paint. For choices in the URL, because a navigation
 * renders the whole page again.
 *
 * @param value - the applied choice
 * @param pauseMs - time from the latest choice until it is applied; for typed text a pause in typing
 * @returns the choice to show, and a function that chooses, which is the same in all renders
 */
export function useChoice<T>(value: T, apply: (next: T) => Promise<void> | void, pauseMs = 0) {
  const [pendingChoice, setPendingChoice] = useState<{ readonly next: T }>()
  const latest = useRef({ apply, pauseMs })
  latest.current = { apply, pauseMs }
  const lastChoice = useRef<{ readonly next: T }>(undefined)
  const choose = useCallback((next: T) => {
    const thisChoice = { next }
    lastChoice.current = thisChoice
    setPendingChoice(thisChoice)
    const run = async () => {
      // A later choice replaces this one.
      if (lastChoice.current !== thisChoice) return
      await latest.current.apply(next)
      setPendingChoice((current) => (current === thisChoice ? undefined : current))
    }
    if (latest.current.pauseMs > 0) setTimeout(run, latest.current.pauseMs)
    else afterPaint(run)
  }, [])
  // A page that the user has left must not navigate.
  useEffect(
    () => () => {
      lastChoice.current = undefined
    },
    [],
  )
  return [pendingChoice ? pendingChoice.next : value, choose] as const
}

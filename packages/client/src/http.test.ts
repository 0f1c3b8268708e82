/** Tests of signals that follow several others. */
import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { anySignal } from './http.ts'

test('a signal of several aborts with any of them, also where AbortSignal.any is missing', () => {
  const { any } = AbortSignal
  for (const isMissing of [false, true]) {
    if (isMissing) AbortSignal.any = undefined as never
    try {
      const [first, second] = [new AbortController(), new AbortController()]
      const signal = anySignal([first.signal, undefined, second.signal])
      expect(signal.aborted).toBe(false)
      second.abort('why')
      expect([signal.aborted, signal.reason]).toEqual([true, 'why'])
      // A signal that the caller keeps for many requests keeps no listeners of those that ended.
      expect(getEventListeners(first.signal, 'abort')).toEqual([])
      expect(anySignal([AbortSignal.abort('old'), first.signal]).reason).toBe('old')
    } finally {
      AbortSignal.any = any
    }
  }
})

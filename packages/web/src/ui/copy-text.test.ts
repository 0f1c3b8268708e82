import { afterEach, expect, test, vi } from 'vitest'
import { copyText } from './copy-text.ts'

afterEach(() => void vi.unstubAllGlobals())

test('a text is copied, unless the browser refuses or has no clipboard', async () => {
  const texts: string[] = []
  vi.stubGlobal('navigator', { clipboard: { writeText: async (text: string) => texts.push(text) } })
  expect([await copyText('a text'), texts]).toEqual([true, ['a text']])
  vi.stubGlobal('navigator', { clipboard: { writeText: () => Promise.reject(new Error('not allowed')) } })
  expect(await copyText('a text')).toBe(false)
  vi.stubGlobal('navigator', {})
  expect(await copyText('a text')).toBe(false)
})

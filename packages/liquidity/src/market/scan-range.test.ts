/** Tests of the search for the block range that a provider accepts. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { ScanRange } from './scan-range.ts'

/** Scans blocks at a provider with a range limit. @returns the numbers of accepted and refused requests */
function scan(limit: number, { total = 100_000, hints = false, acceptedRange = undefined as number | undefined } = {}) {
  const range = new ScanRange(acceptedRange)
  let granted = 0
  let refused = 0
  for (let at = 0; at < total; ) {
    const blocks = Math.min(range.blocks, total - at)
    if (blocks > limit) {
      refused++
      if (!range.recordRefused(blocks, hints ? limit : undefined)) throw new Error('gave up')
      continue
    }
    granted++
    at += blocks
    range.recordAccepted(blocks)
  }
  return { granted, refused, range }
}

test('any limit is found and used, and rarely exceeded', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50_000 }), fc.boolean(), (limit, hints) => {
      const total = 2_000 * limit
      const { granted, refused } = scan(limit, { total, hints })
      expect(granted).toBeLessThanOrEqual(1.25 * 2_000 + 40)
      expect(refused).toBeLessThanOrEqual(0.03 * granted + 25)
    }),
  )
})

test('at ten blocks, the narrowest plan, one request in a hundred is refused', () => {
  const { granted, refused } = scan(10, { total: 200_000, hints: true })
  expect(granted).toBeLessThan(20_600)
  expect(refused).toBeLessThan(200)
})

test('an accepted range is used at once after a restart', () => {
  const { range } = scan(777, { total: 500_000 })
  const { granted, refused } = scan(777, { total: 700 * 10, acceptedRange: range.acceptedRange! })
  expect(refused).toBe(0)
  expect(granted).toBeLessThanOrEqual(12)
})

test('without a limit ranges grow to a million blocks', () => {
  const { granted, range } = scan(Number.POSITIVE_INFINITY, { total: 20_000_000 })
  expect(granted).toBeLessThan(30)
  expect(range.blocks).toBe(1_000_000)
})

test('a dense stretch of logs is crossed in small ranges, which grow again after it', () => {
  const range = new ScanRange()
  let requests = 0
  for (let at = 0; at < 5_000_000; requests++) {
    const blocks = Math.min(range.blocks, 5_000_000 - at)
    const isDense = at < 1_010_000 && at + blocks > 1_000_000
    if (isDense && blocks > 100) range.recordRefused(blocks, undefined)
    else {
      at += blocks
      range.recordAccepted(blocks)
    }
  }
  expect(requests).toBeLessThan(400)
})

test('a limit that was stated once may come from the logs of the range; stated twice, it is that of the plan', () => {
  const range = new ScanRange()
  range.recordRefused(10_000, 100)
  range.recordAccepted(100)
  expect(range.blocks).toBe((100 + 10_000) / 2)
  range.recordRefused(range.blocks, 100)
  for (let k = 0; k < 15; k++) {
    expect(range.blocks).toBe(100)
    range.recordAccepted(100)
  }
})

test('a refused single block ends the search', () => {
  const range = new ScanRange(1)
  expect(range.recordRefused(1, undefined)).toBe(false)
})

test.each([9_999, 2_000, 100, 7])(
  'a refusal that names the refused range itself needs few retries, at %i blocks',
  (limit) => {
    const range = new ScanRange()
    let refused = 0
    for (; range.blocks > limit; refused++) expect(range.recordRefused(range.blocks, range.blocks)).toBe(true)
    expect(refused).toBeLessThan(10)
    range.recordAccepted(range.blocks)
    expect(range.acceptedRange).toBeGreaterThan(limit / 5)
  },
)

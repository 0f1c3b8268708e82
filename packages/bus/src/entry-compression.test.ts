/** Tests of the compression of entries. */
import { expect, test } from 'vitest'
import { compressEntry, decompressEntry } from './entry-compression.ts'

test('an entry is smaller in Redis, and the same afterwards', () => {
  const entry = Buffer.from('{"reserve":"1234567890"}'.repeat(100))
  const compressed = compressEntry(entry)
  expect(compressed.length).toBeLessThan(entry.length / 3)
  expect(decompressEntry(compressed)).toEqual(entry)
})

test('bytes that are not compressed, or were damaged, are no entry', () => {
  const damaged = compressEntry(Buffer.from('{"reserve":"1234567890"}'.repeat(100)))
  damaged[damaged.length - 1]! ^= 1
  for (const bytes of [Buffer.from('{}'), Buffer.alloc(0), damaged]) expect(decompressEntry(bytes)).toBeNull()
})

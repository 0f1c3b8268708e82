import { zstdDecompressSync } from 'node:zlib'
import type { Hex } from '@sluice/chains'
import { keccak256 } from 'ethers'
import { expect, test } from 'vitest'
import { compressForScroll } from './scroll.ts'

const MAGIC = Buffer.from('28b52ffd', 'hex')
const unpacked = (text: Hex) =>
  zstdDecompressSync(Buffer.concat([MAGIC, Buffer.from(text.slice(2), 'hex')])).toString('hex')

test('a transaction that compresses is one zstd frame without its magic number', () => {
  const data = '00'.repeat(400)
  const compressed = compressForScroll(`0x${data}`)
  expect(compressed.length).toBeLessThan(100)
  expect(unpacked(compressed)).toBe(data)
})

test('a transaction that does not compress is left as it is', () => {
  const noise = keccak256('0x01') as Hex
  expect(compressForScroll(noise)).toBe(noise)
  expect(compressForScroll('0x')).toBe('0x')
})

test('a transaction that would not get shorter is left as it is', () => {
  const repeated = (length: number): Hex => `0x${'00'.repeat(length)}`
  const compressedSize = (length: number) => compressForScroll(repeated(length)).length / 2 - 1
  const sizes = Array.from({ length: 40 }, (_, length) => compressedSize(length))
  for (const [length, size] of sizes.entries()) expect(size).toBeLessThanOrEqual(length)
  expect(sizes[39]).toBeLessThan(39)
})

/** Compares the hash with ethers. */
import { keccak256 as ethersKeccak256, hexlify } from 'ethers'
import { describe, expect, test } from 'vitest'
import { keccak256 } from './keccak.ts'

describe('keccak256', () => {
  test('is the hash of ethers for each length up to four blocks, as bytes and as hex in any case', () => {
    for (let length = 0; length <= 544; length++) {
      const bytes = Uint8Array.from({ length }, (_, i) => (length * 31 + i * 7) % 256)
      const hex = hexlify(bytes) as `0x${string}`
      const expected = ethersKeccak256(bytes)
      expect([keccak256(bytes), keccak256(hex), keccak256(`0x${hex.slice(2).toUpperCase()}`)]).toEqual([
        expected,
        expected,
        expected,
      ])
    }
  })

  test('is the hash of a contract’s code of the maximum length', () => {
    const code = new Uint8Array(24_576).fill(0x5b)
    expect(keccak256(code)).toBe(ethersKeccak256(code))
  })

  test.each(['0x0', '0xzz', '0x00 ', '00', ''] as `0x${string}`[])('refuses %j', (data) => {
    expect(() => keccak256(data)).toThrow(RangeError)
  })
})

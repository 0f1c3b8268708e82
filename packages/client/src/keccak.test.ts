/** Tests of Keccak-256 against ethers. */
import { keccak256 as reference } from 'ethers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keccak256 } from './keccak.ts'

const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}` as const

test('hashes as ethers does, at every length around a block', () => {
  for (const length of [0, 1, 134, 135, 136, 137, 271, 272, 273]) {
    const data = hex(new Uint8Array(length).fill(0xa5))
    expect(keccak256(data), `${length} bytes`).toBe(reference(data))
  }
  fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => keccak256(hex(bytes)) === reference(hex(bytes))))
})

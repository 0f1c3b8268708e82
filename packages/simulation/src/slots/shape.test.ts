import { toAddress } from '@sluice/chains'
import { AbiCoder, keccak256 } from 'ethers'
import { expect, test } from 'vitest'
import { fictitiousOwner, type StorageWrites, type TokenReader } from './reader.ts'
import { numberMask, plainShape, readShape } from './shape.ts'

const contract = toAddress(`0x${'7'.repeat(40)}`)
const mapping = { order: 'solidity', base: 2n, contract } as const
const ones = (bits: number) => 2n ** BigInt(bits) - 1n

/** A token that answers each of the 256 words with one bit, and the owner without a word, as it is given. */
function readerOf(answerTo: (bit: number) => bigint | null, nothing: bigint | null = 0n) {
  const calls: { count: number; writes: StorageWrites }[] = []
  const reader = {
    readOwners: async (count: number, writes: StorageWrites) => {
      calls.push({ count, writes })
      return Array.from({ length: count }, (_, k) => ({
        balance: k < 256 ? answerTo(k) : nothing,
        allowance: null,
      }))
    },
  } as unknown as TokenReader
  return { reader, calls }
}

const shapeOf = (answerTo: (bit: number) => bigint | null, nothing?: bigint | null) =>
  readShape(readerOf(answerTo, nothing).reader, mapping)

test('the mask covers only the bits of the number', () => {
  expect(numberMask({ kind: 'plain', shift: 0, width: 256 })).toBe(ones(256))
  expect(numberMask({ kind: 'plain', shift: 8, width: 4 })).toBe(0xf00n)
})

test.each([
  [ones(256), { kind: 'plain', shift: 0, width: 256 }],
  [ones(96), { kind: 'plain', shift: 0, width: 96 }],
  [1n, { kind: 'plain', shift: 0, width: 1 }],
  [0n, undefined],
  [2n, undefined],
  [ones(96) - 1n, undefined],
  [ones(96) + 1n, undefined],
  [null, undefined],
])('all ones that read as %s give the shape %j', (all, shape) => {
  expect(plainShape(all)).toEqual(shape)
})

test('each bit is written for a separate owner, in one call', async () => {
  const { reader, calls } = readerOf((bit) => 2n ** BigInt(bit))
  await readShape(reader, mapping)
  expect(calls).toHaveLength(1)
  expect(calls[0]!.count).toBe(257)
  const writes = calls[0]!.writes.get(contract)!
  expect(writes).toHaveLength(256)
  for (const bit of [0, 1, 128, 255]) {
    const abi = AbiCoder.defaultAbiCoder()
    const key = keccak256(abi.encode(['address', 'uint256'], [fictitiousOwner(bit), 2n]))
    expect(writes[bit]).toEqual({ key, value: abi.encode(['uint256'], [2n ** BigInt(bit)]) })
  }
})

test('bits that read as themselves are a plain number', async () => {
  expect(await shapeOf((bit) => 2n ** BigInt(bit))).toEqual({ kind: 'plain', shift: 0, width: 256 })
  expect(await shapeOf((bit) => (bit >= 16 && bit < 112 ? 2n ** BigInt(bit - 16) : 0n))).toEqual({
    kind: 'plain',
    shift: 16,
    width: 96,
  })
  expect(await shapeOf((bit) => (bit === 255 ? 1n : 0n))).toEqual({ kind: 'plain', shift: 255, width: 1 })
})

test('a response that an untouched account gets too does not identify a bit', async () => {
  expect(
    await shapeOf((bit) => (bit >= 8 && bit < 40 ? 2n ** BigInt(bit - 8) : 5_000_000_001n), 5_000_000_001n),
  ).toEqual({ kind: 'plain', shift: 8, width: 32 })
  expect(await shapeOf(() => null, null)).toBeUndefined()
})

test('a word without an answer, or without a visible bit, has no shape', async () => {
  expect(await shapeOf(() => 0n)).toBeUndefined()
  expect(await shapeOf(() => null)).toBeUndefined()
})

test('refused words in front do not hide the number, and those behind end the line but not the width', async () => {
  expect(await shapeOf((bit) => (bit < 4 ? null : bit < 30 ? 2n ** BigInt(bit - 4) : 0n))).toEqual({
    kind: 'plain',
    shift: 4,
    width: 26,
  })
  expect(await shapeOf((bit) => (bit < 128 ? 3n * 2n ** BigInt(bit) : bit < 140 ? null : 0n))).toEqual({
    kind: 'shares',
    shift: 0,
    width: 140,
    rate: { shares: 2n ** 127n, units: 3n * 2n ** 127n },
  })
})

test('a rate is that of the largest word that still follows the line', async () => {
  // Four shares are three base units: small words round down to nothing.
  expect(await shapeOf((bit) => (bit < 96 ? (2n ** BigInt(bit) * 3n) / 4n : 0n))).toEqual({
    kind: 'shares',
    shift: 0,
    width: 96,
    rate: { shares: 2n ** 95n, units: 3n * 2n ** 93n },
  })
  // Too large ones overflow inside the token.
  expect(await shapeOf((bit) => (bit < 200 ? 5n * 2n ** BigInt(bit) : 1n))).toEqual({
    kind: 'shares',
    shift: 0,
    width: 256,
    rate: { shares: 2n ** 199n, units: 5n * 2n ** 199n },
  })
})

test('fewer than 16 doublings are no rate', async () => {
  const doubling = (count: number) => (bit: number) => (bit >= 10 && bit <= 10 + count ? 3n * 2n ** BigInt(bit) : 0n)
  expect(await shapeOf(doubling(15))).toBeUndefined()
  expect(await shapeOf(doubling(16))).toEqual({
    kind: 'shares',
    shift: 0,
    width: 27,
    rate: { shares: 2n ** 26n, units: 3n * 2n ** 26n },
  })
})

test.each([
  [-3n, 49],
  [-2n, 255],
  [2n, 255],
  [3n, 49],
])('a word that is %s off twice the one before it leaves the line at bit %i', async (difference, last) => {
  const exact = (bit: number) => 3n * 2n ** BigInt(bit)
  // The words behind it double what it reads as.
  const answer = (bit: number) => (bit < 50 ? exact(bit) : (exact(50) + difference) * 2n ** BigInt(bit - 50))
  expect((await shapeOf(answer))?.rate).toEqual({ shares: 2n ** BigInt(last), units: answer(last) })
})

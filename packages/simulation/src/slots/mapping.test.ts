import { toAddress } from '@sluice/chains'
import { AbiCoder, keccak256, solidityPackedKeccak256, toBeHex } from 'ethers'
import { expect, test } from 'vitest'
import { allowanceKey, balanceKey, balanceWrites, type MappingOrder, toWord } from './mapping.ts'

const contract = toAddress(`0x${'7'.repeat(40)}`)
const owner = toAddress(`0x0${'9'.repeat(39)}`)
const spender = toAddress(`0x${'5'.repeat(40)}`)
const hash = (types: readonly string[], values: readonly unknown[]) =>
  keccak256(AbiCoder.defaultAbiCoder().encode(types, values))

test('a word has 32 bytes', () => {
  expect(toWord(0n)).toBe(`0x${'0'.repeat(64)}`)
  expect(toWord(0xabcn)).toBe(toBeHex(0xabcn, 32))
  expect(toWord(2n ** 256n - 1n)).toBe(`0x${'f'.repeat(64)}`)
})

test('a balance is one word at its key, moved by the offset in the struct', () => {
  const key = hash(['address', 'uint256'], [owner, 2n])
  const mapping = { order: 'solidity', base: 2n, contract } as const
  expect(balanceWrites(mapping, owner, 77n)).toEqual([{ key, value: toBeHex(77n, 32) }])
  const moved = toBeHex(BigInt(key) + 5n, 32)
  expect(balanceWrites({ ...mapping, offset: 5n }, owner, 77n)).toEqual([{ key: moved, value: toBeHex(77n, 32) }])
})

test('a MiniMe balance is one checkpoint with the amount in the upper half, cut to 128 bits', () => {
  const key = hash(['address', 'uint256'], [owner, 8n])
  const mapping = { order: 'minime', base: 8n, contract } as const
  const first = keccak256(key)
  const checkpointOf = (amount: bigint) => AbiCoder.defaultAbiCoder().encode(['uint256'], [amount * 2n ** 128n])
  expect(balanceWrites(mapping, owner, 77n)).toEqual([
    { key, value: toBeHex(1n, 32) },
    { key: first, value: checkpointOf(77n) },
  ])
  expect(balanceWrites(mapping, owner, 2n ** 128n + 3n)[1]).toEqual({ key: first, value: checkpointOf(3n) })
  expect(balanceWrites(mapping, owner, 2n ** 128n - 1n)[1]).toEqual({
    key: first,
    value: checkpointOf(2n ** 128n - 1n),
  })
})

const solidityKey = hash(['address', 'uint256'], [owner, 9n])
const vyperKey = hash(['uint256', 'address'], [9n, owner])
test.each<[MappingOrder, string, string]>([
  ['solidity', solidityKey, hash(['address', 'bytes32'], [spender, solidityKey])],
  ['minime', solidityKey, hash(['address', 'bytes32'], [spender, solidityKey])],
  ['vyper', vyperKey, hash(['bytes32', 'address'], [vyperKey, spender])],
  [
    'solady',
    solidityPackedKeccak256(['address', 'uint64', 'uint32'], [owner, 0n, 9n]),
    solidityPackedKeccak256(['address', 'uint64', 'uint32', 'address'], [owner, 0n, 9n, spender]),
  ],
])('keys of %s are the same at a second request, and without an offset', (order, balance, allowance) => {
  const mapping = { order, base: 9n, contract }
  for (const _ of [1, 2]) {
    expect(balanceKey(mapping, owner)).toBe(balance)
    expect(balanceKey({ ...mapping, offset: 0n }, owner)).toBe(balance)
    expect(allowanceKey(mapping, owner, spender)).toBe(allowance)
    expect(allowanceKey({ ...mapping, offset: 1n }, owner, spender)).toBe(toBeHex(BigInt(allowance) + 1n, 32))
  }
})

import { toAddress } from '@sluice/chains'
import { AbiCoder, keccak256 } from 'ethers'
import { expect, test } from 'vitest'
import { commonMappings, mappingsAtSlot, rareMappings, storeMappings } from './candidates.ts'
import type { Mapping } from './mapping.ts'

const token = toAddress(`0x${'7'.repeat(40)}`)
const basesOf = (mappings: readonly Mapping[], order: Mapping['order']) =>
  mappings.filter((mapping) => mapping.order === order).map(({ base }) => Number(base))
const upTo = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, k) => first + k)

/** Root of a namespace by its name, ERC-7201. */
function namespaceOf(name: string): bigint {
  const inner = BigInt(keccak256(Buffer.from(name))) - 1n
  return BigInt(keccak256(AbiCoder.defaultAbiCoder().encode(['uint256'], [inner]))) & ~0xffn
}

test('the usual mappings are those of plain, gapped, namespaced and packed layouts', () => {
  const mappings = commonMappings(token)
  expect(mappings.every(({ contract }) => contract === token)).toBe(true)
  const openZeppelin = namespaceOf('openzeppelin.storage.ERC20')
  expect(mappings.filter(({ order }) => order === 'solidity').map(({ base }) => base)).toEqual([
    ...[...upTo(0, 16), 21, 51, 52, 53, 101, 102, 151, 152, 200, 201, 202, 203].map(BigInt),
    ...[openZeppelin, openZeppelin + 1n],
  ])
  expect(basesOf(mappings, 'vyper')).toEqual(upTo(0, 13))
  expect(basesOf(mappings, 'solady')).toEqual([0x87a211a2, 0x7f5e9f20])
  expect(basesOf(mappings, 'minime')).toEqual([8])
})

test('the rare mappings are the gaps between the usual ones, and six members of each namespace', () => {
  const mappings = rareMappings(token, [10_000n, 20_000n])
  expect(mappings.every(({ contract }) => contract === token)).toBe(true)
  expect(basesOf(mappings, 'solidity')).toEqual([
    ...[...upTo(17, 129), ...upTo(150, 159), ...upTo(204, 207), ...upTo(251, 256)],
    ...[...upTo(301, 306), ...upTo(351, 356)],
    ...[...upTo(10_000, 10_005), ...upTo(20_000, 20_005)],
  ])
  expect(basesOf(mappings, 'vyper')).toEqual(upTo(14, 39))
  expect(basesOf(mappings, 'minime')).toEqual([...upTo(0, 7), ...upTo(9, 13)])
  expect(basesOf(mappings, 'solady')).toEqual([])
})

test('a store is tried at its first slots, and a given slot in both orders', () => {
  const store = toAddress(`0x${'5'.repeat(40)}`)
  const stored = storeMappings(store)
  expect(stored.every(({ contract }) => contract === store)).toBe(true)
  expect(basesOf(stored, 'solidity')).toEqual(upTo(0, 15))
  expect(basesOf(stored, 'vyper')).toEqual(upTo(0, 7))
  expect(stored).toHaveLength(24)
  expect(mappingsAtSlot(token, 33n)).toEqual([
    { order: 'solidity', base: 33n, contract: token },
    { order: 'vyper', base: 33n, contract: token },
  ])
})

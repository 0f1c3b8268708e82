import { type Hex, toAddress } from '@sluice/chains'
import { AbiCoder, keccak256, toBeHex } from 'ethers'
import { expect, test } from 'vitest'
import { findForAccount, findMappings } from './find.ts'
import type { Mapping } from './mapping.ts'
import { fictitiousOwner, type OwnerReading, SLOT_PROBE, type StorageWrites, type TokenReader } from './reader.ts'

const token = toAddress(`0x${'7'.repeat(40)}`)
const store = toAddress(`0x${'5'.repeat(40)}`)
const account = toAddress(`0x${'9'.repeat(40)}`)
const SMALL = 2n ** 80n + 0x1234567n
const LARGE = 2n ** 240n + 0x777n
const ALL = 2n ** 256n - 1n
const abi = AbiCoder.defaultAbiCoder()

const candidates: readonly Mapping[] = [
  { order: 'solidity', base: 0n, contract: token },
  { order: 'solidity', base: 1n, contract: store },
  { order: 'minime', base: 8n, contract: token },
]
const UNTOUCHED = 9
const keyOf = (base: bigint, account: string) => keccak256(abi.encode(['address', 'uint256'], [account, base])) as Hex

type Readings = Readonly<Record<number, Partial<OwnerReading>>>

/** A token that answers the owners by their number; zero for all others. */
function readerOf(readings: Readings) {
  const calls: { count: number; writes: StorageWrites }[] = []
  const reader = {
    token,
    readOwners: async (count: number, writes: StorageWrites) => {
      calls.push({ count, writes })
      return Array.from({ length: count }, (_, k) => ({ balance: 0n, allowance: 0n, ...readings[k] }))
    },
  } as unknown as TokenReader
  return { reader, calls }
}

const find = (readings: Readings) => findMappings(readerOf(readings).reader, candidates)

test('each candidate has a separate owner for each of three numbers, and an allowance for the first', async () => {
  const { reader, calls } = readerOf({})
  expect(await findMappings(reader, candidates.slice(0, 2))).toEqual({})
  expect(calls).toHaveLength(1)
  const { count, writes } = calls[0]!
  // Two candidates at three numbers each, and an owner of nothing.
  expect(count).toBe(7)
  const numbers = [SMALL, LARGE, ALL]
  const written = (base: bigint, candidate: number) => [
    ...numbers.map((value, scale) => ({
      key: keyOf(base, fictitiousOwner(2 * scale + candidate)),
      value: toBeHex(value, 32),
    })),
    {
      key: keccak256(abi.encode(['address', 'bytes32'], [SLOT_PROBE, keyOf(base, fictitiousOwner(candidate))])),
      value: toBeHex(SMALL, 32),
    },
  ]
  expect([...writes.keys()]).toEqual([token, store])
  expect(writes.get(token)).toEqual(written(0n, 0))
  expect(writes.get(store)).toEqual(written(1n, 1))
})

test('checkpoints are written without an allowance', async () => {
  const { reader, calls } = readerOf({})
  await findMappings(reader, candidates.slice(2))
  // Two words for each of the three numbers.
  expect(calls[0]!.writes.get(token)).toHaveLength(6)
})

test('nothing is found if no owner has a balance', async () => {
  expect(await find({})).toEqual({})
})

test('the owner with the small number identifies the mapping, and the one with all ones its width', async () => {
  expect(await find({ 1: { balance: SMALL }, 4: { balance: LARGE }, 7: { balance: ALL } })).toEqual({
    balance: { mapping: candidates[1], shape: { kind: 'plain', shift: 0, width: 256 } },
  })
  expect(await find({ 0: { balance: SMALL }, 6: { balance: 2n ** 96n - 1n } })).toEqual({
    balance: { mapping: candidates[0], shape: { kind: 'plain', shift: 0, width: 96 } },
  })
  expect(await find({ 0: { balance: SMALL }, 6: { balance: null } })).toEqual({ balance: { mapping: candidates[0] } })
  expect(await find({ 2: { balance: SMALL }, 8: { balance: 2n ** 128n - 1n } })).toEqual({
    balance: { mapping: candidates[2], shape: { kind: 'plain', shift: 0, width: 128 } },
  })
})

test.each([0, 1, 2])('another balance at number %i identifies a mapping of unknown shape', async (scale) => {
  expect(await find({ [3 * scale + 1]: { balance: 5n } })).toEqual({ balance: { mapping: candidates[1] } })
  expect(await find({ [3 * scale]: { balance: 5n } })).toEqual({ balance: { mapping: candidates[0] } })
  // Checkpoints hold plain balances only.
  expect(await find({ [3 * scale + 2]: { balance: 5n } })).toEqual({})
})

test('the small number itself takes precedence over another balance', async () => {
  expect((await find({ 0: { balance: 5n }, 1: { balance: SMALL } })).balance?.mapping).toBe(candidates[1])
})

test('no answer, zero, and the balance of an untouched owner identify nothing', async () => {
  expect(await find({ 0: { balance: null } })).toEqual({})
  const everybody = Object.fromEntries(Array.from({ length: 10 }, (_, k) => [k, { balance: 7n }]))
  expect(await find(everybody)).toEqual({})
  expect(await find({ ...everybody, 0: { balance: null }, 1: { balance: 0n } })).toEqual({})
  expect((await find({ ...everybody, 4: { balance: 8n } })).balance?.mapping).toBe(candidates[1])
})

test('the allowance is that of the owner who grants the small number', async () => {
  expect(await find({ 1: { allowance: SMALL } })).toEqual({ allowance: candidates[1] })
  expect(await find({ 0: { allowance: SMALL }, 1: { allowance: SMALL } })).toEqual({ allowance: candidates[0] })
  for (const allowance of [SMALL + 1n, 1n, ALL, null]) expect(await find({ 1: { allowance } })).toEqual({})
  expect(await find({ 2: { allowance: SMALL } })).toEqual({})
  expect(await find({ 4: { allowance: SMALL } })).toEqual({})
  // A token that grants the probe that very number names no mapping by it.
  expect(await find({ 1: { allowance: SMALL }, [UNTOUCHED]: { allowance: SMALL } })).toEqual({})
})

test('for one account, each candidate writes a different number', async () => {
  const markerOf = (index: bigint) => SMALL + index * 2n ** 32n
  const written: StorageWrites[] = []
  const readerFor = (balance: bigint | null) =>
    ({
      readAccount: async (readAddress: string, writes: StorageWrites) => {
        expect(readAddress).toBe(account)
        written.push(writes)
        return { balance, allowance: null }
      },
    }) as unknown as TokenReader
  for (const [k, candidate] of candidates.entries())
    expect(await findForAccount(readerFor(markerOf(BigInt(k))), candidates, account)).toBe(candidate)
  for (const balance of [null, 0n, SMALL - 1n, markerOf(3n)])
    expect(await findForAccount(readerFor(balance), candidates, account)).toBeUndefined()
  expect(written[0]!.get(token)![0]).toEqual({ key: keyOf(0n, account), value: toBeHex(SMALL, 32) })
  expect(written[0]!.get(store)).toEqual([{ key: keyOf(1n, account), value: toBeHex(markerOf(1n), 32) }])
})

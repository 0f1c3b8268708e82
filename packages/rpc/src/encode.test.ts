import { type Hex, toAddress } from '@sluice/chains'
import { expect, test } from 'vitest'
import {
  blockParam,
  callParam,
  decodeBlock,
  decodeLog,
  hashOf,
  logFilterParam,
  overridesParam,
  quantity,
  type RawBlock,
} from './encode.ts'

const [one, two] = [toAddress(`0x${'1'.repeat(40)}`), toAddress(`0x${'2'.repeat(40)}`)]
const hash = (digit: string): Hex => `0x${digit.repeat(64)}`

test('numbers are spelled in hex without leading zeros', () => {
  expect([quantity(0), quantity(255), quantity(2n ** 64n)]).toEqual(['0x0', '0xff', '0x10000000000000000'])
})

test('a block is a number in hex, a tag or a hash', () => {
  expect([blockParam(0), blockParam(26), blockParam('latest')]).toEqual(['0x0', '0x1a', 'latest'])
  expect(blockParam({ blockHash: hash('a') })).toEqual({ blockHash: hash('a') })
})

test('a call has the fields that are given, zeros too', () => {
  expect(callParam({ to: one, data: '0x' })).toStrictEqual({ to: one, data: '0x' })
  expect(callParam({ to: null, data: '0x60' })).toStrictEqual({ data: '0x60' })
  const lists = { accessList: [{ address: two }], authorizationList: [{ chainId: '0x1' }] }
  expect(callParam({ to: one, data: '0x', ...lists })).toStrictEqual({ to: one, data: '0x', ...lists })
  expect(callParam({ to: one, from: two, data: '0x12', gas: 0n, gasPrice: 0n, value: 0n })).toStrictEqual({
    ...{ to: one, from: two, data: '0x12', gas: '0x0', gasPrice: '0x0', value: '0x0' },
  })
  expect(callParam({ to: one, data: '0x', gas: 16n, gasPrice: 17n, value: 18n })).toStrictEqual({
    ...{ to: one, data: '0x', gas: '0x10', gasPrice: '0x11', value: '0x12' },
  })
})

test('overrides have the fields that are given, zeros too', () => {
  expect(overridesParam({})).toEqual({})
  expect(overridesParam({ [one]: {}, [two]: { balance: 0n, nonce: 0, code: '0x' } })).toStrictEqual({
    [one]: {},
    [two]: { balance: '0x0', nonce: '0x0', code: '0x' },
  })
  const stateDiff = { [hash('a')]: hash('b') }
  expect(overridesParam({ [one]: { balance: 10n, nonce: 11, stateDiff } })).toStrictEqual({
    [one]: { balance: '0xa', nonce: '0xb', stateDiff },
  })
})

test('code of a thousand characters and more is put into JSON once, and reads as it is', () => {
  const codeOf = (code: Hex) => overridesParam({ [one]: { code } })[one]!.code
  const short: Hex = `0x${'6'.repeat(997)}`
  const long: Hex = `0x${'6'.repeat(998)}`
  expect(codeOf(short)).toBe(short)
  expect(codeOf(long)).not.toBe(long)
  expect(codeOf(long)).toBe(codeOf(long))
  expect(codeOf(long)).not.toBe(codeOf(`0x${'7'.repeat(998)}`))
  expect(JSON.stringify([codeOf(short), codeOf(long)])).toBe(`["${short}","${long}"]`)
})

const raw: RawBlock = {
  number: '0x10',
  hash: hash('A'),
  parentHash: hash('B'),
  timestamp: '0x64',
  gasLimit: '0x1c9c380',
  baseFeePerGas: '0x7',
  miner: `0x${'C'.repeat(40)}`,
  logsBloom: '0x00',
}

test('a block is read with hashes and addresses in lower case', () => {
  expect(decodeBlock(raw)).toStrictEqual({
    ...{ number: 16, hash: hash('a'), parentHash: hash('b'), timestamp: 100, gasLimit: 30_000_000n },
    ...{ baseFeePerGas: 7n, miner: `0x${'c'.repeat(40)}`, logsBloom: '0x00' },
  })
  expect(hashOf(raw)).toBe(hash('a'))
})

test('a block may lack base fee, miner and bloom', () => {
  const { baseFeePerGas: _, miner: __, logsBloom: ___, ...old } = raw
  const header = decodeBlock(old)
  expect(header).toMatchObject({ baseFeePerGas: null, miner: `0x${'0'.repeat(40)}` })
  expect(header).not.toHaveProperty('logsBloom')
  expect(decodeBlock({ ...raw, baseFeePerGas: '0x0' }).baseFeePerGas).toBe(0n)
})

test('a filter of logs has the fields that are given, and either a hash or a range', () => {
  expect(logFilterParam({ blockHash: hash('a') })).toStrictEqual({ blockHash: hash('a') })
  expect(logFilterParam({ fromBlock: 0, toBlock: 31, address: one, topics: [null] })).toStrictEqual({
    ...{ fromBlock: '0x0', toBlock: '0x1f', address: one, topics: [null] },
  })
})

test('a log is read with hashes, topics and address in lower case, and its data as it is', () => {
  const log = { address: `0x${'D'.repeat(40)}`, topics: [hash('E')], data: '0xAB', blockHash: hash('F') } as const
  expect(decodeLog({ ...log, blockNumber: '0x11', logIndex: '0x2' })).toStrictEqual({
    ...{ address: `0x${'d'.repeat(40)}`, topics: [hash('e')], data: '0xAB', blockHash: hash('f') },
    ...{ blockNumber: 17, logIndex: 2 },
  })
})

test.each([undefined, null, '0x0', '0x1', '0x5207'] as const)('a gas limit of %s counts as none', (gasLimit) => {
  const { gasLimit: _, ...rest } = raw
  expect(decodeBlock({ ...rest, ...(gasLimit !== undefined && { gasLimit }) }).gasLimit).toBe(2n ** 63n - 1n)
  expect(decodeBlock({ ...raw, gasLimit: '0x5208' }).gasLimit).toBe(21_000n)
})

test.each([null, '', '0x', '0x0'])('a miner %j counts as the zero address', (miner) => {
  expect(decodeBlock({ ...raw, miner }).miner).toBe(`0x${'0'.repeat(40)}`)
})

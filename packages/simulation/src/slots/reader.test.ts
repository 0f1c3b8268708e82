import { SlotProbe__factory, StorageProbe__factory } from '@sluice/bindings'
import { bytecode } from '@sluice/bindings/bytecode'
import { type Hex, toAddress } from '@sluice/chains'
import { type Rpc, RpcError } from '@sluice/rpc'
import { expect, test } from 'vitest'
import { fictitiousOwner, mergeWrites, SLOT_PROBE, storageOverrides, TokenReader } from './reader.ts'

const token = toAddress(`0x${'7'.repeat(40)}`)
const other = toAddress(`0x${'8'.repeat(40)}`)
const account = toAddress(`0x${'9'.repeat(40)}`)
const slotProbe = SlotProbe__factory.createInterface()
const storageProbe = StorageProbe__factory.createInterface()
const FAILED = 2n ** 256n - 2n
const block = { blockHash: `0x${'c'.repeat(64)}` } as const
const keyOf = (digit: string): Hex => `0x${digit.repeat(64)}`

function readerOf(answer: string | Error, blockOverrides?: Promise<{ timestamp: number }>) {
  const calls: unknown[][] = []
  const call = async (...args: unknown[]) => {
    calls.push(args)
    if (answer instanceof Error) throw answer
    return answer
  }
  const getCode = async (...args: unknown[]) => {
    calls.push(args)
    return answer
  }
  const rpc = { call, getCode } as unknown as Rpc
  const reader = new TokenReader({
    rpc,
    token,
    block,
    request: { timeoutMs: 9 },
    ...(blockOverrides && { blockOverrides }),
  })
  return { reader, calls, inputOf: (k: number) => (calls[k]![0] as { data: Hex }).data }
}

const readingsOf = (...readings: readonly (readonly [bigint, bigint])[]) =>
  slotProbe.encodeFunctionResult('read', [readings.map(([balance, allowance]) => ({ balance, allowance }))])

test('owners have consecutive addresses, and the probe has a separate one', () => {
  expect(fictitiousOwner(0)).toBe('0x0aed51ce90000000000000000000000000000000')
  expect(fictitiousOwner(1)).toBe('0x0aed51ce90000000000000000000000000000001')
  expect(fictitiousOwner(256)).toBe('0x0aed51ce90000000000000000000000000000100')
  expect(SLOT_PROBE).toBe('0x5177ce0000000000000000000000000000000002')
})

test('owners are read in one call with the writes and the environment, and null means no answer', async () => {
  const environment = Promise.resolve({ timestamp: 77 })
  const { reader, calls, inputOf } = readerOf(
    readingsOf([5n, FAILED], [FAILED, 6n], [FAILED - 1n, FAILED + 1n]),
    environment,
  )
  const writes = new Map([[token, [{ key: keyOf('1'), value: keyOf('2') }]]])
  expect(await reader.readOwners(3, writes)).toEqual([
    { balance: 5n, allowance: null },
    { balance: null, allowance: 6n },
    { balance: FAILED - 1n, allowance: FAILED + 1n },
  ])
  const [, spender, first, count] = slotProbe.decodeFunctionData('read', inputOf(0))
  expect([spender.toLowerCase(), first.toLowerCase(), count]).toEqual([SLOT_PROBE, fictitiousOwner(0), 3n])
  const overrides = {
    [token]: { stateDiff: { [keyOf('1')]: keyOf('2') } },
    [SLOT_PROBE]: { code: bytecode.SlotProbe.runtime },
  }
  expect(calls[0]!.slice(1)).toEqual([block, { timeoutMs: 9, overrides, blockOverrides: { timestamp: 77 } }])
  expect(calls[0]![0]).toMatchObject({ to: SLOT_PROBE })
})

test('one account is read for the probe, or for a spender, in the environment of the block', async () => {
  const { reader, calls, inputOf } = readerOf(readingsOf([5n, 6n]))
  expect(await reader.readAccount(account, new Map())).toEqual({ balance: 5n, allowance: 6n })
  await reader.readAccount(account, new Map(), other)
  const inputs = [0, 1].map((k) => [...slotProbe.decodeFunctionData('read', inputOf(k))])
  expect(
    inputs.map(([queriedToken, spender, first, count]) => [queriedToken, spender, first, count].map(String)),
  ).toEqual([
    [token, SLOT_PROBE, account, '1'].map((text) => expect.stringMatching(new RegExp(`^${text}$`, 'i'))),
    [token, other, account, '1'].map((text) => expect.stringMatching(new RegExp(`^${text}$`, 'i'))),
  ])
  expect(calls[0]![2]).toMatchObject({ blockOverrides: {} })
})

test('a transfer by the probe reports the balances of the owner and the growth of the receiver', async () => {
  const { reader, inputOf } = readerOf(slotProbe.encodeFunctionResult('take', [10n, 4n, 5n]))
  expect(await reader.transfer(account, other, 6n, new Map())).toEqual({
    balanceBefore: 10n,
    balanceAfter: 4n,
    received: 5n,
  })
  const input = [...slotProbe.decodeFunctionData('take', inputOf(0))].map((value) => String(value).toLowerCase())
  expect(input).toEqual([token, account, other, '6'])
})

test('only warm accounts are touched', async () => {
  const { reader, inputOf } = readerOf(slotProbe.encodeFunctionResult('touched', [[true, false, true]]))
  expect(await reader.touchedAccounts([token, other, account])).toEqual([token, account])
  const [queriedToken, first, accounts] = slotProbe.decodeFunctionData('touched', inputOf(0))
  expect([queriedToken.toLowerCase(), first.toLowerCase()]).toEqual([token, fictitiousOwner(0)])
  expect([...accounts].map((one: string) => one.toLowerCase())).toEqual([token, other, account])
})

test('storage is read by code that replaces that of the contract', async () => {
  const { reader, calls, inputOf } = readerOf(storageProbe.encodeFunctionResult('words', [[7n, 8n]]))
  expect([...(await reader.readStorage(other, [1n, 2n]))]).toEqual([7n, 8n])
  expect([...storageProbe.decodeFunctionData('words', inputOf(0))[0]]).toEqual([1n, 2n])
  const overrides = { [other]: { code: bytecode.StorageProbe.runtime } }
  expect(calls[0]).toEqual([{ to: other, data: inputOf(0) }, block, { timeoutMs: 9, overrides }])
})

test('code is read at the block', async () => {
  const { reader, calls } = readerOf('0x6001')
  expect(await reader.readCode(other)).toBe('0x6001')
  expect(calls).toEqual([[other, block, { timeoutMs: 9 }]])
})

test('a revert means that the token cannot be read, and other failures are rethrown', async () => {
  const revert = new RpcError('REVERTED', 'out of gas')
  const { reader } = readerOf(revert)
  const expected = { code: 'BAD_TOKEN', message: `${token} cannot be read: out of gas`, cause: revert }
  await expect(reader.readOwners(1, new Map())).rejects.toMatchObject(expected)
  await expect(reader.transfer(account, other, 1n, new Map())).rejects.toMatchObject(expected)
  for (const error of [new RpcError('TIMEOUT', 'too slow'), new TypeError('broken')])
    await expect(readerOf(error).reader.readOwners(1, new Map())).rejects.toBe(error)
})

test('writes are merged by contract in their order, and no list of them is changed', () => {
  const list = [{ key: keyOf('1'), value: keyOf('2') }]
  const extraWrites = [{ key: keyOf('3'), value: keyOf('4') }]
  const merged = mergeWrites([token, list], [other, extraWrites], [token, extraWrites])
  expect([...merged]).toEqual([
    [token, [...list, ...extraWrites]],
    [other, extraWrites],
  ])
  expect(list).toHaveLength(1)
  expect(storageOverrides(merged)).toEqual({
    [token]: { stateDiff: { [keyOf('1')]: keyOf('2'), [keyOf('3')]: keyOf('4') } },
    [other]: { stateDiff: { [keyOf('3')]: keyOf('4') } },
  })
})

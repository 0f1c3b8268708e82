import { type Hex, toAddress } from '@sluice/chains'
import { type Rpc, RpcError } from '@sluice/rpc'
import { AbiCoder, id } from 'ethers'
import { expect, test } from 'vitest'
import { allowanceCalldata, balanceOfCalldata, findReadSlots } from './access-list.ts'

const token = toAddress(`0x${'7'.repeat(40)}`)
const owner = toAddress(`0x${'9'.repeat(40)}`)
const spender = toAddress(`0x${'5'.repeat(40)}`)
const abi = AbiCoder.defaultAbiCoder()
const keyOf = (index: number): Hex => `0x${index.toString(16).padStart(64, '0')}`

function nodeOf(answer: unknown) {
  const sent: unknown[][] = []
  const request = async (...args: unknown[]) => {
    sent.push(args)
    if (answer instanceof Error) throw answer
    return answer
  }
  return { rpc: { request } as unknown as Rpc, sent }
}

test('calldata is that of ERC-20', () => {
  expect(balanceOfCalldata(owner)).toBe(
    id('balanceOf(address)').slice(0, 10) + abi.encode(['address'], [owner]).slice(2),
  )
  expect(allowanceCalldata(owner, spender)).toBe(
    id('allowance(address,address)').slice(0, 10) + abi.encode(['address', 'address'], [owner, spender]).slice(2),
  )
})

test('slots of all contracts are returned in reverse order, with addresses in lower case', async () => {
  const store = `0x${'Ab'.repeat(20)}`
  const { rpc, sent } = nodeOf({
    accessList: [
      { address: token, storageKeys: [keyOf(1), keyOf(2)] },
      { address: spender, storageKeys: [] },
      { address: store, storageKeys: [keyOf(3)] },
    ],
  })
  expect(await findReadSlots(rpc, token, '0x1234', { timeoutMs: 9 })).toEqual([
    { contract: store.toLowerCase(), key: keyOf(3) },
    { contract: token, key: keyOf(2) },
    { contract: token, key: keyOf(1) },
  ])
  expect(sent).toEqual([['eth_createAccessList', [{ to: token, data: '0x1234' }, 'latest'], { timeoutMs: 9 }]])
})

test('at most the last 32 slots are used', async () => {
  const storageKeys = Array.from({ length: 40 }, (_, k) => keyOf(k))
  const { rpc } = nodeOf({ accessList: [{ address: token, storageKeys }] })
  const keys = (await findReadSlots(rpc, token, '0x', {})).map(({ key }) => key)
  expect(keys).toEqual(Array.from({ length: 32 }, (_, k) => keyOf(39 - k)))
})

test.each([
  ['no answer', null],
  ['an answer without a list', {}],
  ['a refusal', new RpcError('UNSUPPORTED', 'no such method')],
  ['a revert', new RpcError('REVERTED', 'execution reverted')],
])('%s gives no slots', async (_, answer) => {
  expect(await findReadSlots(nodeOf(answer).rpc, token, '0x', {})).toEqual([])
})

test.each([
  ['of the connection', new RpcError('UNREACHABLE', 'no connection')],
  ['of anything else', new TypeError('broken')],
])('a failure %s is passed on', async (_, error) => {
  await expect(findReadSlots(nodeOf(error).rpc, token, '0x', {})).rejects.toBe(error)
})

test('if the list lacks the token, as that of Erigon does, a creation that calls the token is listed', async () => {
  const store = toAddress(`0x${'a'.repeat(40)}`)
  const nodeWith = (listOfCreation: unknown) => {
    const calls: Readonly<Record<string, string>>[] = []
    const request = async (_: string, [call]: readonly [Readonly<Record<string, string>>]) => {
      calls.push(call)
      return call.to ? { accessList: [{ address: store, storageKeys: [keyOf(3)] }] } : listOfCreation
    }
    return { calls, find: () => findReadSlots({ request } as unknown as Rpc, token, balanceOfCalldata(owner), {}) }
  }
  const { calls, find } = nodeWith({ accessList: [{ address: token, storageKeys: [keyOf(1)] }] })
  expect(await find()).toEqual([{ contract: token, key: keyOf(1) }])
  expect(calls).toHaveLength(2)
  expect(calls[1]?.from).toMatch(/^0x[0-9a-f]{40}$/)
  expect(calls[1]?.data).toContain(token.slice(2))
  expect(calls[1]?.data?.endsWith(balanceOfCalldata(owner).slice(2))).toBe(true)
  for (const listOfCreation of [null, { accessList: [] }])
    expect(await nodeWith(listOfCreation).find()).toEqual([{ contract: store, key: keyOf(3) }])
})

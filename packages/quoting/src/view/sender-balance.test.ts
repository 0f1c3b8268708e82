import { NATIVE, toAddress } from '@sluice/chains'
import { type CallRequest, type Rpc, RpcError } from '@sluice/rpc'
import { expect, test } from 'vitest'
import { NEUTRAL_SENDER } from '../neutral-sender.ts'
import { balanceReader } from './sender-balance.ts'

const token = toAddress(`0x${'a1'.repeat(20)}`)
const account = toAddress(`0x${'b2'.repeat(20)}`)

function readerOf(answer: () => string) {
  const calls: unknown[][] = []
  const call = async (request: CallRequest, block: unknown) => {
    calls.push([request, block])
    return answer()
  }
  return { calls, balanceOf: balanceReader({ call } as unknown as Rpc, { blockHash: '0x07' }) }
}
const throwing = (code: 'REVERTED' | 'TIMEOUT') => () => {
  throw new RpcError(code, 'no')
}

test('a balance is read once at the block', async () => {
  const { calls, balanceOf } = readerOf(() => `0x${'7'.padStart(64, '0')}`)
  expect([await balanceOf(token, account), await balanceOf(token, account)]).toEqual([7n, 7n])
  const data = `0x70a08231${account.slice(2).padStart(64, '0')}`
  expect(calls).toEqual([[{ to: token, data }, { blockHash: '0x07' }]])
})

test('the native token and the neutral sender need no request', async () => {
  const { calls, balanceOf } = readerOf(() => '0x')
  expect([await balanceOf(NATIVE, account), await balanceOf(token, NEUTRAL_SENDER)]).toEqual([0n, 0n])
  expect(calls).toEqual([])
})

test('a token that does not respond has a balance of 0, and a node that fails is an error', async () => {
  expect(await readerOf(() => '0x').balanceOf(token, account)).toBe(0n)
  expect(await readerOf(throwing('REVERTED')).balanceOf(token, account)).toBe(0n)
  await expect(readerOf(throwing('TIMEOUT')).balanceOf(token, account)).rejects.toThrow('no')
})

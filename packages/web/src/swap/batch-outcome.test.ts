/** Tests the outcome of batches as wallets report them. */
import { expect, test } from 'vitest'
import { batchOutcome, minedChange } from './batch-outcome.ts'

const ACCOUNT = `0x${'5'.repeat(40)}`
const HASH = `0x${'ab'.repeat(32)}`
const receipts = [{ transactionHash: HASH }]

test.each([
  ['pending', { status: 100 }, { state: 'pending' }],
  ['in another form', null, { state: 'pending' }],
  ['mined', { status: 200, receipts }, { state: 'pending', id: HASH, kind: 'swap' }],
  ['mined, without a receipt', { status: 200, receipts: [] }, { state: 'landed', status: 'landed' }],
  ['mined, by a draft of the standard', { status: 'CONFIRMED' }, { state: 'landed', status: 'landed' }],
  [
    'mined, with a text for its hash',
    { status: 200, receipts: [{ transactionHash: 'none' }] },
    { state: 'landed', status: 'landed' },
  ],
  ['failed', { status: 500, receipts }, { state: 'reverted', status: 'failed' }],
])('a batch that is %s', async (_, status, outcome) => {
  const requests: unknown[] = []
  const request = async (method: string, params: readonly unknown[]) => {
    requests.push([method, params])
    return method === 'eth_getTransactionReceipt' ? { status: '0x0' } : status
  }
  expect(await batchOutcome('0xba', { address: ACCOUNT, request } as never)).toEqual(outcome)
  expect(requests[0]).toEqual(['wallet_getCallsStatus', ['0xba']])
})

test.each([
  [
    { status: '0x1', from: ACCOUNT, logs: [{ address: '0x1' }] },
    { state: 'pending', id: HASH, kind: 'swap' },
  ],
  [
    { status: '0x1', from: '0x1', logs: [] },
    { state: 'pending', id: HASH, kind: 'swap' },
  ],
  [null, { state: 'reverted', status: 'failed' }],
])('a batch that the wallet reports as failed, with the receipt %j, is %j', async (receipt, outcome) => {
  const request = async (method: string) =>
    method === 'eth_getTransactionReceipt' ? receipt : { status: 500, receipts }
  expect(await batchOutcome('0xba', { address: ACCOUNT, request } as never)).toEqual(outcome)
})

test('a batch that the wallet does not know is unknown, so that the user can remove it; other errors are none', async () => {
  const outcomeWith = (code: number) =>
    batchOutcome('0xba', { request: () => Promise.reject(Object.assign(new Error('no'), { code })) } as never)
  expect(await outcomeWith(5_730)).toEqual({ state: 'unknown' })
  await expect(outcomeWith(4_900)).rejects.toThrow('no')
})

test('a batch without a hash is mined under its own id, which is not followed as a hash', () => {
  expect(minedChange(HASH)).toEqual({ id: HASH, kind: 'swap' })
  expect(minedChange('0xba')).toEqual({ status: 'landed' })
})

import { toAddress } from '@sluice/chains'
import { id, toBeHex } from 'ethers'
import { expect, test } from 'vitest'
import { readSimulation } from './simulate-v1.ts'

const [from, to] = [toAddress(`0x${'1'.repeat(40)}`), toAddress(`0x${'2'.repeat(40)}`)]
const word = (address: string) => `0x${address.slice(2).padStart(64, '0')}`
/** Log of a native transfer in the format of the eth_simulateV1 specification. */
const transfer = {
  address: '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE',
  topics: [id('Transfer(address,address,uint256)'), word(from), word(to)],
  data: toBeHex(5n, 32),
}
const call = { status: '0x1', returnData: '0x', gasUsed: '0x5208', logs: [] as unknown[] }
const transfersOf = (...logs: readonly unknown[]) => readSimulation([{ calls: [{ ...call, logs }] }])[0]!.transfers

test('native transfers are read from their logs, whatever the case of the address', () => {
  const lower = { ...transfer, address: transfer.address.toLowerCase() }
  expect(transfersOf(transfer, lower)).toEqual(Array.from({ length: 2 }, () => ({ from, to, amount: 5n })))
})

test.each([
  ['of a token', { ...transfer, address: from }],
  ['of another event', { ...transfer, topics: [id('Approval(address,address,uint256)'), ...transfer.topics.slice(1)] }],
  ['without a recipient', { ...transfer, topics: transfer.topics.slice(0, 2) }],
  ['without a sender', { ...transfer, topics: transfer.topics.slice(0, 1) }],
])('a log %s is no native transfer', (_, log) => {
  expect(transfersOf(log, transfer)).toEqual([{ from, to, amount: 5n }])
})

test('each transaction has its status, gas and answer', () => {
  const calls = [
    { ...call, returnData: '0x12', maxUsedGas: '0x6000' },
    { ...call, status: '0x0', error: { data: '0xdead' } },
    { ...call, status: '0x0', error: { data: 'no bytes' } },
    { ...call, status: '0x0', returnData: '0xbeef', error: { data: '0xdead' } },
  ]
  expect(readSimulation([{ calls }])).toEqual([
    { success: true, returnData: '0x12', gasUsed: 21_000n, maxUsedGas: 24_576n, transfers: [] },
    { success: false, returnData: '0xdead', gasUsed: 21_000n, maxUsedGas: undefined, transfers: [] },
    { success: false, returnData: '0x', gasUsed: 21_000n, maxUsedGas: undefined, transfers: [] },
    { success: false, returnData: '0xbeef', gasUsed: 21_000n, maxUsedGas: undefined, transfers: [] },
  ])
})

test.each([[[]], [null], [[{ calls: [{ ...call, gasUsed: 'many' }] }]]])(
  'an answer of another form is refused: %j',
  (raw) => {
    expect(() => readSimulation(raw)).toThrow(expect.objectContaining({ code: 'BAD_ANSWER' }))
  },
)

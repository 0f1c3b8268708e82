/** Tests the status of a transaction that a node's responses prove, without a node. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { word } from '../test/memory-node.ts'
import * as h from '../test/routes.ts'
import { NATIVE } from './index.ts'
import { nodeStatus } from './receipt-status.ts'

const hash = word(7)
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const WITHDRAWAL = '0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65'
const topic = (address: string) => word(BigInt(address))
const transfer = (token: string, from: string, to: string, amount: bigint) => ({
  ...{ address: token, topics: [TRANSFER, topic(from), topic(to)], data: word(amount) },
})
const withdrawal = (by: string, amount: bigint, wrapper: string = h.WETH) => ({
  ...{ address: wrapper, topics: [WITHDRAWAL, topic(by)], data: word(amount) },
})
const transactionOf = ({ route: { tx } }: h.Honest, change: object = {}) => ({
  ...{ hash, from: tx.from, to: tx.to, input: tx.data, value: `0x${BigInt(tx.value).toString(16)}`, ...change },
})
const receiptOf = (logs: readonly object[], change: object = {}) => ({
  ...{ transactionHash: hash, status: '0x1', blockNumber: '0x64', blockHash: word(5), gasUsed: '0x64' },
  ...{ effectiveGasPrice: '0x7', logs, ...change },
})
const read = (
  honest: h.Honest,
  logs: readonly object[] | null,
  options: { quoted?: bigint; receipt?: object; transaction?: object; head?: unknown } = {},
) =>
  nodeStatus(
    hash,
    {
      transaction: transactionOf(honest, options.transaction),
      receipt: logs && receiptOf(logs, options.receipt),
      head: options.head ?? '0x66',
    },
    { guards: [h.guard], quoted: options.quoted },
  )

const logs = [
  transfer(h.WETH, h.sender, h.POOL, 1_000_000n),
  transfer(h.USDC, h.POOL, h.guard, 2_000_000n),
  transfer(h.USDC, h.guard, h.sender, 2_000_000n),
]

test('a mined swap has its order, amounts, block, gas and confirmations', () => {
  expect(read(h.single, logs, { quoted: 2_000_001n })).toEqual({
    ...{ hash, status: 'landed', block: 100, blockHash: word(5), confirmations: 3, from: h.sender, to: h.guard },
    ...{ gasUsed: '100', gasCost: { native: '700', l1Fee: null }, isSwapRead: true },
    swap: {
      ...{ src: h.WETH, dst: h.USDC, fromAmount: '1000000', minToAmount: '1990000', deadline: h.DEADLINE },
      ...{ spent: '1000000', received: '2000000', quoted: '2000001', difference: 0 },
    },
  })
})

test('the hex digits of a node may have any letter case', () => {
  const upper = <T extends object>(answer: T): T =>
    JSON.parse(JSON.stringify(answer).replace(/0x[0-9a-f]+/g, (text) => `0x${text.slice(2).toUpperCase()}`))
  const [transaction, receipt] = [upper(transactionOf(h.single)), upper(receiptOf(logs))]
  expect(read(h.single, logs, { transaction, receipt })).toEqual(read(h.single, logs))
})

test('the difference to the quote is in percent, with four decimals', () => {
  const of = (quoted: bigint) => read(h.single, logs, { quoted }).swap!.difference
  expect([of(1_000_000n), of(4_000_000n), of(3_000_000n), of(0n)]).toEqual([100, -50, -33.3333, null])
  expect(read(h.single, logs).swap).not.toHaveProperty('difference')
  expect(read(h.single, [], { quoted: 1n }).swap).toMatchObject({ received: null, spent: null, difference: null })
})

test('amounts are the sums of the transfers of the right token, to and from the right account', () => {
  const of = (more: readonly object[]) => read(h.single, [...logs, ...more]).swap!
  expect(of([transfer(h.USDC, h.guard, h.sender, 5n)]).received).toBe('2000005')
  expect(of([transfer(h.USDC, h.sender, h.guard, 5n)]).received).toBe('1999995')
  expect(of([transfer(h.WETH, h.guard, h.sender, 5n)]).spent).toBe('999995')
  expect(of([transfer(h.USDC, h.sender, h.guard, 3_000_000n)]).received).toBeNull()
  for (const ignored of [
    transfer(h.USDT, h.guard, h.sender, 5n),
    transfer(h.USDC, h.guard, h.untrusted, 5n),
    { ...transfer(h.USDC, h.guard, h.sender, 5n), topics: [WITHDRAWAL, topic(h.guard), topic(h.sender)] },
    { ...transfer(h.USDC, h.guard, h.sender, 5n), topics: [TRANSFER, topic(h.guard), topic(h.sender), word(5)] },
    { ...transfer(h.USDC, h.guard, h.sender, 5n), data: '0x' },
  ])
    expect(of([ignored]).received).toBe('2000000')
})

test('another recipient receives the output', () => {
  const honest = h.changed(h.single, { recipient: h.untrusted })
  expect(read(honest, [...logs, transfer(h.USDC, h.guard, h.untrusted, 9n)]).swap!.received).toBe('9')
})

test('native output is what the Guard unwrapped, less the fee', () => {
  const honest = h.changed(h.nativeOut, { feePpm: 1_500n, feeRecipient: h.at('66') })
  const of = (...events: readonly object[]) => read(honest, events).swap!
  expect(of(withdrawal(h.guard, 600_000n), withdrawal(h.guard, 400_001n))).toMatchObject({
    dst: NATIVE.toLowerCase(),
    received: '998501',
  })
  expect(of(withdrawal(h.untrusted, 1_000_000n), withdrawal(h.guard, 5n, h.USDC)).received).toBeNull()
  expect(read(h.changed(h.nativeOut, { wrapper: h.ZERO }), [withdrawal(h.guard, 7n)]).swap!.received).toBeNull()
})

test('native input is what was sent, less what the Guard unwrapped and returned', () => {
  expect(read(h.nativeIn, []).swap).toMatchObject({ src: NATIVE.toLowerCase(), spent: '1000000' })
  expect(read(h.nativeIn, [withdrawal(h.guard, 400n)]).swap!.spent).toBe('999600')
  expect(read(h.changed(h.nativeIn, { tokenIn: h.ZERO, program: '0x01' }), []).swap!.spent).toBeNull()
})

test('a reverted, a pending and an unknown transaction have no amounts', () => {
  expect(read(h.single, logs, { receipt: { status: '0x0' } })).toMatchObject({
    ...{ status: 'reverted', swap: { spent: null, received: null, fromAmount: '1000000' } },
  })
  expect(read(h.single, null)).toMatchObject({
    status: 'pending',
    block: null,
    confirmations: null,
    gasUsed: null,
    gasCost: null,
  })
  const unknown = nodeStatus(hash, { transaction: null, receipt: null, head: '0x1' }, { guards: [h.guard] })
  expect(unknown).toMatchObject({ status: 'unknown', from: null, to: null, swap: null, isSwapRead: false })
})

test('a call of another contract, and other calldata of the Guard, are not read as swaps', () => {
  for (const transaction of [{ to: h.untrusted }, { to: null }, { input: '0x12345678' }])
    expect(read(h.single, logs, { transaction })).toMatchObject({ swap: null, isSwapRead: false, status: 'landed' })
})

test('costs of a layer-2 chain are added, and unknown prices give no cost', () => {
  expect(read(h.single, logs, { receipt: { l1Fee: '0x5' } }).gasCost).toEqual({ native: '705', l1Fee: '5' })
  const isthmus = { l1Fee: '0x5', operatorFeeScalar: '0x7a120', operatorFeeConstant: '0x3' }
  expect(read(h.single, logs, { receipt: isthmus }).gasCost).toEqual({ native: '758', l1Fee: '58' })
  for (const field of ['daFootprintGasScalar', 'tokenRatio']) {
    const jovian = { ...isthmus, operatorFeeScalar: '0x1', [field]: '0x0' }
    expect(read(h.single, logs, { receipt: jovian }).gasCost).toEqual({ native: '10708', l1Fee: '10008' })
  }
  const paidInToken = { transaction: { feeCurrency: h.USDC } }
  expect(read(h.single, logs, paidInToken).gasCost).toBeNull()
  expect(read(h.single, logs, { transaction: { feeCurrency: null } }).gasCost).not.toBeNull()
  expect(read(h.single, logs, { receipt: { effectiveGasPrice: undefined } }).gasCost).toBeNull()
})

/** Receipts with their fees; rpc and web compute the same. */
const FEE_VECTORS = new URL('../../rpc/test/fixtures/receipt-fees.json', import.meta.url)

test('the fee of a layer-2 chain is the one that the service computes', () => {
  const vectors = JSON.parse(readFileSync(FEE_VECTORS, 'utf8')) as {
    readonly gasUsed: string
    readonly receipts: readonly { readonly name: string; readonly receipt: object; readonly feeWei: string | null }[]
  }
  const { gasUsed } = vectors
  for (const { name, receipt, feeWei } of vectors.receipts) {
    const native = (BigInt(gasUsed) * 7n + BigInt(feeWei ?? 0)).toString()
    expect(read(h.single, logs, { receipt: { gasUsed, ...receipt } }).gasCost, name).toEqual({ native, l1Fee: feeWei })
  }
  expect(vectors.receipts.length).toBeGreaterThan(10)
})

test('a head that lags has one confirmation', () => {
  expect(read(h.single, logs, { head: '0x60' }).confirmations).toBe(1)
  expect(read(h.single, logs, { head: '0x64' }).confirmations).toBe(1)
  expect(read(h.single, logs, { head: '0x65' }).confirmations).toBe(2)
})

describe('a malformed response is WALLET', () => {
  test.each([
    ['transaction', { transaction: { hash: word(8) } }],
    ['transaction', { transaction: { from: '0x12' } }],
    ['transaction', { transaction: { to: '0x12' } }],
    ['transaction', { transaction: { input: '0x1' } }],
    ['transaction', { transaction: { value: '0x' } }],
    ['transaction', { transaction: { value: 7 } }],
    ['receipt', { receipt: { transactionHash: word(8) } }],
    ['receipt', { receipt: { status: undefined } }],
    ['receipt', { receipt: { status: '0x2' } }],
    ['receipt', { receipt: { blockNumber: null } }],
    ['receipt', { receipt: { blockNumber: `0x${'f'.repeat(20)}` } }],
    ['receipt', { receipt: { blockHash: null } }],
    ['receipt', { receipt: { gasUsed: 'x' } }],
    ['receipt', { receipt: { logs: {} } }],
    ['receipt', { receipt: { logs: Array(100_001).fill(logs[0]) } }],
    ['receipt', { receipt: { logs: [{ ...logs[0], address: '0x' }] } }],
    ['receipt', { receipt: { logs: [{ ...logs[0], topics: 'x' }] } }],
    ['receipt', { receipt: { logs: [{ ...logs[0], topics: [7] }] } }],
    ['receipt', { receipt: { logs: [{ ...logs[0], data: null }] } }],
    ['head', { head: 'x' }],
  ] as const)('about the %s (%#)', (what, change) => {
    expect(() => read(h.single, logs, change as object)).toThrow(
      expect.objectContaining({ code: 'WALLET', message: `the node's answer about the ${what} cannot be read` }),
    )
  })

  test('but numbers of the status, and calldata named data, are read', () => {
    expect(read(h.single, logs, { receipt: { status: 1 } }).status).toBe('landed')
    expect(read(h.single, logs, { receipt: { status: 0 } }).status).toBe('reverted')
    const { data } = h.single.route.tx
    expect(read(h.single, logs, { transaction: { input: undefined, data } }).isSwapRead).toBe(true)
  })
})

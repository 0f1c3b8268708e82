/** Tests the amount that a mined swap paid, with a node in memory. */
import { readFileSync } from 'node:fs'
import { type Eip1193Provider, NATIVE } from '@sluice/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { receiptOf } from './sent-receipt.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const [SENDER, OTHER, TOKEN] = ['1', '2', '3'].map((digit) => `0x${digit.repeat(40)}`) as [string, string, string]
const HASH = `0x${'ab'.repeat(32)}`
const mined = { from: SENDER, blockNumber: '0x10', gasUsed: '0x64', effectiveGasPrice: '0x2' }

const operatorFee = { operatorFeeScalar: '0x7a120', operatorFeeConstant: '0x3' }
const jovianFee = { ...operatorFee, operatorFeeScalar: '0x1' }

/** A node whose balances are 1,000 before block 16 and 5,000 after it, and that first answers null `misses` times. */
function nodeOf(receipt: object, { misses = 0, keepsState = true, after = '0x1388' } = {}) {
  let missesLeft = misses
  const request = async ({ method, params }: { readonly method: string; readonly params: readonly unknown[] }) => {
    if (method === 'eth_getTransactionReceipt') return missesLeft-- > 0 ? null : receipt
    if (params[1] === '0xf' && !keepsState) throw new Error('missing trie node')
    return params[1] === '0x10' ? after : '0x3e8'
  }
  return { request } as unknown as Eip1193Provider
}
const read = async (provider: Eip1193Provider, { dst = NATIVE as string, recipient = SENDER } = {}) => {
  const receipt = receiptOf(provider, { dst, tx: { from: SENDER } } as never, recipient, HASH)
  const outcome = receipt.catch((error: Error) => error.message)
  await vi.advanceTimersByTimeAsync(60_000)
  return outcome
}

test.each([
  ['a token', mined, { dst: TOKEN }, 4_000n],
  ['the native token, whose recipient also paid the gas', mined, {}, 4_200n],
  ['the native token on a rollup, whose fee has a part for the parent chain', { ...mined, l1Fee: '0x7' }, {}, 4_207n],
  ['the native token, with an operator fee of Isthmus', { ...mined, ...operatorFee }, {}, 4_253n],
  [
    'the native token, with an operator fee of Jovian',
    { ...mined, ...jovianFee, daFootprintGasScalar: '0x0' },
    {},
    14_203n,
  ],
  ['the native token, with an operator fee of Mantle', { ...mined, ...jovianFee, tokenRatio: '0x1' }, {}, 14_203n],
  ['the native token, of another account', mined, { recipient: OTHER }, 4_000n],
  ['the native token, of a smart account whose gas another account paid', { ...mined, from: OTHER }, {}, 4_000n],
])('counts what came in: %s', async (_, receipt, target, received) => {
  const { recipient = SENDER } = target as { recipient?: string }
  const expected = { hash: HASH, block: 16, gasUsed: 100n, received, isForRecipient: recipient === OTHER }
  expect(await read(nodeOf(receipt), target)).toEqual(expected)
})

/** Receipts with their fees; rpc and client compute the same. */
const FEE_VECTORS = new URL('../../../rpc/test/fixtures/receipt-fees.json', import.meta.url)

test('adds the fee that the service computes', async () => {
  const vectors = JSON.parse(readFileSync(FEE_VECTORS, 'utf8')) as {
    readonly gasUsed: string
    readonly receipts: readonly { readonly name: string; readonly receipt: object; readonly feeWei: string | null }[]
  }
  const { gasUsed } = vectors
  for (const { name, receipt, feeWei } of vectors.receipts) {
    const received = 4_000n + 2n * BigInt(gasUsed) + BigInt(feeWei ?? 0)
    expect(await read(nodeOf({ ...mined, gasUsed, ...receipt })), name).toMatchObject({ received })
  }
  expect(vectors.receipts.length).toBeGreaterThan(10)
})

test('a balance that decreased in the block leaves the amount unknown, because the list of swaps takes no other', async () => {
  expect(await read(nodeOf(mined, { after: '0x1' }), { dst: TOKEN })).toMatchObject({ received: undefined })
})

test('a node without past state leaves the amount unknown', async () => {
  expect(await read(nodeOf(mined, { keepsState: false }))).toMatchObject({ block: 16, received: undefined })
})

test('a node that does not have the block yet is asked again, for a while', async () => {
  expect(await read(nodeOf(mined, { misses: 3 }))).toMatchObject({ block: 16, received: 4_200n })
  expect(await read(nodeOf(mined, { misses: 1_000 }))).toMatch('does not have its receipt yet')
})

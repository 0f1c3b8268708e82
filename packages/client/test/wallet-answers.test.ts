/** Tests wallet responses that users of other packages reported as problems. */
import { expect, test } from 'vitest'
import { sendBatch, waitForBatch } from '../src/batch.ts'
import { checkedWallet } from '../src/checked-wallet.ts'
import { EventParser } from '../src/events.ts'
import { ClientError, fromEip1193 } from '../src/index.ts'

const address = `0x${'11'.repeat(20)}`
const walletOf = (answer: (method: string) => unknown) =>
  checkedWallet(fromEip1193({ request: async ({ method }: { method: string }) => answer(method) }, address), 1)

test('a refusal is REJECTED in any format of the wallet', async () => {
  for (const error of [
    { code: 4001, message: 'x' },
    { code: 'ACTION_REJECTED' },
    new Error('outer', { cause: { cause: { code: 4001 } } }),
    { info: { error: { code: 4001 } } },
    { code: 5000 },
    new Error('MetaMask Tx Signature: User denied transaction signature.'),
    { message: 'user rejected the request' },
  ]) {
    const wallet = walletOf((method) => {
      if (method === 'eth_chainId') return '0x1'
      throw error
    })
    await expect(wallet.send({ to: address, data: '0x', value: 0n })).rejects.toMatchObject({ code: 'REJECTED' })
  }
  const broke = walletOf((method) => {
    if (method === 'eth_chainId') return '0x1'
    throw new Error('insufficient funds')
  })
  await expect(broke.send({ to: address, data: '0x', value: 0n })).rejects.toMatchObject({ code: 'WALLET' })
})

test('a batch is done with the status of the draft, and without a receipt', async () => {
  const of = (status: object) =>
    waitForBatch(
      walletOf(() => status),
      '0xid',
    )
  expect(await of({ status: 200, receipts: [{ transactionHash: '0xab' }] })).toBe('0xab')
  expect(await of({ status: 'CONFIRMED', receipts: [{ transactionHash: '0xab', status: '0x1' }] })).toBe('0xab')
  expect(await of({ status: 200 })).toBe('0xid')
  for (const status of [{ status: 500 }, { status: 400 }, { status: 'CONFIRMED', receipts: [{ status: '0x0' }] }])
    await expect(of(status)).rejects.toMatchObject({ code: 'REVERTED', details: { hash: '0xid' } })
  for (const sent of ['0xid', { id: '0xid' }])
    expect(
      await sendBatch(
        walletOf(() => sent),
        1,
        [],
      ),
    ).toBe('0xid')
  await expect(
    sendBatch(
      walletOf(() => null),
      1,
      [],
    ),
  ).rejects.toBeInstanceOf(ClientError)
})

test('a stream is read line by line: each character once, for any chunks', () => {
  const events = 'event: quote\r\ndata: {"a":\r\ndata: 1}\r\n\r\n: comment\n\nevent: block\ndata: 2\n\n'
  for (const size of [1, 2, 3, 7, events.length]) {
    const parser = new EventParser('/x')
    const results: unknown[] = []
    for (let at = 0; at < events.length; at += size) results.push(...parser.push(events.slice(at, at + size)))
    expect(results).toEqual([
      { event: 'quote', data: { a: 1 } },
      { event: 'block', data: 2 },
    ])
  }
  const endless = new EventParser('/x')
  expect(() => {
    for (let k = 0; k < 1_000; k++) for (const _ of endless.push('x'.repeat(10_000))) expect.unreachable()
  }).toThrow(expect.objectContaining({ code: 'BAD_ANSWER' }))
})

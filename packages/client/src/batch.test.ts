/** Tests of batches of calls against wallets in memory: capabilities, ids, statuses, and failures. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { at } from '../test/routes.ts'
import { ENTRY_POINTS, SAFE_FAILURE, SAFE_SUCCESS, USER_OPERATION } from './account-events.ts'
import { canBatch, sendBatch, waitForBatch } from './batch.ts'
import { checkedWallet } from './checked-wallet.ts'
import { ClientError } from './errors.ts'
import type { Wallet } from './wallet.ts'

const address = at('55')
const calls = [{ to: at('66'), data: '0x12', value: 255n } as const]

/** A wallet that answers each request by `answer`. */
function walletOf(answer: (method: string, params: readonly unknown[]) => unknown) {
  const requests: [string, readonly unknown[]][] = []
  const request = async (method: string, params: readonly unknown[]) => {
    requests.push([method, params])
    return answer(method, params)
  }
  return { wallet: { address, chainId: async () => 10, request } as unknown as Wallet, requests }
}
const rejecting = (code: unknown) =>
  walletOf(() => {
    throw Object.assign(new Error('no'), { code })
  }).wallet

describe('whether a wallet can batch', () => {
  test.each([
    [{ '0xa': { atomic: { status: 'supported' } } }, true],
    [{ '0xa': { atomic: { status: 'ready' } } }, true],
    [{ '0xa': { atomic: { status: 'unsupported' } } }, false],
    [{ '0xa': { atomic: {} } }, false],
    [{ '0xa': {} }, false],
    [{ '0x1': { atomic: { status: 'supported' } } }, false],
    [{ '0x0': { atomic: { status: 'supported' } } }, true],
    [{ '0xa': { atomic: { status: 'unsupported' } }, '0x0': { atomic: { status: 'supported' } } }, false],
    [{ '0xa': { paymasterService: {} }, '0x0': { atomic: { status: 'supported' } } }, true],
    [{ '0xA': { atomic: { status: 'supported' } } }, true],
    [{ '0x0a': { atomic: { status: 'ready' } } }, true],
    [{ x: { atomic: { status: 'supported' } }, '0xa': null }, false],
    [{}, false],
    [null, false],
  ])('is derived from %o: %s', async (capabilities, expected) => {
    const { wallet, requests } = walletOf(() => capabilities)
    expect(await canBatch(wallet, 10)).toBe(expected)
    expect(requests).toEqual([['wallet_getCapabilities', [address, ['0xa']]]])
  })

  test('is denied by one that cannot be asked, or refuses', async () => {
    expect(await canBatch({ address } as unknown as Wallet, 10)).toBe(false)
    expect(await canBatch(rejecting(-32_601), 10)).toBe(false)
  })

  // MetaMask for iOS does so on some chains (cowprotocol/cowswap#7726).
  test('is denied by one that never answers', async () => {
    vi.useFakeTimers()
    try {
      const outcome = canBatch(walletOf(() => new Promise(() => undefined)).wallet, 10)
      await vi.advanceTimersByTimeAsync(5_000)
      expect(await outcome).toBe(false)
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('a batch that is sent', () => {
  test('has all calls, and is atomic', async () => {
    const { wallet, requests } = walletOf(() => ({ id: '0x01' }))
    expect(await sendBatch(wallet, 10, calls)).toBe('0x01')
    const call = { to: at('66'), data: '0x12', value: '0xff' }
    expect(requests).toEqual([
      ['wallet_sendCalls', [{ version: '2.0.0', chainId: '0xa', from: address, atomicRequired: true, calls: [call] }]],
    ])
  })

  test.each([
    ['0xba', '0xba'],
    [{ id: 'x' }, 'x'],
    [{ id: 'x'.repeat(8_194) }, 'x'.repeat(8_194)],
  ])('has the id that the wallet answers', async (answer, id) => {
    expect(await sendBatch(walletOf(() => answer).wallet, 10, calls)).toBe(id)
  })

  test.each([
    [''],
    [{ id: '' }],
    [{ id: 5 }],
    [{ id: ['0x01'] }],
    [{}],
    [null],
    [undefined],
    [{ id: 'x'.repeat(8_195) }],
    ['x'.repeat(8_195)],
  ])('without an id may have been taken, so that nothing is sent again', async (answer) => {
    await expect(sendBatch(walletOf(() => answer).wallet, 10, calls)).rejects.toMatchObject({ code: 'PENDING' })
  })

  test.each([-32_601, -32_602, 4_200, 5_700, 5_710, 5_720, 5_740, 5_750, 5_760])(
    'can be sent call by call after error %i',
    async (code) => {
      expect(await sendBatch(rejecting(code), 10, calls)).toBeUndefined()
      expect(await sendBatch(checkedWallet(rejecting(code), 10), 10, calls)).toBeUndefined()
    },
  )

  test.each([5_730, 4_001, -32_603, undefined])('fails after error %s', async (code) => {
    await expect(sendBatch(rejecting(code), 10, calls)).rejects.toThrow('no')
    await expect(sendBatch(checkedWallet(rejecting(code), 10), 10, calls)).rejects.toBeInstanceOf(ClientError)
  })
})

describe('the outcome of a batch', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())
  const hash = `0x${'9'.repeat(64)}`
  const receipt = { transactionHash: hash, status: '0x1' }

  const outcomeOf = async (answers: readonly unknown[], onChain: readonly unknown[] = [null]) => {
    let answerIndex = 0
    let receiptIndex = 0
    const { wallet, requests } = walletOf((method) => {
      if (method === 'eth_getTransactionReceipt') return onChain[Math.min(receiptIndex++, onChain.length - 1)]
      const answer = answers[Math.min(answerIndex++, answers.length - 1)]
      if (answer instanceof Error) throw answer
      return answer
    })
    const outcome = waitForBatch(wallet, '0x01').then(
      (value) => value,
      (error: ClientError) => error,
    )
    await vi.runAllTimersAsync()
    return { outcome: await outcome, requests }
  }

  test.each<[object, string]>([
    [{ status: 200, receipts: [receipt] }, hash],
    [{ status: 'CONFIRMED', receipts: [receipt] }, hash],
    [{ status: 200, receipts: [{ ...receipt, transactionHash: '0x02' }, receipt] }, hash],
    [{ status: 200, receipts: [] }, '0x01'],
    [{ status: 200 }, '0x01'],
    [{ status: 200, receipts: 'none' }, '0x01'],
    [{ status: 200, receipts: [{ transactionHash: 5 }] }, '0x01'],
  ])('%o is the transaction, or the id without one', async (status, expected) => {
    const { outcome, requests } = await outcomeOf([{ status: 100 }, {}, status])
    expect(outcome).toBe(expected)
    expect(requests).toEqual(Array(3).fill(['wallet_getCallsStatus', ['0x01']]))
  })

  test('is requested again if the wallet does not answer', async () => {
    const { outcome } = await outcomeOf([new Promise(() => undefined), { status: 200, receipts: [receipt] }])
    expect(outcome).toBe(hash)
  })

  test.each([
    [{ status: 400 }],
    [{ status: 500, receipts: [receipt] }],
    [{ status: 600 }],
    [{ status: 200, receipts: [{ ...receipt, status: '0x0' }, receipt] }],
  ])('%o is a failure, with the id', async (status) => {
    const { outcome } = await outcomeOf([{ status: 100 }, status])
    expect(outcome).toMatchObject({ code: 'REVERTED', details: { hash: '0x01' } })
  })

  const token = at('77')
  const [entryPoint] = ENTRY_POINTS as [string]
  const mined = (of: object = {}) => ({
    ...{
      transactionHash: hash,
      status: '0x1',
      from: address,
      logs: [{ address: token, topics: [], data: '0x' }],
      ...of,
    },
  })
  const paddedAddress = `0x${address.slice(2).padStart(64, '0')}`
  const operationBy = (sender: string, success: number, emitter = entryPoint) => ({
    ...{ address: emitter, topics: [USER_OPERATION, `0x${'5'.repeat(64)}`, sender, `0x${'0'.repeat(64)}`] },
    data: `0x${[7, success, 1, 2].map((word) => String(word).padStart(64, '0')).join('')}`,
  })
  const safeEvent = (event: string, emitter = address) => ({ address: emitter, topics: [event], data: '0x' })
  const relayed = (...logs: readonly object[]) => mined({ from: at('88'), logs: [{ address: token }, ...logs] })

  test.each<[string, object]>([
    ['the account itself called', mined()],
    ['an entry point executed', relayed(operationBy(paddedAddress, 1))],
    ['a Safe executed', relayed(safeEvent(SAFE_SUCCESS))],
  ])('that the wallet reports as failed is done if %s', async (_, onChain) => {
    for (const status of [400, 500, 600]) {
      const answers = [{ status: 100 }, { status, receipts: [{ ...receipt, transactionHash: '0x02' }, receipt] }]
      const { outcome, requests } = await outcomeOf(answers, [null, onChain])
      expect(outcome).toBe(hash)
      expect(requests.filter(([method]) => method === 'eth_getTransactionReceipt')).toEqual(
        Array(2).fill(['eth_getTransactionReceipt', [hash]]),
      )
    }
  })

  test.each<[string, unknown]>([
    ['does not have the transaction', null],
    ['reports a revert', mined({ status: '0x0' })],
    ['reports a revert as a number', mined({ status: 0 })],
    ['has a failed operation of the account', relayed(operationBy(paddedAddress, 0))],
    ['has a failure of the Safe', relayed(safeEvent(SAFE_FAILURE))],
  ])('that the wallet reports as failed is a failure if the node %s', async (_, onChain) => {
    const { outcome } = await outcomeOf([{ status: 500, receipts: [receipt] }], [onChain])
    expect(outcome).toMatchObject({ code: 'REVERTED', details: { hash: '0x01' } })
  })

  test.each<[string, unknown]>([
    ['another account sent the transaction', relayed()],
    ['the transaction moved nothing', mined({ logs: [{ address }] })],
    ['an operation is of another account', relayed(operationBy(`0x${'6'.repeat(64)}`, 1))],
    ['another contract logged the operation', relayed(operationBy(paddedAddress, 1, token))],
    ['another Safe executed', relayed(safeEvent(SAFE_SUCCESS, token))],
    ['two operations differ', relayed(operationBy(paddedAddress, 1), operationBy(paddedAddress, 0))],
    ['the receipt has no logs', mined({ logs: null })],
  ])('that the wallet reports as failed is pending if %s', async (_, onChain) => {
    const { outcome } = await outcomeOf([{ status: 500, receipts: [receipt] }], [onChain])
    expect(outcome).toMatchObject({ code: 'PENDING', details: { hash: '0x01' } })
  })

  test('is unknown after twenty failures in a row of the wallet, and not before', async () => {
    const failure = new Error('locked')
    const { outcome, requests } = await outcomeOf([failure])
    expect(outcome).toMatchObject({ code: 'PENDING', details: { hash: '0x01' }, cause: failure })
    expect(requests).toHaveLength(20)
    const failures = Array(19).fill(failure)
    const answers = [...failures, { status: 100 }, ...failures, { status: 200, receipts: [receipt] }]
    expect((await outcomeOf(answers)).outcome).toBe(hash)
  })

  test('is pending after five minutes, or an abort', async () => {
    const startedAt = Date.now()
    const { outcome } = await outcomeOf([{ status: 100 }])
    expect(outcome).toMatchObject({ code: 'PENDING', details: { hash: '0x01' } })
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(300_000)
    expect(Date.now() - startedAt).toBeLessThan(300_500 + 500)
    const { wallet, requests } = walletOf(() => ({ status: 200 }))
    await expect(waitForBatch(wallet, '0x01', AbortSignal.abort())).rejects.toMatchObject({ code: 'PENDING' })
    expect(requests).toEqual([])
  })
})

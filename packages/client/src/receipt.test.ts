/** Tests for how long an outcome is waited for, and which logs may name it. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { MemoryNode, word } from '../test/memory-node.ts'
import { at } from '../test/routes.ts'
import { fromEip1193 } from './index.ts'
import { waitForReceipt } from './receipt.ts'
import type { Wallet } from './wallet.ts'

const hash = word(0xabn)
const address = at('55')

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())
/** Outcome of `act` once all its timers ran. */
async function settled<T>(act: Promise<T>): Promise<T> {
  const caught = act.then(
    (value) => () => value,
    (error) => () => {
      throw error
    },
  )
  await vi.runAllTimersAsync()
  return (await caught)()
}
const failing = () => {
  throw new Error('down')
}

test('nineteen failures in a row are borne, again and again', async () => {
  const answers = [...Array(19).fill(failing), () => null, ...Array(19).fill(failing), () => ({ status: '0x1' })]
  const node = new MemoryNode(address)
  node.answers.set('eth_getTransactionReceipt', () => answers.shift()!())
  expect(await settled(waitForReceipt(node.wallet, hash, 90))).toEqual({ hash, succeeded: true })
  expect(answers).toEqual([])
})

test('the reason why it is PENDING is the node, the caller, or the time', async () => {
  const node = new MemoryNode(address)
  node.answers.set('eth_getTransactionReceipt', () => null)
  const details = { code: 'PENDING', details: { hash } }
  const late = settled(waitForReceipt(node.wallet, hash, 90))
  await expect(late).rejects.toMatchObject({ ...details, message: `nothing was mined within 300 s for ${hash}` })
  const stopped = settled(waitForReceipt(node.wallet, hash, 90, AbortSignal.abort()))
  await expect(stopped).rejects.toMatchObject({ ...details, message: `the caller stopped waiting for ${hash}` })
  node.answers.set('eth_getTransactionReceipt', failing)
  const deaf = settled(waitForReceipt(node.wallet, hash, 90))
  await expect(deaf).rejects.toMatchObject({ ...details, message: `the node does not answer about ${hash}` })
})

test.each(['eth_getTransactionReceipt', 'eth_getLogs'])('a lost answer to %s ends no wait', async (lostMethod) => {
  const node = new MemoryNode(address)
  let requests = 0
  node.answers.set('eth_getTransactionReceipt', () => (++requests > 1 ? { status: '0x1' } : null))
  const answer = node.answers.get(lostMethod)
  let isLost = false
  node.answers.set(lostMethod, (...parameters) => {
    if (isLost) return answer ? answer(...parameters) : []
    isLost = true
    return new Promise(() => undefined)
  })
  expect(await settled(waitForReceipt(node.wallet, hash, 90))).toEqual({ hash, succeeded: true })
})

test('a node that refuses logs names the outcome by the receipt alone', async () => {
  const node = new MemoryNode(address)
  let requests = 0
  node.answers.set('eth_getTransactionReceipt', () => (++requests > 30 ? { status: '0x1' } : null))
  node.answers.set('eth_getLogs', failing)
  expect(await settled(waitForReceipt(node.wallet, hash, 90))).toEqual({ hash, succeeded: true })
})

describe('the logs of an account or an entry point', () => {
  const logRequests = async (wallet: Partial<Wallet>, id: string = hash) => {
    const node = new MemoryNode(address)
    node.answers.set('eth_getTransactionReceipt', () => (node.requests.length > 6 ? { status: '0x0' } : null))
    await settled(waitForReceipt({ ...node.wallet, ...wallet }, id, 90))
    return node.methods().filter((method) => method === 'eth_getLogs').length
  }

  test('are read only for a hash, by a wallet with JSON-RPC', async () => {
    expect(await logRequests({})).toBeGreaterThan(0)
    expect(await logRequests({}, `${hash}00`)).toBe(0)
    expect(await logRequests({}, hash.slice(2))).toBe(0)
    expect(await logRequests({ request: undefined as never })).toBe(0)
  })

  test('without topics name a hash by their data, and no success', async () => {
    const node = new MemoryNode(address)
    node.answers.set('eth_getTransactionReceipt', () => null)
    node.answers.set('eth_getLogs', () => [{ data: hash, transactionHash: word(3) }, null])
    expect(await settled(waitForReceipt(node.wallet, hash, 90))).toEqual({ hash: word(3), succeeded: false })
  })

  test('name a hash in any letter case', async () => {
    const upper = `0x${hash.slice(2).toUpperCase()}`
    for (const [requestedHash, topic] of [
      [upper, hash],
      [hash, upper],
    ]) {
      const node = new MemoryNode(address)
      node.answers.set('eth_getTransactionReceipt', () => null)
      node.answers.set('eth_getLogs', ([filter]) =>
        (filter as { address: unknown }).address === address
          ? [{ topics: ['0x', topic], transactionHash: word(3) }]
          : [],
      )
      expect((await settled(waitForReceipt(node.wallet, requestedHash!, 90))).hash).toBe(word(3))
    }
  })

  test('that are no list name no outcome', async () => {
    const node = new MemoryNode(address)
    const receipts = [null, { status: '0x0', transactionHash: word(3) }]
    node.answers.set('eth_getTransactionReceipt', () => receipts.shift())
    node.answers.set('eth_getLogs', () => ({ find: () => ({ transactionHash: word(4) }) }))
    expect(await settled(waitForReceipt(node.wallet, hash, 90))).toEqual({ hash: word(3), succeeded: false })
  })
})

test('a wallet without receipts knows whether a transaction succeeded', async () => {
  const wallet = { succeeded: async () => false } as unknown as Wallet
  expect(await settled(waitForReceipt(wallet, hash, 90))).toEqual({ hash, succeeded: false })
})

test('the wallet of a provider waits five minutes for success', async () => {
  const receipts: (object | null)[] = [null, null, { status: 1 }]
  const wallet = fromEip1193({ request: async () => receipts.shift() ?? null }, address)
  expect(await settled(wallet.succeeded(hash))).toBe(true)
  const from = Date.now()
  await expect(settled(wallet.succeeded(hash))).rejects.toMatchObject({ code: 'PENDING', details: { hash } })
  expect(Math.floor((Date.now() - from) / 1_000)).toBe(300)
})

test('the outcome of a replaced transaction is that of the same call, and another call REJECTS the swap', async () => {
  const sent = { from: address, to: at('66'), input: '0x1234', value: '0x0', nonce: '0x7' }
  const replacedBy = (change: object) => {
    const node = new MemoryNode(address)
    const mined = { ...sent, ...change, hash: word(9) }
    node.answers.set('eth_getTransactionReceipt', ([id]) =>
      id === word(9) ? { status: '0x1', transactionHash: id } : null,
    )
    node.answers.set('eth_getTransactionByHash', () => sent)
    node.answers.set('eth_getTransactionCount', ([, block]) => (Number(block) >= 95 ? '0x8' : '0x7'))
    node.answers.set('eth_getBlockByNumber', ([block]) => ({ transactions: Number(block) === 95 ? [mined] : [] }))
    return settled(waitForReceipt(node.wallet, hash, 90))
  }
  expect(await replacedBy({})).toEqual({ hash: word(9), succeeded: true })
  await expect(replacedBy({ to: address })).rejects.toMatchObject({ code: 'REJECTED', details: { hash } })
})

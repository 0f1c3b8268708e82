/** Tests which transaction counts as the replacement of a pending one. */
import { expect, test } from 'vitest'
import { MemoryNode, word } from '../test/memory-node.ts'
import { at } from '../test/routes.ts'
import { ReplacementWatch } from './replacement.ts'

const address = at('55')
const hash = word(0xabn)
const sent = { from: address, to: at('66'), input: '0x1234', value: '0x0', nonce: '0x7' }

/** A node with a pending transaction, whose nonce is used from block `usedAt` on, by `mined`. */
function nodeWith(mined: object | null, usedAt = 103, pending: object | null = sent) {
  const node = new MemoryNode(address)
  node.block = 160
  node.answers.set('eth_getTransactionByHash', () => pending)
  node.answers.set('eth_getTransactionCount', ([, block]) => (Number(block) >= usedAt ? '0x8' : '0x7'))
  node.answers.set('eth_getBlockByNumber', ([block]) => ({
    transactions: Number(block) === usedAt ? [null, { ...sent, nonce: '0x6', hash: word(1) }, mined] : [],
  }))
  return node
}
const find = (node: MemoryNode, id: string = hash) => new ReplacementWatch(node.wallet, id, 100).find()

test('the same call with a higher fee, in any letter case, is the same call', async () => {
  const mined = { ...sent, from: address.toUpperCase(), value: '0x00', hash: word(9) }
  for (const usedAt of [101, 103, 131, 160])
    expect(await find(nodeWith(mined, usedAt))).toEqual({ hash: word(9), isSameCall: true })
})

test('another receiver, data, or value is another call', async () => {
  for (const change of [{ to: address }, { input: '0x' }, { value: '0x1' }, { to: null }])
    expect(await find(nodeWith({ ...sent, ...change, hash: word(9) }))).toEqual({ hash: word(9), isSameCall: false })
})

test('there is none before the nonce is used, and if the transaction itself used it', async () => {
  const node = nodeWith({ ...sent, hash: word(9) }, 161)
  const watch = new ReplacementWatch(node.wallet, hash, 100)
  expect(await watch.find()).toBeUndefined()
  node.block = 161
  expect(await watch.find()).toEqual({ hash: word(9), isSameCall: true })
  // The pending transaction is read once, because the node forgets a replaced one.
  expect(node.methods().filter((method) => method === 'eth_getTransactionByHash')).toHaveLength(1)
  expect(await find(nodeWith({ ...sent, hash: hash.toUpperCase().replace('X', 'x') }))).toBeUndefined()
  expect(await find(nodeWith(null))).toBeUndefined()
})

test('there is none for a hash that the node does not know as a transaction of the account', async () => {
  const mined = { ...sent, hash: word(9) }
  for (const pending of [null, {}, { ...sent, from: at('77') }, { ...sent, nonce: undefined }])
    expect(await find(nodeWith(mined, 103, pending))).toBeUndefined()
  const node = nodeWith(mined)
  expect(await find(node, 'batch-1')).toBeUndefined()
  expect(node.requests).toEqual([])
  const { request: _, ...wallet } = node.wallet
  expect(await new ReplacementWatch(wallet, hash, 100).find()).toBeUndefined()
})

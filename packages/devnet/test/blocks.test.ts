/** Tests that replayed Ethereum blocks match the recorded ones. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Mainnet, readBlocks, replayBlock, request, startMainnet } from '../src/index.ts'

let node: Mainnet
beforeAll(async () => {
  node = await startMainnet({ replay: true })
})
afterAll(() => node?.stop())

const [first, second] = readBlocks()

test('a replayed block with another result is reported', { tags: 'long' }, async () => {
  const before = await request(node.url, 'evm_snapshot', [])
  const [firstTransaction, ...otherTransactions] = first!.transactions
  const alteredBlock = {
    ...first!,
    transactions: [{ ...firstTransaction!, gasUsed: firstTransaction!.gasUsed + 1 }, ...otherTransactions],
  }
  await expect(replayBlock(node.url, alteredBlock)).rejects.toThrow('transaction 0 of block 24628607')
  await request(node.url, 'evm_revert', [before])
})

test('a block without its last transaction has other receipts', { tags: 'long' }, async () => {
  const before = await request(node.url, 'evm_snapshot', [])
  const shorter = { ...first!, transactions: first!.transactions.slice(0, -1) }
  await expect(replayBlock(node.url, shorter)).rejects.toThrow(`and not ${first!.receiptsRoot}`)
  await request(node.url, 'evm_revert', [before])
})

test('both blocks have the results of Ethereum, to the last log', async () => {
  await replayBlock(node.url, first!)
  await replayBlock(node.url, second!)
  expect(Number(await request(node.url, 'eth_blockNumber', []))).toBe(24_628_608)
})

test('a block cannot be replayed after it', async () => {
  await expect(replayBlock(node.url, first!)).rejects.toThrow('cannot be mined any more')
})

/** Tests that approvals are for the exact amount, and sent only if they are needed. */
import { describe, expect, test } from 'vitest'
import { approval, MemoryNode, serviceOf, word } from '../test/memory-node.ts'
import * as h from '../test/routes.ts'
import { allowanceOf, sendApproval } from './approve.ts'
import { selectors } from './calls.ts'
import { approve, swap } from './index.ts'

const run = async (node: MemoryNode, amount = 5n) => {
  await approve(node.wallet, h.USDC, h.guard, amount)
  return node.sent.map(({ to, data, value }) => [to, data, value])
}

describe('an approval', () => {
  test('is for exactly the amount, and not sent if the allowance suffices', async () => {
    const node = new MemoryNode()
    expect(await run(node)).toEqual([[h.USDC, approval(5n), '0x0']])
    expect(await run(node)).toHaveLength(1)
    expect(await run(node, 6n)).toEqual([
      [h.USDC, approval(5n), '0x0'],
      [h.USDC, approval(6n), '0x0'],
    ])
  })

  test('resets an allowance that the token refuses to change', async () => {
    const node = new MemoryNode()
    node.views.set(selectors.approve, () => {
      throw new Error('execution reverted')
    })
    expect((await run(node, 5n)).map(([, data]) => data)).toEqual([approval(5n)])
    expect((await run(node, 6n)).map(([, data]) => data)).toEqual([approval(5n), approval(0n), approval(6n)])
  })

  test('that reverts is REVERTED, and ends before the next one', async () => {
    const node = new MemoryNode()
    Object.assign(node, { allowance: 1n, status: '0x0' })
    node.views.set(selectors.approve, () => {
      throw new Error('execution reverted')
    })
    await expect(run(node)).rejects.toMatchObject({ code: 'REVERTED', details: { hash: word(1) } })
    expect(node.sent).toHaveLength(1)
  })

  test('is no longer waited for after an abort', async () => {
    const node = new MemoryNode()
    const controller = new AbortController()
    node.answers.set('eth_getTransactionReceipt', () => {
      controller.abort()
      return null
    })
    const { signal } = controller
    const options = { trustQuote: true, signal }
    const { from: _, ...request } = h.single.request
    const swapping = swap(serviceOf(h.single.route).client, node.wallet, h.CHAIN, request, options)
    await expect(swapping).rejects.toMatchObject({ code: 'PENDING', details: { hash: word(1) } })
    expect(node.sent).toHaveLength(1)
  })

  test('reports its hash and block before it is mined', async () => {
    const node = new MemoryNode()
    node.answers.set('eth_sendTransaction', () => {
      // The transaction may be mined before the wallet answers.
      node.block++
      return word(1)
    })
    const reports: unknown[] = []
    await sendApproval(node.wallet, { to: h.USDC, data: approval(5n), value: 0n }, (hash, fromBlock) =>
      reports.push(hash, fromBlock, node.methods().includes('eth_getTransactionReceipt')),
    )
    expect(reports).toEqual([word(1), 100, false])
  })
})

test('an allowance is the first word of the answer; less than a word is WALLET', async () => {
  const node = new MemoryNode()
  node.views.set(selectors.allowance, `${word(7)}ff`)
  expect(await allowanceOf(node.wallet, h.USDC, h.guard)).toBe(7n)
  for (const answer of ['0x', word(7).slice(0, -1)] as const) {
    node.views.set(selectors.allowance, answer as never)
    await expect(allowanceOf(node.wallet, h.USDC, h.guard)).rejects.toMatchObject({
      ...{ code: 'WALLET', message: `${h.USDC} does not answer as a token` },
    })
  }
})

/** Tests how a swap is resumed from its state, with a node and a service in memory. */
import { describe, expect, test } from 'vitest'
import { MemoryNode, serviceOf, word } from '../test/memory-node.ts'
import * as h from '../test/routes.ts'
import { resumeSwap, type SwapProgress, type SwapState, swap } from './index.ts'

const { from: _, ...request } = h.single.request
const { route } = h.single
const trusting = { trustQuote: true }

describe('a resumed swap', () => {
  const state = (change: Partial<SwapState>) =>
    ({
      version: 1,
      chainId: 1,
      from: h.sender,
      request,
      stage: 'sent',
      hash: word(7),
      fromBlock: 90,
      route,
      ...change,
    }) as SwapState
  const resumed = (node: MemoryNode, change: Partial<SwapState>) =>
    resumeSwap(serviceOf(route).client, node.wallet, state(change), trusting)

  test('waits for what was sent and sends nothing', async () => {
    const node = new MemoryNode()
    expect(await resumed(node, {})).toEqual({ hash: word(7), route })
    const from = `0x${h.sender.slice(2).toUpperCase()}`
    expect(await resumed(node, { from })).toEqual({ hash: word(7), route })
    expect(await resumed(new MemoryNode(from), {})).toEqual({ hash: word(7), route })
    expect(node.sent).toEqual([])
  })

  test('does not wait for a batch that the wallet could not send', async () => {
    const node = new MemoryNode()
    node.answers.set('wallet_getCapabilities', () => ({ '0x1': { atomic: { status: 'ready' } } }))
    node.answers.set('wallet_sendCalls', () => {
      throw Object.assign(new Error('no'), { code: 5_740 })
    })
    const states: SwapState[] = []
    const onProgress = (event: SwapProgress) => void ('state' in event && states.push(event.state))
    await swap(serviceOf(route).client, node.wallet, h.CHAIN, request, { ...trusting, onProgress })
    expect(states.slice(0, 3).map(({ stage }) => stage)).toEqual(['signing', 'unsent', 'approving'])
    const reloaded = new MemoryNode()
    await resumeSwap(serviceOf(route).client, reloaded.wallet, states[1]!, trusting)
    expect(reloaded.sent).toHaveLength(2)
  })

  test.each([
    ['eth_sendTransaction', ['signing', 'unsent']],
    ['wallet_sendCalls', ['signing', 'unsent']],
  ])('continues after the owner declined %s', async (method, stages) => {
    const node = new MemoryNode()
    if (method === 'eth_sendTransaction') node.allowance = 1_000_000n
    node.answers.set('wallet_getCapabilities', () => ({ '0x1': { atomic: { status: 'ready' } } }))
    node.answers.set(method, () => {
      throw Object.assign(new Error('User rejected the request.'), { code: 4_001 })
    })
    const states: SwapState[] = []
    const onProgress = (event: SwapProgress) => void ('state' in event && states.push(event.state))
    const declined = swap(serviceOf(route).client, node.wallet, h.CHAIN, request, { ...trusting, onProgress })
    await expect(declined).rejects.toMatchObject({ code: 'REJECTED' })
    expect(states.map(({ stage }) => stage)).toEqual(stages)
    const reloaded = new MemoryNode()
    await resumeSwap(serviceOf(route).client, reloaded.wallet, states.at(-1)!, trusting)
    expect(reloaded.sent.at(-1)).toMatchObject({ to: h.guard })
  })

  test('is not in doubt about a wallet that has changed to another chain', async () => {
    const node = new MemoryNode()
    node.allowance = 1_000_000n
    const states: SwapState[] = []
    const onProgress = (event: SwapProgress) => {
      if ('state' in event) states.push(event.state)
      if (event.stage === 'quoted') node.answers.set('eth_chainId', () => '0x2')
    }
    const failed = swap(serviceOf(route).client, node.wallet, h.CHAIN, request, { ...trusting, onProgress })
    await expect(failed).rejects.toMatchObject({ code: 'WALLET', message: 'the wallet is on chain 2, not 1' })
    expect(states).toEqual([])
  })

  test('continues after the approval', async () => {
    for (const stage of ['approving', 'approved'] as const) {
      const node = new MemoryNode()
      node.allowance = 1_000_000n
      await resumed(node, { stage })
      expect(node.sent.map(({ to }) => to)).toEqual([h.guard])
    }
  })

  test.each([
    ['INVALID', { version: 2 as never }],
    ['INVALID', { fromBlock: 1.5 }],
    ['INVALID', { from: undefined as never }],
    ['INVALID', { route: undefined as never }],
    ['WALLET', { from: h.untrusted }],
    ['PENDING', { stage: 'signing', hash: undefined as never }],
  ] as const)('is %s with a state that has %o', async (code, change) => {
    const node = new MemoryNode()
    await expect(resumed(node, change as Partial<SwapState>)).rejects.toMatchObject({ code })
    expect(node.sent).toEqual([])
  })

  test('of an approval that reverted is REVERTED', async () => {
    const node = new MemoryNode()
    node.status = '0x0'
    await expect(resumed(node, { stage: 'approving' })).rejects.toMatchObject({ code: 'REVERTED' })
    expect(node.sent).toEqual([])
  })
})

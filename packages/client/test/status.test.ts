/** Tests the status of transactions on the local chain, as the service reports it and as the caller's node proves it. */
import { NodeProxy, request } from '@sluice/devnet'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type CheckedStatus,
  ClientError,
  fromEip1193,
  getStatus,
  NATIVE,
  type Route,
  SluiceClient,
  type StatusOptions,
  type TransactionStatus,
  type Wallet,
} from '../src/index.ts'
import { CHAIN, type Stage, startStage } from './service.ts'

const WHOLE = 10n ** 18n
const UNKNOWN = `0x${'ab'.repeat(32)}`
const BY_RECEIPT = ['status', 'block', 'blockHash', 'confirmations', 'gasUsed', 'gasCost', 'from', 'to', 'swap']
let stage: Stage
let wallet: Wallet
let from: string
beforeAll(async () => {
  stage = await startStage()
  from = stage.devnet.info.accounts[0]!.address
  wallet = fromEip1193({ request: ({ method, params }) => rpc(method, ...params) }, from)
})
afterAll(() => stage?.stop())

const rpc = <T>(method: string, ...params: readonly unknown[]) => request<T>(stage.devnet.url, method, params)
/** Reads a status and proves it by the wallet's node. The local chain has the Guard address of all chains. */
const proven = (hash: string, more: StatusOptions = {}, client = stage.client) =>
  getStatus(client, CHAIN, hash, { node: wallet, ...more })

async function quote(src: string, dst: string, overrides: object = {}): Promise<Route> {
  if (src !== NATIVE) {
    // approve(address,uint256)
    const data = `0x095ea7b3${stage.guard.slice(2).padStart(64, '0')}${(2n ** 200n).toString(16).padStart(64, '0')}`
    await rpc('eth_sendTransactionSync', { from, to: src, data })
  }
  return stage.client.getSwap(CHAIN, { src, dst, amount: WHOLE, from, ...overrides })
}
const sentBy = ({ tx }: Route) => ({
  ...{ from, to: tx.to, data: tx.data, gas: '0x1e8480' },
  value: `0x${BigInt(tx.value).toString(16)}`,
})
const land = async (transaction: object) =>
  (await rpc<{ transactionHash: string }>('eth_sendTransactionSync', transaction)).transactionHash
const swapped = async (src: string, dst: string, overrides: object = {}) => {
  const route = await quote(src, dst, overrides)
  return { route, hash: await land(sentBy(route)) }
}
async function grown(token: string, { block, gasCost }: TransactionStatus): Promise<bigint> {
  const at = async (number: number) => {
    const tag = `0x${number.toString(16)}`
    if (token === NATIVE) return BigInt(await rpc<string>('eth_getBalance', from, tag))
    const data = `0x70a08231${from.slice(2).padStart(64, '0')}`
    return BigInt(await rpc<string>('eth_call', { to: token, data }, tag))
  }
  return (await at(block!)) - (await at(block! - 1)) + (token === NATIVE ? BigInt(gasCost!.native) : 0n)
}

describe('a mined swap', () => {
  const fee = { convenienceFee: '1', convenienceFeeRecipient: `0x${'fe'.repeat(20)}` }
  test.each([
    ['UNI', 'USDC', {}],
    ['UNI', 'ETH', {}],
    ['ETH', 'USDC', {}],
    ['UNI', 'USDC', fee],
    ['UNI', 'ETH', fee],
    ['ETH', 'WETH', {}],
    ['WETH', 'ETH', {}],
  ] as const)('from %s to %s (%o): proven amounts equal balance changes and the reported amounts', async (...of) => {
    const [src, dst] = [stage.token(of[0]), stage.token(of[1])]
    const { route, hash } = await swapped(src, dst, of[2])
    const options = { toAmount: route.toAmount }
    const { reported, contradicted, ...status } = await proven(hash, options)
    expect(status.proven).toEqual(BY_RECEIPT)
    expect(contradicted).toEqual([])
    expect(status.status).toBe('landed')
    expect(status.swap!.received === null ? null : BigInt(status.swap!.received)).toBe(
      status.swap!.received === null ? null : await grown(dst, status),
    )
    if (of[1] !== 'ETH' || of[0] !== 'WETH') expect(status.swap!.received).not.toBeNull()
    if (status.swap!.spent !== null) expect(BigInt(status.swap!.spent)).toBe(-(await grown(src, status)))
    const { proven: _, ...facts } = status
    expect(facts).toEqual({ ...reported, confirmations: facts.confirmations })
    expect(facts.swap).toEqual(reported.swap)
    // Without a node, nothing is proven.
    const reportedStatus = await getStatus(stage.client, CHAIN, hash, options)
    expect(reportedStatus).toEqual({
      ...reportedStatus.reported,
      proven: [],
      contradicted: [],
      reported: reportedStatus.reported,
    })
    expect(reportedStatus.swap).toEqual(status.swap)
  })

  test('is proven with the URL of a node, and with a hash in any letter case', async () => {
    const { hash } = await swapped(NATIVE, stage.token('USDC'))
    const upper = `0x${hash.slice(2).toUpperCase()}`
    expect(await proven(upper, { node: stage.devnet.url })).toMatchObject({
      hash,
      status: 'landed',
      proven: BY_RECEIPT,
    })
  })

  test('through an unknown Guard is proven if the caller names the Guard, else only reported by the service', async () => {
    const { hash } = await swapped(stage.token('UNI'), stage.token('USDC'))
    const to = `0x${'9d'.repeat(20)}`
    const node = {
      ...wallet,
      request: async (method: string, of: readonly unknown[]) => {
        const answer = await rpc<object>(method, ...of)
        return method === 'eth_getTransactionByHash' ? { ...answer, to } : answer
      },
    }
    const client = lying((status) => ({ ...status, to, swap: { ...status.swap, received: '7' } }))
    const { swap, proven: fields, contradicted } = await proven(hash, { node, guard: undefined }, client)
    expect(fields).toEqual(BY_RECEIPT.filter((name) => name !== 'swap'))
    expect([swap?.received, contradicted]).toEqual(['7', []])
    const named = await proven(hash, { node, guard: `0x${'9D'.repeat(20)}` }, client)
    expect(named).toMatchObject({ proven: BY_RECEIPT, contradicted: ['swap.received'] })
    expect(BigInt(named.swap!.received!)).toBe(await grown(stage.token('USDC'), named))
  })
})

test('a revert is proven, and its reason is only reported by the service', async () => {
  const late = await quote(stage.token('UNI'), stage.token('USDC'), { deadline: 1_999_999_999 })
  // Set the deadline, the fourth word of the order, to a time in the past.
  const data = late.tx.data.replace((1_999_999_999).toString(16).padStart(64, '0'), '1'.padStart(64, '0'))
  const hash = await land({ ...sentBy(late), data })
  const status = await proven(hash, { toAmount: late.toAmount })
  expect(status).toMatchObject({
    ...{ status: 'reverted', proven: BY_RECEIPT, contradicted: [], reason: expect.stringContaining('Expired') },
    swap: { deadline: 1, spent: null, received: null, difference: null },
  })
})

test('a transaction is unknown, pending, mined, and not mined any more after a reorg', async () => {
  const nothing = { block: null, blockHash: null, confirmations: null, gasUsed: null, gasCost: null, reason: null }
  expect(await proven(UNKNOWN)).toMatchObject({ status: 'unknown', ...nothing, swap: null, from: null, proven: [] })
  const route = await quote(stage.token('UNI'), stage.token('USDC'))
  await rpc('evm_setAutomine', false)
  try {
    const hash = await rpc<string>('eth_sendTransaction', sentBy(route))
    const waiting = await proven(hash, { toAmount: route.toAmount })
    expect(waiting).toMatchObject({ status: 'pending', ...nothing, proven: ['from', 'to', 'swap'], contradicted: [] })
    expect(waiting.swap).toMatchObject({ fromAmount: `${WHOLE}`, minToAmount: route.minToAmount, received: null })
    await rpc('evm_mine')
    expect(await proven(hash)).toMatchObject({ status: 'landed', confirmations: 1, contradicted: [] })
    await rpc('anvil_reorg', 1, [])
    const after = await proven(hash)
    expect(after.status).toMatch(/^(pending|unknown)$/)
    expect(after).toMatchObject({ ...nothing, proven: after.status === 'pending' ? ['from', 'to', 'swap'] : [] })
  } finally {
    await rpc('evm_setAutomine', true)
    await rpc('evm_mine')
  }
})

test('a transfer and a deployment are not swaps', async () => {
  const hash = await land({ from, to: `0x${'12'.repeat(20)}`, value: '0x1' })
  expect(await proven(hash)).toMatchObject({ status: 'landed', swap: null, contradicted: [] })
  expect(await proven(await land({ from, data: '0x00' }))).toMatchObject({ status: 'landed', to: null, swap: null })
})

/** Creates a client of the real service and changes its status responses. */
function lying(change: (status: TransactionStatus) => unknown): SluiceClient {
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const answer = await globalThis.fetch(input, init)
    return Response.json(change((await answer.json()) as TransactionStatus), { status: answer.status })
  }
  return new SluiceClient({ baseUrl: stage.server.url, timeoutMs: 30_000, retries: 0, fetch })
}

describe('a dishonest service', () => {
  let hash: string
  let honest: CheckedStatus
  beforeAll(async () => {
    ;({ hash } = await swapped(stage.token('UNI'), stage.token('USDC')))
    honest = await proven(hash)
  })
  const swap = (change: object) => (status: TransactionStatus) => ({ ...status, swap: { ...status.swap, ...change } })
  const plain = (change: object) => (status: TransactionStatus) => ({ ...status, ...change })
  const never = { block: null, blockHash: null, confirmations: null, gasUsed: null, gasCost: null }
  test.each([
    ['of what arrived', swap({ received: '1' }), ['swap.received']],
    ['that nothing is known to have arrived', swap({ received: null }), ['swap.received']],
    ['of what left', swap({ spent: '1' }), ['swap.spent']],
    [
      'of the order',
      swap({ minToAmount: '1', dst: NATIVE, deadline: 1 }),
      ['swap.dst', 'swap.minToAmount', 'swap.deadline'],
    ],
    ['that it is no swap', plain({ swap: null }), expect.arrayContaining(['swap.received'])],
    ['that it reverted', plain({ status: 'reverted', reason: 'x' }), ['status']],
    ['of its block', plain({ block: 1, blockHash: UNKNOWN }), ['block', 'blockHash']],
    [
      'of its gas',
      plain({ gasUsed: '1', gasCost: { native: '1', l1Fee: '1' } }),
      ['gasUsed', 'gasCost.native', 'gasCost.l1Fee'],
    ],
    ['of its sender', plain({ from: `0x${'1'.repeat(40)}` }), ['from']],
    ['that it waits', plain({ ...never, status: 'pending' }), []],
    ['that nobody knows it', plain({ ...never, status: 'unknown', from: null, to: null, swap: null }), []],
  ] as const)('%s changes only the contradicted fields', async (_, change, contradicted) => {
    const { reported, contradicted: contradictions, ...facts } = await proven(hash, {}, lying(change))
    expect(contradictions).toEqual(contradicted)
    const { reported: reportedStatus, contradicted: __, ...expected } = honest
    expect(facts).toEqual({ ...expected, confirmations: facts.confirmations })
    expect(reported).toEqual(change(reportedStatus))
  })

  test('is not believed about a transaction that the node does not know', async () => {
    const invented = lying((status) => ({ ...status, ...honest.reported, hash: UNKNOWN }))
    expect(await proven(UNKNOWN, {}, invented)).toMatchObject({
      ...{ hash: UNKNOWN, status: 'unknown', ...never, from: null, swap: null, reason: null, proven: [] },
      reported: { status: 'landed' },
    })
    // The service cannot present a reverted call with other calldata as a swap.
    const transfer = await land({ from, to: stage.guard, value: '0x0', data: '0x12345678', gas: '0x30d40' }).catch(
      () => undefined,
    )
    if (transfer)
      expect(await proven(transfer, {}, lying(plain({ status: 'landed', swap: honest.reported.swap })))).toMatchObject({
        ...{ status: 'reverted', swap: null, contradicted: ['status'] },
      })
  })

  test.each([
    ['of another transaction', plain({ hash: UNKNOWN })],
    ['with a state that there is none of', plain({ status: 'done' })],
    ['without a field', ({ gasCost: _, ...rest }: TransactionStatus) => rest],
    ['that landed in no block', plain({ block: null })],
    ['that waits in a block', plain({ status: 'pending' })],
    ['with an amount as a number', swap({ received: 1 })],
    ['with an amount below zero', swap({ received: '-1' })],
    ['with a gas cost of another shape', plain({ gasCost: {} })],
    ['as a list', () => []],
  ])('a response %s is BAD_ANSWER', async (_, change) => {
    for (const node of [undefined, wallet])
      await expect(proven(hash, { node }, lying(change))).rejects.toMatchObject({ code: 'BAD_ANSWER' })
  })
})

describe('a node', () => {
  test('of another chain, that fails, or that does not support JSON-RPC is WALLET', async () => {
    const broken: StatusOptions['node'][] = [
      { ...wallet, chainId: async () => 1 },
      {
        ...wallet,
        chainId: async () => {
          throw new Error('gone')
        },
      },
      {
        ...wallet,
        request: async () => {
          throw new Error('gone')
        },
      },
      { chainId: async () => CHAIN },
    ]
    for (const node of broken) await expect(proven(UNKNOWN, { node })).rejects.toMatchObject({ code: 'WALLET' })
  })

  test('with unrelated or malformed responses is WALLET', async () => {
    const { hash } = await swapped(NATIVE, stage.token('USDC'))
    const other = await land({ from, to: `0x${'12'.repeat(20)}`, value: '0x1' })
    const receipt = await rpc<object>('eth_getTransactionReceipt', hash)
    const transaction = await rpc<object>('eth_getTransactionByHash', hash)
    const answers: [string, unknown][] = [
      // Receipt of another transaction, as viem's waitForTransactionReceipt returns it for a replaced one.
      ['eth_getTransactionReceipt', await rpc('eth_getTransactionReceipt', other)],
      ['eth_getTransactionByHash', await rpc('eth_getTransactionByHash', other)],
      ['eth_getTransactionReceipt', { ...receipt, status: undefined }],
      ['eth_getTransactionReceipt', { ...receipt, status: '0x16' }],
      ['eth_getTransactionReceipt', { ...receipt, logs: undefined }],
      ['eth_getTransactionReceipt', { ...receipt, logs: [{}] }],
      ['eth_getTransactionReceipt', { ...receipt, blockNumber: '12' }],
      ['eth_getTransactionReceipt', []],
      ['eth_getTransactionByHash', { ...transaction, value: '-1' }],
      ['eth_getTransactionByHash', { ...transaction, from: 'nobody' }],
      ['eth_blockNumber', 'newest'],
    ]
    for (const [method, answer] of answers) {
      const node = {
        ...wallet,
        request: async (name: string, of: readonly unknown[]) => (name === method ? answer : rpc(name, ...of)),
      }
      await expect(proven(hash, { node }), `${method} ${JSON.stringify(answer)}`).rejects.toMatchObject({
        code: 'WALLET',
      })
    }
    const numbers = { ...receipt, status: 1 }
    const node = {
      ...wallet,
      request: async (name: string, of: readonly unknown[]) =>
        name === 'eth_getTransactionReceipt' ? numbers : rpc(name, ...of),
    }
    expect(await proven(hash, { node })).toMatchObject({ status: 'landed' })
  })

  test('that is behind the service overrides it', async () => {
    const { hash } = await swapped(NATIVE, stage.token('USDC'))
    const behind = await NodeProxy.start(stage.devnet.url, ({ method }) =>
      method === 'eth_getTransactionReceipt' || method === 'eth_getTransactionByHash' ? { result: null } : undefined,
    )
    try {
      expect(await proven(hash, { node: behind.url })).toMatchObject({
        ...{ status: 'unknown', swap: null, proven: [], contradicted: [], reported: { status: 'landed' } },
      })
    } finally {
      await behind.stop()
    }
  })
})

const DAMAGED_CASES = 5_000

test(`${DAMAGED_CASES} damaged answers of service and node: nothing but ClientErrors, and nothing proven that the node did not say`, async () => {
  const { hash } = await swapped(stage.token('UNI'), stage.token('USDC'))
  const reportedStatus: unknown = await stage.client.get(`/status/${CHAIN}/${hash}`)
  const expectedStatus: Record<string, unknown> = {
    eth_getTransactionByHash: await rpc('eth_getTransactionByHash', hash),
    eth_getTransactionReceipt: await rpc('eth_getTransactionReceipt', hash),
    eth_blockNumber: await rpc('eth_blockNumber'),
  }
  const honest = await proven(hash)
  const odd = [
    null,
    0,
    -1,
    1.5,
    '',
    '0x',
    '0x0',
    '1',
    'x'.repeat(100),
    [],
    {},
    true,
    `0x${'f'.repeat(64)}`,
    { native: '1' },
  ]
  const value = fc.constantFrom<unknown>(...odd, undefined)
  const path = fc.array(fc.nat(40), { minLength: 1, maxLength: 4 })
  const counts = { answered: 0, refused: 0 }
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('service', ...Object.keys(expectedStatus)),
      path,
      value,
      async (victim, at, other) => {
        const fetch = async () =>
          Response.json(victim === 'service' ? damaged(reportedStatus, at, other) : reportedStatus)
        const client = new SluiceClient({ baseUrl: 'http://127.0.0.1:9', retries: 0, fetch })
        const request = async (name: string) =>
          victim === name ? damaged(expectedStatus[name], at, other) : expectedStatus[name]
        const node = { chainId: async () => CHAIN, request }
        const status = await getStatus(client, CHAIN, hash, { node }).catch((error) => error)
        counts[status instanceof Error ? 'refused' : 'answered']++
        if (status instanceof Error) expect(status).toBeInstanceOf(ClientError)
        // With an honest node, the service cannot change what is proven.
        else if (victim === 'service')
          expect({ ...status.swap, proven: status.proven }).toEqual({ ...honest.swap, proven: honest.proven })
        else expect(status.hash).toBe(hash)
      },
    ),
    { numRuns: DAMAGED_CASES, seed: 20_261_126 },
  )
  expect(counts.answered).toBeGreaterThan(500)
  expect(counts.refused).toBeGreaterThan(500)
})

/** Replaces one value at a path in a response. */
function damaged(answer: unknown, [at, ...deeper]: readonly number[], other: unknown): unknown {
  const names = typeof answer === 'object' && answer !== null ? Object.keys(answer) : []
  if (at === undefined || names.length === 0) return other
  const name = names[at % names.length]!
  const copy = structuredClone(answer) as Record<string, unknown>
  copy[name] = deeper.length > 0 ? damaged(copy[name], deeper, other) : other
  return copy
}

test('invalid arguments are INVALID before any request, and an abort is ABORTED', async () => {
  const silent = new SluiceClient({ baseUrl: 'http://127.0.0.1:9' })
  for (const hash of ['0x12', UNKNOWN.slice(2), `${UNKNOWN}00`, `${UNKNOWN}/../x`, '', undefined])
    await expect(getStatus(silent, CHAIN, hash as string)).rejects.toMatchObject({ code: 'INVALID' })
  for (const toAmount of ['1.5', '-1', '0x1', ''])
    await expect(getStatus(silent, CHAIN, UNKNOWN, { toAmount })).rejects.toMatchObject({ code: 'INVALID' })
  const signal = AbortSignal.abort()
  await expect(proven(UNKNOWN, { signal })).rejects.toMatchObject({ code: 'ABORTED' })
  await expect(getStatus(stage.client, 424242, UNKNOWN)).rejects.toMatchObject({
    code: 'HTTP',
    details: { status: 404 },
  })
})

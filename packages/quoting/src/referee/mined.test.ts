/** Reads a mined transaction, its block, and its neighbors from answers of a node, and simulates it again. */
import { type Address, type Hex, toAddress } from '@sluice/chains'
import { type Rpc, RpcError } from '@sluice/rpc'
import { describe, expect, test } from 'vitest'
import { TRANSFER } from '../topics.ts'
import { callOf, readBlock, readNeighbors, readReceipt, resimulate, traceNative } from './mined.ts'

const account = (digit: string): Address => toAddress(`0x${digit.repeat(40)}`)
const hashOf = (digit: string): Hex => `0x${digit.repeat(64)}`
const [SENDER, ROUTER, TOKEN, WRAPPED, MINER] = ['1', '2', '3', '4', '5'].map(account) as Address[] as [
  Address,
  Address,
  Address,
  Address,
  Address,
]
const NATIVE_LOGS = account('e')
const wordOf = (value: bigint | string): Hex => `0x${BigInt(value).toString(16).padStart(64, '0')}`
const options = { priority: 'background' } as const

type Answer = unknown | ((params: readonly unknown[]) => unknown)
/** A node that answers the given methods; records its requests, and refuses other methods. */
function nodeWith(answers: Readonly<Record<string, Answer>>) {
  const requests: [method: string, params: readonly unknown[]][] = []
  const request = async (method: string, params: readonly unknown[]) => {
    requests.push([method, params])
    if (!(method in answers)) throw new RpcError('UNSUPPORTED', `${method} is not supported`)
    const answer = answers[method]
    const value = typeof answer === 'function' ? answer(params) : answer
    if (value instanceof Error) throw value
    return value
  }
  const getBlock = async (number: number) => ({ number, hash: hashOf('9') })
  return { requests, rpc: { request, getBlock } as unknown as Rpc }
}

const rawReceipt = {
  transactionHash: hashOf('a'),
  transactionIndex: '0x1',
  blockNumber: '0x64',
  blockHash: hashOf('b'),
  status: '0x1',
  gasUsed: '0x5208',
  effectiveGasPrice: '0xa',
  from: SENDER,
  to: ROUTER as Address | null,
  logs: [{ address: TOKEN, topics: [TRANSFER, wordOf(SENDER), wordOf(ROUTER)], data: wordOf(7n) }],
}
const rawTransaction = {
  hash: hashOf('a'),
  from: SENDER,
  to: ROUTER as Address | null,
  input: '0x1234' as Hex,
  value: '0x0' as Hex,
  gas: '0x30d40' as Hex,
  nonce: '0x3' as Hex,
  blockNumber: '0x64' as Hex,
}
const rawBlock = {
  number: '0x64',
  hash: hashOf('b'),
  timestamp: '0x3e8',
  miner: MINER,
  mixHash: hashOf('c'),
  baseFeePerGas: '0x9',
  transactions: [{ ...rawTransaction, hash: hashOf('d') }, rawTransaction],
}
const receiptFrom = async (over: object = {}) => {
  const { rpc } = nodeWith({ eth_getTransactionReceipt: { ...rawReceipt, ...over }, eth_getTransactionByHash: null })
  const receipt = await readReceipt(rpc, hashOf('a'), options)
  if (!receipt || receipt === 'pending') throw new Error('no receipt')
  return receipt
}

describe('a receipt', () => {
  test('has what the node answers, with the cost of gas and of data on the layer 1', async () => {
    expect(await receiptFrom({ l1Fee: '0x64' })).toEqual({
      hash: hashOf('a'),
      index: 1,
      block: 100,
      blockHash: hashOf('b'),
      from: SENDER,
      to: ROUTER,
      succeeded: true,
      gasUsed: 21_000n,
      gasPriceWei: 10n,
      costWei: 210_100n,
      logs: rawReceipt.logs,
    })
    const operatorFee = { operatorFeeScalar: '0x1', operatorFeeConstant: '0x5', daFootprintGasScalar: '0x190' }
    expect(await receiptFrom({ l1Fee: '0x64', ...operatorFee })).toMatchObject({ costWei: 2_310_105n })
    expect(await receiptFrom({ status: '0x0', to: null, effectiveGasPrice: undefined })).toMatchObject({
      succeeded: false,
      to: null,
      costWei: 0n,
    })
    // Chains from before Byzantium report no status.
    expect(await receiptFrom({ status: undefined })).toMatchObject({ succeeded: true, costWei: 210_000n })
  })

  test('of another transaction, or of another form, is a bad answer', async () => {
    const bad = [
      { transactionHash: hashOf('d') },
      { transactionHash: '0x12' },
      { logs: [{ ...rawReceipt.logs[0], data: '0x123' }] },
      { logs: [{ ...rawReceipt.logs[0], topics: ['0x12'] }] },
      { blockNumber: `0x${'f'.repeat(16)}` },
      { gasUsed: 'much' },
    ]
    for (const over of bad) await expect(receiptFrom(over)).rejects.toMatchObject({ code: 'BAD_ANSWER' })
  })

  test('is pending if the node knows the transaction only, and undefined if it does not', async () => {
    const answers = { eth_getTransactionReceipt: null, eth_getTransactionByHash: rawTransaction as unknown }
    expect(await readReceipt(nodeWith(answers).rpc, hashOf('a'), options)).toBe('pending')
    const unknown = { ...answers, eth_getTransactionByHash: null }
    expect(await readReceipt(nodeWith(unknown).rpc, hashOf('a'), options)).toBeUndefined()
  })
})

describe('a block', () => {
  const blockFrom = async (over: object = {}) =>
    readBlock(nodeWith({ eth_getBlockByNumber: { ...rawBlock, ...over } }).rpc, await receiptFrom(), options)

  test('has the environment in which its transactions ran, on the state of its parent', async () => {
    expect(await blockFrom()).toEqual({
      parent: { number: 99, hash: hashOf('9') },
      miner: MINER,
      environment: {
        ...{ number: 100, timestamp: 1_000, coinbase: MINER },
        ...{ baseFeePerGas: 9n, prevRandao: hashOf('c') },
      },
      transactions: rawBlock.transactions,
    })
    const { environment } = await blockFrom({ mixHash: undefined, baseFeePerGas: undefined })
    expect(environment).toEqual({ number: 100, timestamp: 1_000, coinbase: MINER })
  })

  test('is the same block if the node writes hashes in upper case', async () => {
    const upperCase = (hash: Hex) => `0x${hash.slice(2).toUpperCase()}` as const
    const transactions = rawBlock.transactions.map((own) => ({ ...own, hash: upperCase(own.hash) }))
    expect(await blockFrom({ hash: upperCase(rawBlock.hash), transactions })).toMatchObject({ miner: MINER })
  })

  test('that the node does not have, or whose parent it does not have, was replaced', async () => {
    const receipt = await receiptFrom()
    const { rpc } = nodeWith({ eth_getBlockByNumber: rawBlock })
    const orphaned = { ...rpc, getBlock: async () => null } as unknown as Rpc
    for (const node of [nodeWith({ eth_getBlockByNumber: null }).rpc, orphaned])
      await expect(readBlock(node, receipt, options)).rejects.toMatchObject({
        ...{ code: 'BLOCK_GONE', message: expect.stringContaining('block 100') },
      })
  })

  test('that was replaced, or lacks the transaction at its position, is refused', async () => {
    await expect(blockFrom({ hash: hashOf('f') })).rejects.toMatchObject({ code: 'BLOCK_GONE' })
    const swapped = rawBlock.transactions.toReversed()
    await expect(blockFrom({ transactions: swapped })).rejects.toMatchObject({ code: 'BAD_ANSWER' })
    const broken = [{ ...rawTransaction, hash: hashOf('d'), gas: 'much' }, rawTransaction]
    await expect(blockFrom({ transactions: broken })).rejects.toMatchObject({ code: 'BAD_ANSWER' })
  })

  test('gives the receipts of all its transactions, or of the nearest four on each side', async () => {
    const receipt = { ...(await receiptFrom()), index: 6 }
    const transactions = Array.from({ length: 12 }, (_, k) => ({ ...rawTransaction, hash: hashOf(k.toString(16)) }))
    const block = { ...(await blockFrom()), transactions } as never
    const whole = nodeWith({
      eth_getBlockReceipts: transactions.map(({ hash }) => ({ ...rawReceipt, transactionHash: hash })),
    })
    const all = await readNeighbors(whole.rpc, receipt, block, options)
    expect([all.receipts.length, all.isComplete]).toEqual([12, true])
    expect(whole.requests).toEqual([['eth_getBlockReceipts', ['0x64']]])
    const oneByOne = nodeWith({
      eth_getTransactionReceipt: ([hash]: readonly unknown[]) =>
        hash === hashOf('3') ? null : { ...rawReceipt, transactionHash: hash },
    })
    const near = await readNeighbors(oneByOne.rpc, receipt, block, options)
    expect(near.isComplete).toBe(false)
    expect(near.receipts.map(({ hash }) => hash)).toEqual(['2', '4', '5', '6', '7', '8', '9', 'a'].map(hashOf))
    const small = { ...(await blockFrom()), transactions: transactions.slice(5, 9) } as never
    const few = await readNeighbors(oneByOne.rpc, { ...receipt, index: 1 }, small, options)
    expect([few.receipts.length, few.isComplete]).toEqual([4, true])
    const fewTransactions = { ...(await blockFrom()), transactions: transactions.slice(2, 5) } as never
    const lacking = await readNeighbors(oneByOne.rpc, { ...receipt, index: 1 }, fewTransactions, options)
    expect([lacking.receipts.length, lacking.isComplete]).toEqual([2, false])
    const failing = nodeWith({ eth_getBlockReceipts: new RpcError('TIMEOUT', 'late') })
    await expect(readNeighbors(failing.rpc, receipt, block, options)).rejects.toMatchObject({ code: 'TIMEOUT' })
  })
})

describe('a reorg while a swap is judged', () => {
  test('does not combine a block with the parent of another fork', async () => {
    const receipt = await receiptFrom()
    const readWith = (parentHash: Hex) =>
      readBlock(nodeWith({ eth_getBlockByNumber: { ...rawBlock, parentHash } }).rpc, receipt, options)
    expect(await readWith(hashOf('9'))).toMatchObject({ parent: { hash: hashOf('9') } })
    await expect(readWith(hashOf('8'))).rejects.toMatchObject({ code: 'BLOCK_GONE' })
  })

  test('does not take transactions of another block for neighbors', async () => {
    const receipt = await receiptFrom()
    const block = { transactions: [rawTransaction, { ...rawTransaction, hash: hashOf('d') }] } as never
    const moved = { ...rawReceipt, transactionHash: hashOf('d'), blockHash: hashOf('f') }
    const whole = nodeWith({ eth_getBlockReceipts: [rawReceipt, moved] })
    await expect(readNeighbors(whole.rpc, receipt, block, options)).rejects.toMatchObject({ code: 'BLOCK_GONE' })
    const oneByOne = nodeWith({
      eth_getTransactionReceipt: ([hash]: readonly unknown[]) => (hash === hashOf('d') ? moved : rawReceipt),
    })
    expect(await readNeighbors(oneByOne.rpc, { ...receipt, index: 0 }, block, options)).toEqual({
      ...{ receipts: [receipt], isComplete: false },
    })
  })
})

test('a trace gives native transfers, and none if no node traces', async () => {
  const frame = { type: 'CALL', from: SENDER, to: ROUTER, value: '0x5', calls: [] }
  const flows = await traceNative(nodeWith({ debug_traceTransaction: frame }).rpc, hashOf('a'), options)
  expect(flows).toMatchObject([{ from: SENDER, to: ROUTER, amount: 5n }])
  expect(await traceNative(nodeWith({}).rpc, hashOf('a'), options)).toBeUndefined()
  for (const answer of [null, 'traced', {}])
    expect(await traceNative(nodeWith({ debug_traceTransaction: answer }).rpc, hashOf('a'), options)).toBeUndefined()
  const late = nodeWith({ debug_traceTransaction: new RpcError('TIMEOUT', 'late') })
  await expect(traceNative(late.rpc, hashOf('a'), options)).rejects.toMatchObject({ code: 'TIMEOUT' })
})

test('a call has the price that the transaction allows', () => {
  expect(callOf({ ...rawTransaction, value: '0x7' })).toEqual({
    ...{ from: SENDER, to: ROUTER, data: '0x1234', value: 7n, gas: 200_000n },
  })
  expect(callOf({ ...rawTransaction, to: null, gasPrice: '0x5' })).toMatchObject({ to: null, gasPrice: 5n })
  expect(callOf({ ...rawTransaction, maxFeePerGas: '0x6' })).toMatchObject({ gasPrice: 6n })
})

test('a call keeps the access list and the authorizations of its transaction', () => {
  const lists = { accessList: [{ address: TOKEN, storageKeys: [] }], authorizationList: [{ chainId: '0x1' }] }
  expect(callOf({ ...rawTransaction, ...lists })).toMatchObject(lists)
  const call = callOf({ ...rawTransaction, accessList: [], authorizationList: [] })
  expect(Object.keys(call)).toEqual(['from', 'to', 'data', 'value', 'gas'])
})

describe('a new simulation', () => {
  type Call = Readonly<Record<string, unknown>>
  type Simulation = {
    readonly blockStateCalls: readonly [{ blockOverrides: Call; calls: readonly Call[] }]
    traceTransfers: boolean
  }
  const ownLog = { address: TOKEN, topics: [TRANSFER, wordOf(SENDER), wordOf(ROUTER)], data: wordOf(7n) }
  const nativeLog = { address: NATIVE_LOGS, topics: [TRANSFER, wordOf(ROUTER), wordOf(SENDER)], data: wordOf(3n) }
  /** Balances before and after the transaction. */
  const balances = { before: 100n, after: 93n }

  /** A node that runs the transaction after one earlier, and answers balances. */
  function simulatingNode({
    logs = [ownLog, nativeLog] as readonly object[],
    plain = [ownLog] as readonly object[],
    refusesReads = false,
  } = {}) {
    const simulations: Simulation[] = []
    const node = nodeWith({
      eth_simulateV1: ([simulation]: readonly [Simulation]) => {
        simulations.push(simulation)
        let hasRun = false
        const calls = simulation.blockStateCalls[0].calls.map((call) => {
          const isRead = String(call.input).startsWith('0x70a08231')
          if (isRead && refusesReads) throw new RpcError('UNSUPPORTED', 'too many calls')
          const isOwn = call.nonce === rawTransaction.nonce && call.input === rawTransaction.input
          if (isOwn) hasRun = true
          const returnData = wordOf(hasRun ? balances.after : balances.before)
          const ownLogs = simulation.traceTransfers ? logs : plain
          return { status: '0x1', gasUsed: '0x5208', returnData, logs: isOwn ? ownLogs : [] }
        })
        return [{ calls }]
      },
    })
    return { ...node, simulations }
  }
  async function run(node: { readonly rpc: Rpc }, own: object = {}, receipt: object = {}) {
    const block = {
      parent: { number: 99, hash: hashOf('9') },
      miner: MINER,
      environment: { number: 100, timestamp: 1_000, coinbase: MINER, baseFeePerGas: 9n, prevRandao: hashOf('c') },
      transactions: [
        { ...rawTransaction, hash: hashOf('d'), nonce: '0x9' },
        { ...rawTransaction, ...own },
      ],
    } as never
    const earlierTransactions = [{ ...rawTransaction, hash: hashOf('d'), nonce: '0x9' as Hex }]
    return resimulate(node.rpc, { ...(await receiptFrom()), ...receipt }, block, {
      ...{ earlierTransactions, wrappedNative: WRAPPED, options },
    })
  }

  test('runs earlier transactions and the transaction in the environment of their block', async () => {
    const node = simulatingNode()
    const result = await run(node)
    expect(node.simulations[0]).toMatchObject({
      blockStateCalls: [
        {
          blockOverrides: {
            ...{ number: '0x64', time: '0x3e8', feeRecipient: MINER, baseFeePerGas: '0x9', prevRandao: hashOf('c') },
          },
          calls: [{ nonce: '0x9' }, { nonce: '0x3', from: SENDER, to: ROUTER, gas: '0x30d40' }],
        },
      ],
      traceTransfers: true,
      validation: false,
    })
    expect(node.requests[0]![1][1]).toEqual({ blockHash: hashOf('9') })
    expect(result).toMatchObject({ succeeded: true, gasUsed: 21_000n, isAsMined: true })
    expect(result!.flows.map(({ from, to, amount }) => [from, to, amount])).toEqual([
      [ROUTER, SENDER, 3n],
      [SENDER, ROUTER, 7n],
    ])
    expect(result!.balances).toContainEqual({ account: SENDER, token: TOKEN, amount: -7n })
  })

  test('passes on the fees that a transaction names, of one kind only', async () => {
    const feesOf = async (own: object) => {
      const node = simulatingNode()
      await run(node, own)
      const { gasPrice, maxFeePerGas, maxPriorityFeePerGas, accessList, authorizationList, ...rest } =
        node.simulations[0]!.blockStateCalls[0].calls[1]!
      return [gasPrice, maxFeePerGas, maxPriorityFeePerGas, accessList, authorizationList, 'to' in rest]
    }
    expect(await feesOf({ gasPrice: '0x5' })).toEqual(['0x5', undefined, undefined, undefined, undefined, true])
    // Nodes report the paid price of a dynamic transaction too.
    const dynamic = { gasPrice: '0x5', maxFeePerGas: '0x6', maxPriorityFeePerGas: '0x1' }
    expect(await feesOf(dynamic)).toEqual([undefined, '0x6', '0x1', undefined, undefined, true])
    expect(await feesOf({ gasPrice: '0x5', maxFeePerGas: '0x6' })).toEqual([
      ...['0x5', undefined, undefined, undefined, undefined, true],
    ])
    expect(await feesOf({ gasPrice: '0x5', maxPriorityFeePerGas: '0x1' })).toEqual([
      ...['0x5', undefined, undefined, undefined, undefined, true],
    ])
    const lists = { accessList: [{ address: TOKEN, storageKeys: [] }], authorizationList: [{ chainId: '0x1' }] }
    expect(await feesOf({ gasPrice: '0x5', ...lists, to: null })).toEqual([
      ...['0x5', undefined, undefined, lists.accessList, lists.authorizationList, false],
    ])
    expect(await feesOf({ gasPrice: '0x5', accessList: [], authorizationList: [] })).toEqual([
      ...['0x5', undefined, undefined, undefined, undefined, true],
    ])
  })

  test('runs again without traced transfers if the node then leaves out logs of contracts', async () => {
    const result = await run(simulatingNode({ logs: [nativeLog] }))
    expect(result!.isAsMined).toBe(true)
    expect(result!.flows.map(({ amount }) => amount)).toEqual([3n, 7n])
  })

  test('with another outcome than the receipt is not as mined, and a failed read leaves balances unknown', async () => {
    const otherLog = { ...ownLog, data: wordOf(8n) }
    const changed = simulatingNode({ logs: [otherLog], plain: [otherLog] })
    expect(await run(changed)).toMatchObject({ isAsMined: false, succeeded: true })
    expect(await run(simulatingNode(), {}, { succeeded: false })).toMatchObject({ isAsMined: false })
    expect(await run(simulatingNode({ refusesReads: true }))).toMatchObject({ isAsMined: true, balances: undefined })
    // Reads that change the outcome, such as of a token that rebases when it is read.
    expect(await run(simulatingNode({ plain: [otherLog] }))).toMatchObject({ isAsMined: true, balances: undefined })
  })

  test('is not available on a node without the method, and fails with the node', async () => {
    expect(await run(nodeWith({}))).toBeUndefined()
    await expect(run(nodeWith({ eth_simulateV1: new RpcError('TIMEOUT', 'late') }))).rejects.toMatchObject({
      code: 'TIMEOUT',
    })
    const short = nodeWith({ eth_simulateV1: [{ calls: [] }] })
    await expect(run(short)).rejects.toMatchObject({ code: 'BAD_ANSWER' })
  })
})

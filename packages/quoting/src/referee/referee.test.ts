/** Tests of verdicts on mined swaps, with the node and the quotes in memory. */
import { type Address, type Chain, type Hex, NATIVE, toAddress } from '@sluice/chains'
import { type Rpc, RpcError } from '@sluice/rpc'
import { describe, expect, test } from 'vitest'
import { QuotingError } from '../errors.ts'
import { NEUTRAL_SENDER } from '../neutral-sender.ts'
import type { QuoteRequest } from '../quote/request.ts'
import { TRANSFER } from '../topics.ts'
import { judgeTransaction } from './referee.ts'

const account = (digit: string): Address => toAddress(`0x${digit.repeat(40)}`)
const hashOf = (digit: string): Hex => `0x${digit.repeat(64)}`
const [SENDER, POOL, TOKEN, OUT, MINER, ROUTER, WRAPPED, OTHER, RELAYER] = [...'123456789'].map(account) as [
  ...[Address, Address, Address, Address, Address, Address, Address, Address, Address],
]
const HASH = hashOf('a')
const wordOf = (value: bigint | string): Hex => `0x${BigInt(value).toString(16).padStart(64, '0')}`
const transfer = (token: Address, from: Address, to: Address, amount: bigint) => ({
  ...{ address: token, topics: [TRANSFER, wordOf(from), wordOf(to)], data: wordOf(amount) },
})
/** The sender gives 100 of a token to a pool, which pays 200 of another. */
const swapLogs = [transfer(TOKEN, SENDER, POOL, 100n), transfer(OUT, POOL, SENDER, 200n)]
const chain = { wrappedNative: { address: WRAPPED } } as Chain

type Log = (typeof swapLogs)[number]
type RawTx = { readonly hash: Hex; readonly from: Address; readonly to: Address | null }
type World = {
  readonly index?: number
  readonly from?: Address
  readonly logs?: readonly Log[]
  readonly receipt?: object | null
  readonly transaction?: object | null
  /** Transactions of the block before and after the judged one. */
  readonly front?: readonly RawTx[]
  readonly back?: readonly RawTx[]
  /** Logs of the simulated transaction, by whether earlier transactions run; undefined if the node cannot simulate. */
  readonly simulatedLogs?: (
    earlierCount: number,
    calls: readonly { readonly to?: Address }[],
  ) => readonly Log[] | undefined
  readonly trace?: object
  readonly balances?: Readonly<Record<string, Hex | Error>>
  readonly receipts?: readonly object[]
  readonly codes?: (account: Address, block: unknown) => Hex
  readonly quote?: (place: 'position' | 'parent', request: QuoteRequest) => object
}

const rawTx = (hash: Hex, from: Address, to: Address | null = ROUTER): RawTx & Record<string, unknown> => ({
  ...{ hash, from, to, input: '0x1234', value: '0x0', gas: '0x30d40', nonce: '0x3', blockNumber: '0x64' },
})
const rawReceipt = (hash: Hex, index: number, from: Address, logs: readonly Log[], status = '0x1') => ({
  ...{
    transactionHash: hash,
    transactionIndex: `0x${index.toString(16)}`,
    blockNumber: '0x64',
    blockHash: hashOf('b'),
  },
  ...{ status, gasUsed: '0x64', effectiveGasPrice: '0xa', from, to: ROUTER, logs },
})

async function judge(world: World = {}) {
  const { index = 1, from = SENDER, logs = swapLogs, front = [rawTx(hashOf('d'), OTHER)], back = [] } = world
  const receipt = 'receipt' in world ? world.receipt : rawReceipt(HASH, index, from, logs)
  const { simulatedLogs = () => logs } = world
  const requests: [string, readonly unknown[]][] = []
  const answers: Readonly<Record<string, (params: readonly unknown[]) => unknown>> = {
    eth_getTransactionReceipt: ([hash]) => (hash === HASH ? receipt : null),
    eth_getTransactionByHash: () => ('transaction' in world ? world.transaction : rawTx(HASH, from)),
    eth_getBlockByNumber: () => ({
      ...{ number: '0x64', hash: hashOf('b'), timestamp: '0x3e8', miner: MINER, mixHash: hashOf('c') },
      transactions: [...front.slice(0, index), rawTx(HASH, from), ...back],
    }),
    eth_simulateV1: ([simulation]) => {
      const [{ calls, blockOverrides }] = (
        simulation as { blockStateCalls: [{ calls: { to?: Address }[]; blockOverrides: { gasLimit?: Hex } }] }
      ).blockStateCalls
      // This node does not read balances amid a block.
      if (blockOverrides.gasLimit) throw new RpcError('UNSUPPORTED', 'no')
      const own = simulatedLogs(calls.length - 1, calls)
      if (!own) throw new RpcError('UNSUPPORTED', 'no')
      return [
        { calls: calls.map((_, k) => ({ status: '0x1', gasUsed: '0x64', logs: k === calls.length - 1 ? own : [] })) },
      ]
    },
    eth_getBlockReceipts: () => world.receipts ?? [rawReceipt(HASH, index, from, logs)],
    eth_getBalance: ([, block]) => {
      const balance = world.balances?.[block as string]
      if (balance instanceof Error) throw balance
      return balance
    },
    ...(world.trace && { debug_traceTransaction: () => world.trace }),
  }
  const codeReads: unknown[] = []
  const rpc = {
    request: async (method: string, params: readonly unknown[]) => {
      requests.push([method, params])
      if (!answers[method]) throw new RpcError('UNSUPPORTED', `${method} is not supported`)
      return answers[method](params)
    },
    getBlock: async (number: number) => ({ number, hash: hashOf('9') }),
    getCode: async (of: Address, block: unknown) => {
      codeReads.push([of, block])
      return world.codes?.(of, block) ?? '0x'
    },
  } as unknown as Rpc
  const quotes: [string, number, QuoteRequest][] = []
  const quoteWithRpc = async (at: Rpc, block: number, request: QuoteRequest) => {
    const place = at === rpc ? 'parent' : 'position'
    quotes.push([place, block, request])
    return (world.quote ?? (() => bestQuote))(place, request) as never
  }
  const context = {
    signal: new AbortController().signal,
    time: <T>(_: string, run: () => T) => run(),
    log: { info: () => {} },
  }
  const verdict = await judgeTransaction(HASH, { chain, rpc, quoteWithRpc }, context as never)
  return { verdict, quotes, requests, codeReads, gaps: verdict.gaps.map(({ code }) => code) }
}

/** Pays 250. The gas, at 5 wei, costs 10. */
const bestQuote = {
  ...{ id: 'q', amountOut: 250n, netAmountOut: 240n, gasCostWei: 500n, poolsPending: false },
  route: { optimalityGapBps: 100, legs: [{ pool: { id: 'p1' } }, { pool: { id: 'p2' } }] },
}

describe('a transaction that is no swap', () => {
  test.each<[string, World, string, string]>([
    ['unknown', { receipt: null, transaction: null }, 'unknown', 'UNKNOWN_TRANSACTION'],
    ['pending', { receipt: null }, 'pending', 'NOT_MINED'],
    ['reverted', { receipt: rawReceipt(HASH, 1, SENDER, [], '0x0') }, 'reverted', 'REVERTED'],
  ])('that is %s is not judged', async (_, world, outcome, code) => {
    const { verdict, quotes } = await judge(world)
    expect(verdict).toMatchObject({ hash: HASH, outcome, reason: { code }, trades: [], sandwich: null, gaps: [] })
    expect(verdict.mined === null).toBe(outcome !== 'reverted')
    expect(quotes).toEqual([])
  })

  test('but a transfer says so, with its block', async () => {
    const { verdict, quotes } = await judge({ logs: [transfer(TOKEN, SENDER, OTHER, 100n)] })
    expect(verdict).toMatchObject({ outcome: 'transfer', trades: [], mined: { block: 100, index: 1, from: SENDER } })
    expect(quotes).toEqual([])
  })
})

describe('a swap', () => {
  test('is compared in its position, and at the end of the block before', async () => {
    const { verdict, quotes } = await judge()
    expect(verdict).toMatchObject({ outcome: 'swap', reason: null })
    const [trade] = verdict.trades
    expect(trade).toMatchObject({
      ...{ trader: SENDER, recipient: SENDER, tokenIn: TOKEN, tokenOut: OUT, amountIn: 100n, amountOut: 200n },
      // Gas of 100 at 10 wei costs 1,000 wei; a wei costs 10 of 500 parts of the output.
      ...{ netAmountOut: 180n, paidAtParent: 200n },
    })
    // 50 of 250 are a fifth; the bound is 250 / 0.99, rounded up; 60 of 240 after gas are a quarter.
    const figures = { bound: 253n, leftBps: 2_000, leftAtMostBps: 2_094.861, leftNetBps: 2_500 }
    expect(trade!.comparisons).toMatchObject([
      { state: 'position', ...figures, best: { id: 'q', pools: ['p1', 'p2'] } },
      { state: 'parent', ...figures },
    ])
    expect(quotes.map(([place, block]) => [place, block])).toEqual([
      ['position', 99],
      ['parent', 99],
    ])
    expect(quotes[0]![2]).toMatchObject({
      ...{ tokenIn: TOKEN, tokenOut: OUT, amountIn: 100n, from: NEUTRAL_SENDER, gasPriceWei: 10n },
      maxPriceImpactPpm: 1_000_000n,
    })
  })

  test('that is first in its block has one comparison', async () => {
    const { verdict, quotes, gaps } = await judge({ index: 0, front: [] })
    expect(verdict.trades[0]!.comparisons.map(({ state }) => state)).toEqual(['position'])
    expect(quotes.map(([place]) => place)).toEqual(['parent'])
    expect(verdict.trades[0]!.paidAtParent).toBe(200n)
    expect(gaps).not.toContain('POSITION_STATE')
  })

  test('has no bound or net figures if the quote has none', async () => {
    const quote = () => ({ ...bestQuote, netAmountOut: null, route: { optimalityGapBps: null, legs: [] } })
    const [trade] = (await judge({ quote })).verdict.trades
    expect(trade).toMatchObject({ netAmountOut: null })
    expect(trade!.comparisons[0]).toMatchObject({ bound: null, leftAtMostBps: null, leftNetBps: null, leftBps: 2_000 })
  })

  test('that would have failed or paid otherwise at the parent says so', async () => {
    const paying = (amount: bigint) => [swapLogs[0]!, transfer(OUT, POOL, SENDER, amount)]
    const other = await judge({ simulatedLogs: (earlier) => (earlier === 0 ? paying(190n) : swapLogs) })
    expect(other.verdict.trades[0]!.paidAtParent).toBe(190n)
    const failing = await judge({ simulatedLogs: (earlier) => (earlier === 0 ? [] : swapLogs) })
    expect(failing.verdict.trades[0]!.paidAtParent).toBeNull()
    const unavailable = await judge({ simulatedLogs: (earlier) => (earlier === 0 ? undefined : swapLogs) })
    expect(unavailable.gaps).toContain('OUTPUT_AT_PARENT')
    expect(unavailable.verdict.trades[0]!.comparisons).toHaveLength(2)
  })

  test('that ends otherwise in its position is compared at the parent alone', async () => {
    const { verdict, gaps } = await judge({ simulatedLogs: () => [swapLogs[0]!] })
    expect(verdict.trades[0]!.comparisons.map(({ state }) => state)).toEqual(['parent'])
    expect(verdict.gaps.find(({ code }) => code === 'POSITION_STATE')!.message).toContain('behind 1 transactions')
    expect(verdict.gaps.find(({ code }) => code === 'POSITION_STATE')!.message).toContain('ends otherwise')
    expect(gaps).not.toContain('OUTPUT_AT_PARENT')
  })

  test('that the node cannot simulate has gaps', async () => {
    const { verdict, gaps } = await judge({
      simulatedLogs: () => undefined,
      balances: { '0x63': '0x7d0', '0x64': '0x3e8' },
    })
    expect(gaps).toEqual(['NATIVE_MOVES_OF_OTHERS', 'BALANCES', 'POSITION_STATE', 'OUTPUT_AT_PARENT'])
    expect(verdict.gaps.find(({ code }) => code === 'POSITION_STATE')!.message).toContain('cannot simulate it there')
    expect(verdict.trades[0]!.comparisons.map(({ state }) => state)).toEqual(['parent'])
  })

  test('behind a creation that the node does not simulate is simulated without it', async () => {
    const front = [rawTx(hashOf('c'), OTHER, null), rawTx(hashOf('d'), OTHER)]
    const simulatedLogs = (_: number, calls: readonly { readonly to?: Address }[]) =>
      calls.every(({ to }) => to !== undefined) ? swapLogs : undefined
    const { verdict, gaps } = await judge({ index: 2, front, simulatedLogs })
    expect(gaps).toContain('CREATIONS_SKIPPED')
    expect(verdict.gaps.find(({ code }) => code === 'CREATIONS_SKIPPED')!.message).toContain('what 1 creations of')
    expect(verdict.trades[0]!.comparisons.map(({ state }) => state)).toEqual(['position', 'parent'])
  })
})

describe('a quote that fails', () => {
  const failing = (error: Error) => () => {
    throw error
  }
  test.each<[Error, string]>([
    [new QuotingError('NO_ROUTE', 'none'), 'NO_QUOTE'],
    [new QuotingError('NO_STATE', 'none'), 'NO_STATE'],
    [new RpcError('PRUNED', 'none'), 'NO_STATE'],
    [new RpcError('TIMEOUT', 'none'), 'NO_QUOTE'],
  ])('by %s leaves a gap', async (error, code) => {
    const { verdict, gaps } = await judge({ quote: failing(error) })
    expect(verdict.trades[0]).toMatchObject({ comparisons: [], netAmountOut: null, amountOut: 200n })
    expect(gaps.filter((gap) => gap === code)).toHaveLength(2)
    expect(verdict.gaps.filter((gap) => gap.code === code).map(({ message }) => message)).toEqual([
      'the best in its position: none',
      'the best at the end of the block before: none',
    ])
  })

  test('in one place is compared in the other', async () => {
    const quote = (place: string) => {
      if (place === 'position') throw new QuotingError('NO_ROUTE', 'none')
      return bestQuote
    }
    const { verdict } = await judge({ quote })
    expect(verdict.trades[0]!.comparisons.map(({ state }) => state)).toEqual(['parent'])
  })

  test.each([new RpcError('ABORTED', 'gone'), new Error('a bug')])('by %s fails the verdict', async (error) => {
    await expect(judge({ quote: failing(error) })).rejects.toBe(error)
  })
})

describe('moves of the native token', () => {
  const sale = [transfer(TOKEN, SENDER, POOL, 100n)]
  /** The sender's balance rises by 200 and falls by the cost of gas, 1,000. */
  const balances = { '0x63': '0x1388', '0x64': '0x1068' } as const

  test('are those of a trace', async () => {
    const call = { type: 'CALL', from: SENDER, to: ROUTER, value: '0x0', input: '0x' }
    const trace = { ...call, calls: [{ ...call, from: POOL, to: SENDER, value: '0xc8' }] }
    const { verdict, gaps } = await judge({ logs: sale, trace })
    expect(verdict.trades[0]).toMatchObject({ tokenOut: NATIVE, amountOut: 200n })
    expect(gaps).not.toContain('NATIVE_MOVES_OF_OTHERS')
  })

  test('without a trace and a simulation are the difference of the balances, plus the cost of gas', async () => {
    const { verdict, gaps } = await judge({ logs: sale, simulatedLogs: () => undefined, balances })
    expect(verdict.trades[0]).toMatchObject({ tokenIn: TOKEN, tokenOut: NATIVE, amountIn: 100n, amountOut: 200n })
    expect(gaps).toContain('NATIVE_MOVES_OF_OTHERS')
    const buying = await judge({
      ...{ logs: [transfer(OUT, POOL, SENDER, 100n)], simulatedLogs: () => undefined },
      balances: { '0x63': '0x1388', '0x64': '0xc80' },
    })
    expect(buying.verdict.trades[0]).toMatchObject({ tokenIn: NATIVE, amountIn: 800n, tokenOut: OUT })
  })

  test('are unknown if the sender has more transactions in the block, or is its miner, or the state is gone', async () => {
    const without = { logs: sale, simulatedLogs: () => undefined, balances }
    for (const world of [
      { ...without, front: [rawTx(hashOf('d'), SENDER)] },
      { ...without, back: [rawTx(hashOf('d'), SENDER.toUpperCase().replace('X', 'x') as Address)] },
      { ...without, from: MINER, logs: [transfer(TOKEN, MINER, POOL, 100n)] },
      { ...without, balances: { ...balances, '0x63': new RpcError('PRUNED', 'gone') } },
      { ...without, balances: { ...balances, '0x64': new RpcError('PRUNED', 'gone') } },
    ]) {
      const { verdict, gaps } = await judge(world)
      expect([verdict.outcome, gaps[0]]).toEqual(['transfer', 'NATIVE_MOVES'])
    }
  })

  test('fail with the node, and with a balance that is no number', async () => {
    const without = { logs: sale, simulatedLogs: () => undefined }
    const late = new RpcError('TIMEOUT', 'late')
    await expect(judge({ ...without, balances: { ...balances, '0x63': late } })).rejects.toBe(late)
    for (const balance of ['0x', '5', 'x'] as Hex[])
      await expect(judge({ ...without, balances: { ...balances, '0x64': balance } })).rejects.toMatchObject({
        code: 'BAD_ANSWER',
      })
  })
})

describe('a swap that another account sends', () => {
  const relayed = { from: RELAYER, simulatedLogs: () => swapLogs }

  test('belongs to the account without code that gave the token, without the gas', async () => {
    const { verdict, codeReads } = await judge({ ...relayed, codes: (of) => (of === SENDER ? '0x' : '0x6001') })
    expect(verdict.trades).toMatchObject([{ trader: SENDER, amountIn: 100n, netAmountOut: null }])
    expect(verdict.trades[0]!.comparisons[0]!.leftNetBps).toBeNull()
    // Only accounts that gave a token may have traded.
    expect(codeReads).toEqual([
      [SENDER, 100],
      [POOL, 100],
    ])
  })

  test('may belong to an account that delegates its code', async () => {
    const codes = (of: Address): Hex => (of === SENDER ? `0xef0100${'11'.repeat(20)}` : '0x6001')
    expect((await judge({ ...relayed, codes })).verdict.trades).toMatchObject([{ trader: SENDER }])
  })

  test('is judged by the newest code if the node has no state of the block', async () => {
    const codes = (of: Address, block: unknown): Hex => {
      if (block !== 'latest') throw new RpcError('PRUNED', 'gone')
      return of === SENDER ? '0x' : '0x6001'
    }
    const { verdict, gaps } = await judge({ ...relayed, codes })
    expect(verdict.trades).toMatchObject([{ trader: SENDER }])
    expect(gaps).toContain('CODE_AT_BLOCK')
  })

  test('needs no code of others if the sender gave a token', async () => {
    expect((await judge()).codeReads).toEqual([])
  })
})

describe('neighbors of a swap', () => {
  const back = [rawTx(hashOf('f'), OTHER)]
  const own = rawReceipt(HASH, 1, SENDER, swapLogs)
  const front = [transfer(TOKEN, OTHER, POOL, 50n), transfer(OUT, POOL, OTHER, 110n)]
  const after = [transfer(OUT, OTHER, POOL, 110n), transfer(TOKEN, POOL, OTHER, 55n)]

  test('that trade in its pool before and after it are a sandwich', async () => {
    const receipts = [rawReceipt(hashOf('d'), 0, OTHER, front), own, rawReceipt(hashOf('f'), 2, OTHER, after)]
    const { verdict, gaps } = await judge({ back, receipts })
    expect(verdict.sandwich).toMatchObject({ pool: POOL, by: OTHER, front: { index: 0 }, back: { index: 2 }, gain: 5n })
    expect(gaps).not.toContain('NEIGHBORS')
    const reverted = receipts.with(2, rawReceipt(hashOf('f'), 2, OTHER, after, '0x0'))
    expect((await judge({ back, receipts: reverted })).verdict.sandwich).toBeNull()
  })

  test('that cannot be read are a gap', async () => {
    const broken = await judge({ back, receipts: [{ ...own, logs: 'none' }] })
    expect([broken.verdict.sandwich, broken.gaps.includes('NEIGHBORS')]).toEqual([null, true])
  })
})

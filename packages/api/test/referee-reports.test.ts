/**
 * Tests the referee over HTTP against what public trackers report of similar tools, and against nodes whose answers are
 * not what they should be. Each test names its report.
 */
import { type Address, NATIVE } from '@sluice/chains'
import { createBuilder, NodeProxy, type RpcCall } from '@sluice/devnet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RefereeResponse, RunningServer } from '../src/index.ts'
import { localService, request, startOver } from './src/devnet.ts'
import { ask, warmUp } from './src/service.ts'

const TIMEOUTS = { REQUEST_TIMEOUT_MS: '120000', RPC_TIMEOUT_MS: '60000' }
const local = localService(TIMEOUTS)
const rpc = <T>(method: string, ...params: unknown[]) => request<T>(local.devnet.url, method, ...params)
const WHOLE = 10n ** 18n
const FAR = 2n ** 40n
const ROUTER = [
  'function swapETHForExactTokens(uint256,address[],address,uint256) payable',
  'function swapExactETHForTokens(uint256,address[],address,uint256) payable',
  'function addLiquidityETH(address,uint256,uint256,uint256,address,uint256) payable',
]
const ERC20 = ['function approve(address,uint256)']

type Receipt = { readonly transactionHash: string; readonly transactionIndex: string; readonly blockNumber: string }

const account = (k: number): Address => local.devnet.info.accounts[k]!.address
const path = () => ['WETH', 'USDC'].map((symbol) => local.devnet.info.tokens[symbol]!.address)
const router = () => local.devnet.info.routers.uniswapV2Router02!
const routerOf = (k: number) => createBuilder(local.devnet.url, account(k)).contractAt(ROUTER, router())
const receiptOf = (sent: unknown) => sent as Receipt
const swap = async () =>
  receiptOf(await routerOf(1).send('swapExactETHForTokens', [0, path(), account(1), FAR], WHOLE)).transactionHash

async function verdictOf(hash: string, url = local.server.url): Promise<RefereeResponse & { status: number }> {
  const { status, text } = await ask(`${url}/referee/31337/${hash}`)
  return { status, ...JSON.parse(text) }
}

/** Amounts and figures of a verdict, without ids. */
const figuresOf = ({ outcome, trades }: RefereeResponse) => ({
  outcome,
  trades: trades.map(({ src, dst, fromAmount, toAmount, toAmountAtParent, comparisons }) => ({
    ...{ src, dst, fromAmount, toAmount, toAmountAtParent },
    states: comparisons.map(({ state }) => state),
  })),
})

beforeAll(async () => {
  await warmUp(local.server.url, `/quote/31337?src=${path()[0]}&dst=${path()[1]}&amount=${WHOLE}`)
})

describe('what was given and received', () => {
  test('an exact output, whose unused input comes back (rotki 5539, 11843)', async () => {
    const bought = 1_000_000_000n
    const args = [bought, path(), account(1), FAR]
    const receipt = receiptOf(await routerOf(1).send('swapETHForExactTokens', args, 50n * WHOLE))
    const { trades } = await verdictOf(receipt.transactionHash)
    const at = (back: number) => rpc<string>('eth_getBalance', account(1), back === 0 ? receipt.blockNumber : parent)
    const parent = `0x${(Number(receipt.blockNumber) - 1).toString(16)}`
    const { gasUsed, effectiveGasPrice } = receipt as Receipt & { gasUsed: string; effectiveGasPrice: string }
    const spent = BigInt(await at(1)) - BigInt(await at(0)) - BigInt(gasUsed) * BigInt(effectiveGasPrice)
    expect(spent).toBeLessThan(2n * WHOLE)
    expect(trades).toMatchObject([{ src: NATIVE, fromAmount: `${spent}`, toAmount: `${bought}` }])
  })

  test('two tokens that go into a pool are no swap (mev-inspect-py 327)', async () => {
    const usdc = path()[1]!
    const ownerBuilder = createBuilder(local.devnet.url, account(1))
    await ownerBuilder.contractAt(['function mint(address,uint256)'], usdc).send('mint', [account(1), 10n ** 12n])
    await ownerBuilder.contractAt(ERC20, usdc).send('approve', [router(), 2n ** 200n])
    const receipt = receiptOf(
      await routerOf(1).send('addLiquidityETH', [usdc, 10n ** 10n, 0, 0, account(1), FAR], WHOLE),
    )
    const verdict = await verdictOf(receipt.transactionHash)
    expect(verdict).toMatchObject({ status: 200, outcome: 'several', reasonCode: 'SEVERAL_INPUTS', trades: [] })
  })

  test('a transaction that is not mined yet', async () => {
    await rpc('evm_setAutomine', false)
    try {
      const { abi } = routerOf(1)
      const data = abi.encodeFunctionData('swapExactETHForTokens', [0, path(), account(1), FAR])
      const hash = await rpc<string>('eth_sendTransaction', {
        ...{ from: account(1), to: router(), data, value: '0x1', gas: '0x80000' },
      })
      expect(await verdictOf(hash)).toMatchObject({ status: 200, outcome: 'pending', block: null })
    } finally {
      await rpc('evm_mine')
      await rpc('evm_setAutomine', true)
    }
  })

  test('behind a transaction of its block that reverted (foundry 5523)', async () => {
    const { abi } = routerOf(1)
    const data = (min: bigint, k: number) =>
      abi.encodeFunctionData('swapExactETHForTokens', [min, path(), account(k), FAR])
    await rpc('evm_setAutomine', false)
    const hashes: string[] = []
    try {
      for (const [k, min] of [
        [2, 2n ** 200n],
        [1, 0n],
      ] as const)
        hashes.push(
          await rpc<string>('eth_sendTransaction', {
            ...{ from: account(k), to: router(), data: data(min, k), value: '0xde0b6b3a7640000', gas: '0x80000' },
            gasPrice: `0x${(BigInt(k) * 10n ** 10n).toString(16)}`,
          }),
        )
      await rpc('evm_mine')
    } finally {
      await rpc('evm_setAutomine', true)
    }
    const receipts = await Promise.all(
      hashes.map((hash) => rpc<Receipt & { status: string }>('eth_getTransactionReceipt', hash)),
    )
    expect(receipts.map(({ status, transactionIndex }) => [status, transactionIndex])).toEqual([
      ['0x0', '0x0'],
      ['0x1', '0x1'],
    ])
    const verdict = await verdictOf(hashes[1]!)
    expect(verdict).toMatchObject({ outcome: 'swap', index: 1, unknown: [] })
    expect(verdict.trades[0]!.comparisons.map(({ state }) => state)).toEqual(['position', 'parent'])
  })
})

describe('a node of another make', () => {
  let hash: string
  let proxy: NodeProxy
  let server: RunningServer
  beforeAll(async () => {
    hash = await swap()
    proxy = await NodeProxy.start(local.devnet.url)
    server = await startOver(proxy.url, TIMEOUTS)
    await warmUp(server.url, `/quote/31337?src=${path()[0]}&dst=${path()[1]}&amount=${WHOLE}`)
  })
  afterAll(async () => {
    await server?.close()
    await proxy?.stop()
  })

  /** Answers calls of some methods with what `change` makes of the true answer. */
  const change = (methods: RegExp, change: (result: never, call: RpcCall) => unknown) => {
    proxy.intercept = async (call) =>
      methods.test(call.method)
        ? { result: change(structuredClone(await rpc(call.method, ...call.params)) as never, call) }
        : undefined
  }

  test('that leaves out logs of contracts when it traces transfers (erigon 17995)', async () => {
    const honest = figuresOf(await verdictOf(hash))
    type Simulated = readonly { calls: { logs?: { address: string }[] }[] }[]
    change(/^eth_simulateV1$/, (blocks: Simulated, { params }) => {
      if (!(params[0] as { traceTransfers: boolean }).traceTransfers) return blocks
      for (const call of blocks.flatMap(({ calls }) => calls))
        call.logs = call.logs?.filter(({ address }) => /^0xe{40}$/i.test(address)) ?? []
      return blocks
    })
    expect(figuresOf(await verdictOf(hash, server.url))).toEqual(honest)
  })

  test('that still has the receipt of a block which a reorg replaced (geth 29261, nethermind 3052)', async () => {
    change(/^eth_getTransactionReceipt$/, (receipt: object) => ({ ...receipt, blockHash: `0x${'ab'.repeat(32)}` }))
    expect(await verdictOf(hash, server.url)).toMatchObject({
      status: 502,
      error: expect.stringContaining('replaced by another'),
    })
  })

  test('that has no state of the block before it, and says so in words of its own (geth, erigon, reth)', async () => {
    const block = Number((await rpc<Receipt>('eth_getTransactionReceipt', hash)).blockNumber)
    const old = [
      `0x${(block - 1).toString(16)}`,
      (await rpc<{ parentHash: string }>('eth_getBlockByHash', await hashOf(block), false)).parentHash,
    ]
    const messages = ['missing trie node 0xabc (path )', 'header not found', 'state at block is pruned']
    // Without LONG: the first of them.
    for (const message of process.env.LONG ? messages : messages.slice(0, 1)) {
      proxy.intercept = ({ method, params }) =>
        /^(eth_call|eth_getCode|eth_simulateV1|eth_getStorageAt|eth_getBalance|eth_getProof)$/.test(method) &&
        old.some((hash) => JSON.stringify(params).includes(hash))
          ? { error: { code: -32_000, message } }
          : undefined
      const { status, outcome, trades, gaps } = await verdictOf(hash, server.url)
      expect([status, outcome], message).toEqual([200, 'swap'])
      expect(trades[0]!.comparisons, message).toEqual([])
      expect(
        gaps.map(({ code }) => code),
        message,
      ).toContain('NO_STATE')
    }
  })

  test('that has no state of the block itself either, and does not trace', async () => {
    const methods = /^(eth_call|eth_getCode|eth_simulateV1|eth_getBalance|debug_)/
    proxy.intercept = ({ method, params }) =>
      methods.test(method) && !JSON.stringify(params).includes('latest')
        ? { error: { code: -32_000, message: 'missing trie node 0xabc (path )' } }
        : undefined
    const verdict = await verdictOf(hash, server.url)
    // Without the native token that went in, there is no trade to be read.
    expect(verdict, JSON.stringify(verdict)).toMatchObject({ status: 200, outcome: 'nothing', trades: [] })
    expect(verdict.gaps.map(({ code }) => code)).toContain('NATIVE_MOVES')
  })

  const hashOf = async (block: number) =>
    (await rpc<{ hash: string }>('eth_getBlockByNumber', `0x${block.toString(16)}`, false)).hash

  /** Values of other types, and texts that are no hex of the expected length. */
  const GARBAGE = [null, 5, -1, 'x', '', '0x', '0xzz', `0x${'f'.repeat(70)}`, {}, [], [null], { length: 3 }, true]
  const METHODS = [
    ...['eth_getTransactionReceipt', 'eth_getTransactionByHash', 'eth_getBlockByNumber', 'eth_getBlockReceipts'],
    ...['debug_traceTransaction', 'eth_simulateV1'],
  ]

  /** Places of a value within which something can be replaced, down to three levels. */
  function* placesIn(value: unknown, depth = 0): Generator<readonly (string | number)[]> {
    if (typeof value !== 'object' || value === null || depth === 3) return
    for (const key of Object.keys(value)) {
      yield [key]
      for (const rest of placesIn((value as Record<string, unknown>)[key], depth + 1)) yield [key, ...rest]
    }
  }

  function replaced(value: unknown, [first, ...rest]: readonly (string | number)[], replacement: unknown): unknown {
    if (first === undefined) return replacement
    const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string | number, unknown>
    copy[first] = replaced(copy[first], rest, replacement)
    return copy
  }

  /** An outcome, or the reason why there is none: never a failure of the service itself. */
  function expectHandled(verdict: RefereeResponse & { status: number; code?: string }, about: string) {
    expect([200, 502, 503], `${about}: ${JSON.stringify(verdict)}`).toContain(verdict.status)
    expect(verdict.code ?? verdict.outcome, about).toEqual(expect.any(String))
    expect(verdict.code, about).not.toBe('INTERNAL')
  }

  test.each(METHODS)('whose answers of %s are garbage', { timeout: 600_000 }, async (method) => {
    // Without LONG: every third value.
    for (const garbage of GARBAGE.filter((_, k) => process.env.LONG || k % 3 === 0)) {
      change(new RegExp(`^${method}$`), () => garbage)
      expectHandled(await verdictOf(hash, server.url), `${method} ${JSON.stringify(garbage)}`)
    }
  })

  test.each(METHODS)('whose answers of %s have one wrong part', { tags: 'long', timeout: 600_000 }, async (method) => {
    let true_: unknown
    change(new RegExp(`^${method}$`), (result) => {
      true_ = result
      return result
    })
    await verdictOf(hash, server.url)
    const places = [...placesIn(true_)]
    expect(places.length).toBeGreaterThan(3)
    for (const [k, place] of places.entries()) {
      const garbage = GARBAGE[k % GARBAGE.length]
      change(new RegExp(`^${method}$`), (result) => replaced(result, place, garbage))
      expectHandled(await verdictOf(hash, server.url), `${method} ${place.join('.')} ${JSON.stringify(garbage)}`)
    }
  })

  test('after all of which it judges as before', async () => {
    proxy.intercept = () => undefined
    expect(figuresOf(await verdictOf(hash, server.url))).toEqual(figuresOf(await verdictOf(hash)))
  })
})

/** Tests verdicts on swaps through genuine routers of the local chain against receipts, balances, and pool formulas. */
import { join } from 'node:path'
import { type Address, loadRegistry, NATIVE } from '@sluice/chains'
import { type Builder, createBuilder, NodeProxy } from '@sluice/devnet'
import { AbiCoder, solidityPacked } from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createMetrics, loadConfig, type RefereeResponse, Services, silentLog, verdictResponse } from '../src/index.ts'
import { devnetDir, localService, request } from './src/devnet.ts'
import { ask, warmUp } from './src/service.ts'

const local = localService()
const rpc = <T>(method: string, ...params: unknown[]) => request<T>(local.devnet.url, method, ...params)
const WHOLE = 10n ** 18n
const FAR = 2n ** 40n
const ERC20 = [
  'function balanceOf(address) view returns (uint256)',
  'function approve(address,uint256)',
  'function transfer(address,uint256)',
]
const WETH = [...ERC20, 'function deposit() payable', 'function withdraw(uint256)']
const V2_ROUTER = [
  'function getAmountsOut(uint256,address[]) view returns (uint256[])',
  'function swapExactTokensForTokens(uint256,uint256,address[],address,uint256)',
  'function swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256,uint256,address[],address,uint256)',
  'function swapExactETHForTokens(uint256,address[],address,uint256) payable',
  'function swapExactTokensForETH(uint256,uint256,address[],address,uint256)',
]
const V3_ROUTER = [
  'function exactInputSingle((address tokenIn,address tokenOut,uint24 fee,address recipient,uint256 amountIn,uint256 amountOutMinimum,uint160 sqrtPriceLimitX96)) payable returns (uint256)',
]
const UNIVERSAL = ['function execute(bytes,bytes[],uint256) payable']
const PERMIT2 = ['function approve(address,address,uint160,uint48)']

type Receipt = {
  transactionHash: string
  blockNumber: string
  status: string
  gasUsed: string
  effectiveGasPrice: string
}

let services: Services
function serve(url: string): Services {
  const env = {
    ...{ LOG_LEVEL: 'silent', CHAINS_DIR: join(devnetDir, 'chains'), DEPLOYMENTS_DIR: join(devnetDir, 'deployments') },
    ...{ RPC_URL_31337: url, RPC_TIMEOUT_MS: '30000' },
  }
  const config = loadConfig(env)
  const registry = loadRegistry({ chainsDir: config.chainsDir, deploymentsDir: config.deploymentsDir })
  return new Services(registry, config, createMetrics(), silentLog())
}

beforeAll(async () => {
  services = serve(local.devnet.url)
  const { WETH, USDC } = local.devnet.info.tokens
  await warmUp(local.server.url, `/quote/31337?src=${WETH!.address}&dst=${USDC!.address}&amount=${WHOLE}`)
})
afterAll(() => services?.close())

async function judge(hash: string, judgingServices = services): Promise<RefereeResponse> {
  const { chain, liveChain } = judgingServices.chain(31_337)
  const work = {
    signal: AbortSignal.timeout(120_000),
    time: async <T>(_: string, run: () => T | Promise<T>) => run(),
    log: silentLog(),
  }
  for (let round = 0; ; round++) {
    const body = verdictResponse(await liveChain.judge(hash as `0x${string}`, work), chain)
    const isPending = body.trades.some(({ comparisons }) => comparisons.some(({ poolsPending }) => poolsPending))
    if (!isPending || round === 10) return body
    await liveChain.waitUntilSettled(10_000)
  }
}

const token = (symbol: string): Address => local.devnet.info.tokens[symbol]!.address
const account = (k: number): Address => local.devnet.info.accounts[k]!.address
const builderOf = (k: number): Builder => createBuilder(local.devnet.url, account(k))
const router = (name: string): Address => local.devnet.info.routers[name]!

/** Returns a balance at the end of a block. */
async function balance(token: Address, account: Address, block: number): Promise<bigint> {
  const at = `0x${block.toString(16)}`
  if (token === NATIVE) return BigInt(await rpc<string>('eth_getBalance', account, at))
  const data = `0x70a08231${account.slice(2).padStart(64, '0')}`
  return BigInt(await rpc<string>('eth_call', { to: token, data }, at))
}

/** Expects a verdict that is consistent with itself and with the balances before and after the block. */
async function expectTrade(
  { transactionHash, blockNumber, gasUsed, effectiveGasPrice }: Receipt,
  trader: Address,
  ends: { readonly src: Address; readonly dst: Address; readonly recipient?: Address },
): Promise<RefereeResponse> {
  const verdict = await judge(transactionHash)
  expect(verdict, JSON.stringify(verdict)).toMatchObject({ outcome: 'swap', reason: null, unknown: [] })
  const block = Number(blockNumber)
  const { src, dst, recipient = trader } = ends
  const [trade] = verdict.trades
  expect(trade).toMatchObject({ trader, recipient, src, dst })
  const cost = BigInt(gasUsed) * BigInt(effectiveGasPrice)
  const [before, after] = [await balance(src, trader, block - 1), await balance(src, trader, block)]
  expect(BigInt(trade!.fromAmount)).toBe(before - after - (src === NATIVE ? cost : 0n))
  const [had, has] = [await balance(dst, recipient, block - 1), await balance(dst, recipient, block)]
  expect(BigInt(trade!.toAmount)).toBe(has - had + (dst === NATIVE && recipient === trader ? cost : 0n))
  expect(BigInt(verdict.gasCost!)).toBe(cost)
  // The only transaction of its block, so its position has the state of the parent block.
  expect(trade!.comparisons.map(({ state }) => state)).toEqual(['position'])
  expect(trade!.toAmountAtParent).toBe(trade!.toAmount)
  const { toAmount, bound, leftBps, leftAtMostBps, pools, swaps } = trade!.comparisons[0]!
  expect(pools.length).toBeGreaterThan(0)
  expect(swaps.map(({ pool }) => pool)).toEqual(pools)
  const expectedBps = Number(((BigInt(toAmount) - BigInt(trade!.toAmount)) * 10_000_000n) / BigInt(toAmount)) / 1_000
  expect(leftBps).toBe(expectedBps)
  if (bound !== null) {
    expect(BigInt(bound)).toBeGreaterThanOrEqual(BigInt(toAmount))
    expect(leftAtMostBps).toBeGreaterThanOrEqual(leftBps!)
  }
  return verdict
}

const now = async () => Number(await rpc<string>('eth_blockNumber'))

/** Sends transactions in the given order and mines them in one block. */
async function mineTogether(
  sent: readonly { from: Address; to?: Address; data: string }[],
): Promise<readonly Receipt[]> {
  await rpc('evm_setAutomine', false)
  const hashes: string[] = []
  try {
    for (const [k, transaction] of sent.entries()) {
      // Low, so that outputs decide between routes: the referee ranks gas by the table, and quotes by measured gas.
      const gasPrice = `0x${(BigInt(sent.length - k) * 2n * 10n ** 9n).toString(16)}`
      hashes.push(await rpc<string>('eth_sendTransaction', { ...transaction, gas: '0x80000', gasPrice }))
    }
    await rpc('evm_mine')
  } finally {
    await rpc('evm_setAutomine', true)
  }
  const receipts = await Promise.all(
    hashes.map((hash) => rpc<Receipt & { transactionIndex: string }>('eth_getTransactionReceipt', hash)),
  )
  expect(receipts.map(({ transactionIndex }) => Number(transactionIndex))).toEqual(sent.map((_, k) => k))
  expect(receipts.every(({ status }) => status === '0x1')).toBe(true)
  return receipts
}

const swapOf = (from: Address, amount: bigint, path: readonly Address[]) => {
  const to = router('uniswapV2Router02')
  const { abi } = builderOf(1).contractAt(V2_ROUTER, to)
  return { from, to, data: abi.encodeFunctionData('swapExactTokensForTokens', [amount, 0, path, from, FAR]) }
}

describe('a swap is judged by what went in and out', () => {
  beforeAll(async () => {
    await builderOf(1)
      .contractAt(WETH, token('WETH'))
      .send('deposit', [], 200n * WHOLE)
    for (const symbol of ['WETH', 'USDC', 'TAXED'])
      for (const spender of [router('uniswapV2Router02'), router('uniswapSwapRouter02'), router('permit2')])
        await builderOf(1)
          .contractAt(ERC20, token(symbol))
          .send('approve', [spender, 2n ** 200n])
  })
  const v2 = () => builderOf(1).contractAt(V2_ROUTER, router('uniswapV2Router02'))
  const sent = (receipt: unknown) => receipt as Receipt

  test('through a router of one pool, that loses to a route over many', async () => {
    const path = [token('WETH'), token('USDC')]
    const amount = 40n * WHOLE
    const receipt = sent(await v2().send('swapExactTokensForTokens', [amount, 0, path, account(1), FAR]))
    const verdict = await expectTrade(receipt, account(1), { src: token('WETH'), dst: token('USDC') })
    const { leftBps, leftNetBps, pools } = verdict.trades[0]!.comparisons[0]!
    expect(leftBps).toBeGreaterThan(5)
    expect(pools.length).toBeGreaterThan(1)
    // The best route uses more pools and thus more gas.
    expect(leftNetBps).toBeLessThan(leftBps!)
    expect(verdict.sandwich).toBeNull()
    const { components } = JSON.parse((await ask(`${local.server.url}/openapi.json`)).text)
    const answer = JSON.parse((await ask(`${local.server.url}/referee/31337/${receipt.transactionHash}`)).text)
    z.fromJSONSchema(components.schemas.Verdict).parse(answer)
    expect(answer).toMatchObject({ outcome: 'swap', hash: verdict.hash, gasCost: verdict.gasCost })
  })

  test('with the native token in, and out', async () => {
    const path = [token('WETH'), token('USDC')]
    const bought = sent(await v2().send('swapExactETHForTokens', [0, path, account(1), FAR], WHOLE))
    await expectTrade(bought, account(1), { src: NATIVE, dst: token('USDC') })
    const sold = sent(await v2().send('swapExactTokensForETH', [3_000_000_000n, 0, path.toReversed(), account(1), FAR]))
    await expectTrade(sold, account(1), { src: token('USDC'), dst: NATIVE })
  })

  test('for another recipient, over two pools, and in a pool of another kind', { tags: 'long' }, async () => {
    const path = [token('USDC'), token('WETH'), token('LINK')]
    const receipt = sent(await v2().send('swapExactTokensForTokens', [10n ** 9n, 0, path, account(6), FAR]))
    await expectTrade(receipt, account(1), { src: token('USDC'), dst: token('LINK'), recipient: account(6) })
    const v3 = builderOf(1).contractAt(V3_ROUTER, router('uniswapSwapRouter02'))
    const order = [token('WETH'), token('USDC'), 500, account(7), 2n * WHOLE, 0, 0]
    const single = sent(await v3.send('exactInputSingle', [order]))
    await expectTrade(single, account(1), { src: token('WETH'), dst: token('USDC'), recipient: account(7) })
  })

  test('with a fee that the router takes of the output', { tags: 'long' }, async () => {
    const [weth, usdc] = [token('WETH'), token('USDC')]
    const universal = router('uniswapUniversalRouter')
    await builderOf(1)
      .contractAt(PERMIT2, router('permit2'))
      .send('approve', [weth, universal, 2n ** 159n, 2n ** 47n])
    const abi = AbiCoder.defaultAbiCoder()
    const ROUTER_ITSELF = '0x0000000000000000000000000000000000000002'
    const inputs = [
      abi.encode(['address', 'uint256', 'uint256', 'address[]', 'bool'], [ROUTER_ITSELF, WHOLE, 0, [weth, usdc], true]),
      abi.encode(['address', 'address', 'uint256'], [usdc, account(8), 100]),
      abi.encode(['address', 'address', 'uint256'], [usdc, account(1), 0]),
    ]
    const commands = solidityPacked(['uint8', 'uint8', 'uint8'], [0x08, 0x06, 0x04])
    const receipt = sent(await builderOf(1).contractAt(UNIVERSAL, universal).send('execute', [commands, inputs, FAR]))
    const verdict = await expectTrade(receipt, account(1), { src: weth, dst: usdc })
    const [{ fees, toAmount }] = verdict.trades as [RefereeResponse['trades'][number]]
    expect(fees).toMatchObject([{ account: account(8), token: usdc }])
    const fee = BigInt(fees[0]!.amount)
    expect(fee).toBe((BigInt(toAmount) + fee) / 100n)
    expect(verdict.trades[0]!.comparisons[0]!.leftBps).toBeGreaterThan(99)
  })

  test('of a token that keeps a part of each transfer', async () => {
    const path = [token('TAXED'), token('WETH')]
    const args = [1_000n * WHOLE, 0, path, account(1), FAR]
    const receipt = sent(await v2().send('swapExactTokensForTokensSupportingFeeOnTransferTokens', args))
    await expectTrade(receipt, account(1), { src: token('TAXED'), dst: token('WETH') })
  })

  test('of this service, which leaves nothing', async () => {
    const query = { src: token('WETH'), dst: token('USDC'), amount: `${5n * WHOLE}`, from: account(1) }
    await builderOf(1)
      .contractAt(ERC20, token('WETH'))
      .send('approve', [local.devnet.info.guard, 2n ** 200n])
    const path = `/aggregator/31337?${new URLSearchParams(query)}`
    await warmUp(local.server.url, path)
    const { tx, gasEstimate, toAmount } = JSON.parse((await ask(local.server.url + path)).text)
    const gas = `0x${((BigInt(gasEstimate) * 6n) / 5n).toString(16)}`
    const receipt = await rpc<Receipt>('eth_sendTransactionSync', { ...tx, value: '0x0', gas })
    const verdict = await expectTrade(receipt, account(1), { src: token('WETH'), dst: token('USDC') })
    const [trade] = verdict.trades
    expect(trade!.toAmount).toBe(toAmount)
    const { leftBps, leftNetBps } = trade!.comparisons[0]!
    expect(Math.abs(leftBps!)).toBeLessThan(0.1)
    expect(Math.abs(leftNetBps!)).toBeLessThan(0.1)
  })
})

describe('what is no swap', () => {
  test.each([
    [
      'a transfer',
      'transfer',
      () =>
        builderOf(1)
          .contractAt(ERC20, token('USDC'))
          .send('transfer', [account(6), 5n]),
    ],
    [
      'an approval',
      'nothing',
      () =>
        builderOf(1)
          .contractAt(ERC20, token('USDC'))
          .send('approve', [account(6), 5n]),
    ],
    ['wrapping', 'wrap', () => builderOf(1).contractAt(WETH, token('WETH')).send('deposit', [], 5n)],
    ['unwrapping', 'wrap', () => builderOf(1).contractAt(WETH, token('WETH')).send('withdraw', [5n])],
    ['native token sent', 'transfer', () => builderOf(1).transact({ to: account(6), value: 5n })],
  ])('%s', async (_, outcome, send) => {
    const { transactionHash } = (await send()) as unknown as Receipt
    const verdict = await judge(transactionHash)
    expect(verdict).toMatchObject({ outcome, trades: [], sandwich: null, reason: expect.any(String) })
  })

  test('a transaction that reverted, and one that nobody knows', async () => {
    const path = [token('WETH'), token('USDC')]
    const { abi } = builderOf(1).contractAt(V2_ROUTER, router('uniswapV2Router02'))
    const data = abi.encodeFunctionData('swapExactTokensForTokens', [WHOLE, 2n ** 200n, path, account(1), FAR])
    const failed = { from: account(1), to: router('uniswapV2Router02'), data, gas: '0x100000' }
    const { transactionHash, status } = await rpc<Receipt>('eth_sendTransactionSync', failed)
    expect(status).toBe('0x0')
    expect(await judge(transactionHash)).toMatchObject({ outcome: 'reverted', trades: [] })
    expect(await judge(`0x${'ab'.repeat(32)}`)).toMatchObject({ outcome: 'unknown', block: null })
    // The endpoint returns the same verdicts.
    for (const hash of [transactionHash, `0x${'ab'.repeat(32)}`]) {
      const { status: code, text } = await ask(`${local.server.url}/referee/31337/${hash}`)
      expect([code, JSON.parse(text)]).toEqual([200, await judge(hash)])
    }
    expect((await ask(`${local.server.url}/referee/31337/0x12`)).status).toBe(400)
  })
})

describe('transactions around it in its block', () => {
  const victim = () => account(1)
  const attacker = () => account(2)

  beforeAll(async () => {
    await builderOf(2)
      .contractAt(WETH, token('WETH'))
      .send('deposit', [], 500n * WHOLE)
    const mint = ['function mint(address,uint256)']
    for (const k of [1, 2])
      await builderOf(k)
        .contractAt(mint, token('USDC'))
        .send('mint', [account(k), 10n ** 13n])
    for (const symbol of ['WETH', 'USDC', 'LINK'])
      await builderOf(2)
        .contractAt(ERC20, token(symbol))
        .send('approve', [router('uniswapV2Router02'), 2n ** 200n])
  })

  test('a sandwich is seen, with what the attacker took and what the victim lost', async () => {
    // The trades above sold WETH in this pair, so it is cheaper here than elsewhere.
    const path = [token('USDC'), token('WETH')]
    const amount = 120_000n * 10n ** 6n
    const v2 = builderOf(2).contractAt(V2_ROUTER, router('uniswapV2Router02'))
    const out = async (input: bigint, along: readonly Address[]) =>
      (await v2.read<bigint[]>('getAmountsOut', [input, along])).at(-1)!
    const front = 700_000n * 10n ** 6n
    const bought = await out(front, path)
    const alone = await out(amount, path)
    const receipts = await mineTogether([
      swapOf(attacker(), front, path),
      swapOf(victim(), amount, path),
      swapOf(attacker(), bought, path.toReversed()),
    ])
    const block = Number(receipts[1]!.blockNumber)
    const verdict = await judge(receipts[1]!.transactionHash)
    expect(verdict, JSON.stringify(verdict)).toMatchObject({ outcome: 'swap', unknown: [], index: 1 })
    const [trade] = verdict.trades
    expect(BigInt(trade!.toAmount)).toBe(
      (await balance(token('WETH'), victim(), block)) - (await balance(token('WETH'), victim(), block - 1)),
    )
    expect(BigInt(trade!.toAmountAtParent!), 'by the formula of the pair').toBe(alone)
    const gain =
      (await balance(token('USDC'), attacker(), block)) - (await balance(token('USDC'), attacker(), block - 1))
    expect(gain).toBeGreaterThan(0n)
    expect(verdict.sandwich).toMatchObject({
      front: { hash: receipts[0]!.transactionHash, index: 0 },
      back: { hash: receipts[2]!.transactionHash, index: 2 },
      by: attacker(),
      token: token('USDC'),
      gain: `${gain}`,
    })
    const [inPosition, atParent] = trade!.comparisons
    expect(trade!.comparisons.map(({ state }) => state)).toEqual(['position', 'parent'])
    // The front-run made the pair, and so every route through it, worse.
    expect(BigInt(atParent!.toAmount)).toBeGreaterThan(BigInt(inPosition!.toAmount))
    expect(BigInt(inPosition!.toAmount)).toBeGreaterThan(BigInt(trade!.toAmount))
    expect(BigInt(atParent!.toAmount)).toBeGreaterThanOrEqual(alone)

    // The best output at its position equals a quote after mining only the front-run.
    await rpc('anvil_rollback', 1)
    await mineTogether([swapOf(attacker(), front, path)])
    const query = {
      src: path[0]!,
      dst: path[1]!,
      amount: `${amount}`,
      gasPrice: BigInt(verdict.gasPrice!).toString(),
      block: `${await now()}`,
    }
    const quote = JSON.parse((await ask(`${local.server.url}/quote/31337?${new URLSearchParams(query)}`)).text)
    const difference = Math.abs(Number(BigInt(quote.toAmount) - BigInt(inPosition!.toAmount)) / Number(quote.toAmount))
    expect(difference).toBeLessThan(1e-6)
  })

  test('two strangers around it, or one who trades elsewhere or in one direction, are none', {
    tags: 'long',
  }, async () => {
    const path = [token('WETH'), token('USDC')]
    const other = [token('WETH'), token('LINK')]
    const both = [
      [swapOf(attacker(), WHOLE, path), swapOf(victim(), WHOLE, path), swapOf(attacker(), WHOLE, path)],
      [swapOf(attacker(), WHOLE, other), swapOf(victim(), WHOLE, path), swapOf(attacker(), WHOLE, other.toReversed())],
      [
        swapOf(attacker(), 10n ** 9n, path.toReversed()),
        swapOf(victim(), WHOLE, path),
        swapOf(attacker(), WHOLE, path),
      ],
    ]
    for (const sent of both) {
      const receipts = await mineTogether(sent)
      expect(await judge(receipts[1]!.transactionHash)).toMatchObject({ outcome: 'swap', sandwich: null })
    }
  })
})

test('creations of contracts before it, which the node does not simulate, are left out and told', {
  tags: 'long',
}, async () => {
  const path = [token('WETH'), token('USDC')]
  // Deploys a contract whose code is STOP.
  const creation = { from: account(3), data: '0x6001600c60003960016000f300' }
  const receipts = await mineTogether([creation, swapOf(account(2), WHOLE, path), swapOf(account(1), WHOLE, path)])
  const verdict = await judge(receipts[2]!.transactionHash)
  expect(verdict).toMatchObject({
    outcome: 'swap',
    index: 2,
    unknown: [expect.stringContaining('1 creations of contracts')],
  })
  expect(verdict.trades[0]!.comparisons.map(({ state }) => state)).toEqual(['position', 'parent'])
})

test('without traces and simulations of blocks, the verdict names what it lacks', { tags: 'long' }, async () => {
  const lacking = /^(debug_|eth_simulateV1|eth_getBlockReceipts)/
  const proxy = await NodeProxy.start(local.devnet.url, ({ method }) =>
    lacking.test(method) ? { error: { code: -32_601, message: `the method ${method} does not exist` } } : undefined,
  )
  const poor = serve(proxy.url)
  try {
    const path = [token('WETH'), token('USDC')]
    const [first, second] = await mineTogether([swapOf(account(2), WHOLE, path), swapOf(account(1), WHOLE, path)])
    const verdict = await judge(second!.transactionHash, poor)
    const { toAmount } = (await judge(second!.transactionHash)).trades[0]!
    expect(verdict.trades[0]).toMatchObject({ toAmount, toAmountAtParent: null })
    expect(verdict.trades[0]!.comparisons.map(({ state }) => state)).toEqual(['parent'])
    expect(verdict.gaps.map(({ code }) => code)).toEqual([
      ...['NATIVE_MOVES_OF_OTHERS', 'BALANCES', 'POSITION_STATE', 'OUTPUT_AT_PARENT'],
    ])
    expect(verdict.unknown).toEqual(verdict.gaps.map(({ message }) => message))
    const alone = await judge(first!.transactionHash, poor)
    expect(alone.trades[0]!.comparisons.map(({ state }) => state)).toEqual(['position'])
  } finally {
    await poor.close()
    await proxy.stop()
  }
})

/**
 * Tests that amounts in verdicts are those of balances for tokens and routers for which public trackers report wrong
 * amounts of similar tools. Each test names its report.
 */
import { type Address, NATIVE, toAddress } from '@sluice/chains'
import { createBuilder } from '@sluice/devnet'
import { AbiCoder, solidityPacked } from 'ethers'
import { beforeAll, describe, expect, test } from 'vitest'
import type { RefereeResponse } from '../src/index.ts'
import { localService, request } from './src/devnet.ts'
import { ask, warmUp } from './src/service.ts'

const local = localService({ REQUEST_TIMEOUT_MS: '120000', RPC_TIMEOUT_MS: '60000' })
const rpc = <T>(method: string, ...params: unknown[]) => request<T>(local.devnet.url, method, ...params)
const WHOLE = 10n ** 18n
const FAR = 2n ** 40n
const ROUTER = [
  'function swapExactETHForTokens(uint256,address[],address,uint256) payable',
  'function swapExactTokensForTokens(uint256,uint256,address[],address,uint256)',
  'function swapExactTokensForETH(uint256,uint256,address[],address,uint256)',
  'function swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256,uint256,address[],address,uint256)',
]
const V3_ROUTER = [
  'function exactInputSingle((address tokenIn,address tokenOut,uint24 fee,address recipient,uint256 amountIn,uint256 amountOutMinimum,uint160 sqrtPriceLimitX96)) payable returns (uint256)',
]
const V3_POOL = ['function slot0() view returns (uint160)', 'function token0() view returns (address)']
const TOKEN = [
  'function approve(address,uint256)',
  'function mint(address,uint256)',
  'function deposit() payable',
  'function rebase(int256)',
]
const MARKET = [
  'function supply(address,uint256,address,uint16)',
  'function borrow(address,uint256,uint256,uint16,address)',
  'function withdraw(address,uint256,address)',
  'function getReserveData(address) view returns ((uint256,uint128,uint128,uint128,uint128,uint128,uint40,uint16,address aToken))',
]
const UNIVERSAL = ['function execute(bytes,bytes[],uint256) payable']
const PERMIT2 = ['function approve(address,address,uint160,uint48)']

type Receipt = {
  readonly transactionHash: string
  readonly blockNumber: string
  readonly gasUsed: string
  readonly effectiveGasPrice: string
  readonly logs: readonly { readonly address: string; readonly topics: readonly string[]; readonly data: string }[]
}

const token = (symbol: string): Address => local.devnet.info.tokens[symbol]!.address
const account = (k: number): Address => local.devnet.info.accounts[k]!.address
const router = (name: string): Address => local.devnet.info.routers[name]!
const builderOf = (k: number) => createBuilder(local.devnet.url, account(k))
const tokenOf = (k: number, address: Address) => builderOf(k).contractAt(TOKEN, address)
const v2Of = (k: number) => builderOf(k).contractAt(ROUTER, router('uniswapV2Router02'))
const receiptOf = (sent: unknown) => sent as Receipt

async function verdictOf(hash: string): Promise<RefereeResponse & { status: number }> {
  const { status, text } = await ask(`${local.server.url}/referee/31337/${hash}`)
  return { status, ...JSON.parse(text) }
}

/** Growth of a balance in the block of a transaction, which is alone there. */
async function growth(token: Address, account: Address, receipt: Receipt): Promise<bigint> {
  const data = `0x70a08231${account.slice(2).padStart(64, '0')}`
  const at = (block: number) => {
    const tag = `0x${block.toString(16)}`
    return token === NATIVE
      ? rpc<string>('eth_getBalance', account, tag)
      : rpc<string>('eth_call', { to: token, data }, tag)
  }
  const block = Number(receipt.blockNumber)
  return BigInt(await at(block)) - BigInt(await at(block - 1))
}

/** Sum of an account's transfers by the logs of a receipt, as tools without balances compute it. */
function loggedGrowth(token: Address, account: Address, { logs }: Receipt): bigint {
  const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
  const word = `0x${account.slice(2).padStart(64, '0')}`
  return logs
    .filter(({ address, topics }) => address.toLowerCase() === token && topics[0] === TRANSFER)
    .reduce((sum, { topics, data }) => {
      const amount = BigInt(data)
      return sum + (topics[2] === word ? amount : 0n) - (topics[1] === word ? amount : 0n)
    }, 0n)
}

beforeAll(async () => {
  const path = `/quote/31337?src=${token('WETH')}&dst=${token('USDC')}&amount=${WHOLE}`
  await warmUp(local.server.url, path)
  await tokenOf(1, token('WETH')).send('deposit', [], 100n * WHOLE)
  await tokenOf(1, token('USDC')).send('mint', [account(1), 10n ** 12n])
  for (const symbol of ['WETH', 'USDC', 'STETH'])
    for (const spender of ['uniswapV2Router02', 'uniswapSwapRouter02', 'permit2', 'aaveV3Pool'])
      await tokenOf(1, token(symbol)).send('approve', [router(spender), 2n ** 200n])
})

describe('tokens whose balances are not the sum of their transfers', () => {
  test('a rebasing token, whose transfers round to shares (duneanalytics/spellbook 4735)', async () => {
    const path = [token('WETH'), token('STETH')]
    let differing = 0
    // Upwards only: a pair refuses to swap with less than its reserves.
    for (const rebasePpm of [317n, 211n, 1_003n]) {
      await tokenOf(1, token('STETH')).send('rebase', [rebasePpm])
      const args = [WHOLE + rebasePpm, 0, path, account(1), FAR]
      const bought = receiptOf(await v2Of(1).send('swapExactTokensForTokensSupportingFeeOnTransferTokens', args))
      const received = await growth(token('STETH'), account(1), bought)
      const { trades, gaps } = await verdictOf(bought.transactionHash)
      expect(gaps).toEqual([])
      expect(trades).toMatchObject([{ dst: token('STETH'), toAmount: `${received}`, toAmountAtParent: `${received}` }])
      const back = [WHOLE / 3n + rebasePpm, 0, path.toReversed(), account(1), FAR]
      const sold = receiptOf(await v2Of(1).send('swapExactTokensForTokensSupportingFeeOnTransferTokens', back))
      const spent = -(await growth(token('STETH'), account(1), sold))
      expect((await verdictOf(sold.transactionHash)).trades).toMatchObject([
        { src: token('STETH'), fromAmount: `${spent}` },
      ])
      for (const receipt of [bought, sold])
        if (loggedGrowth(token('STETH'), account(1), receipt) !== (await growth(token('STETH'), account(1), receipt)))
          differing++
    }
    // Otherwise the logs would have been right, too.
    expect(differing).toBeGreaterThan(0)
  })

  test('shares of a lending market, whose interest is logged as a transfer (aave-v3-core 682)', async () => {
    const market = builderOf(1).contractAt(MARKET, router('aaveV3Pool'))
    const { aToken } = await market.read<{ aToken: string }>('getReserveData', [token('USDC')])
    const shares = toAddress(aToken)
    await market.send('supply', [token('USDC'), 10n ** 11n, account(1), 0])
    await market.send('borrow', [token('USDC'), 10n ** 8n, 2, 0, account(1)])
    await rpc('evm_increaseTime', 3_600)
    await rpc('evm_mine')
    const amount = 10n ** 9n
    const receipt = receiptOf(await market.send('withdraw', [token('USDC'), amount, account(1)]))
    expect(-loggedGrowth(shares, account(1), receipt)).not.toBe(amount)
    expect(await growth(token('USDC'), account(1), receipt)).toBe(amount)
    const verdict = await verdictOf(receipt.transactionHash)
    expect(verdict, JSON.stringify(verdict)).toMatchObject({ outcome: 'swap', reason: null })
    const [trade] = verdict.trades
    expect(trade).toMatchObject({ src: shares, dst: token('USDC'), toAmount: `${amount}` })
    // A share is worth one base unit of its token, so that both amounts are the same, up to rounding.
    expect(Number(BigInt(trade!.fromAmount) - amount)).toBeLessThanOrEqual(1)
    expect(Number(BigInt(trade!.fromAmount) - amount)).toBeGreaterThanOrEqual(-1)
  })

  test('a token with a fee on each transfer, in and out (1inch/swap-vm 29)', async () => {
    const path = [token('USDC'), token('TAXED')]
    const args = [10n ** 9n, 0, path, account(1), FAR]
    const bought = receiptOf(await v2Of(1).send('swapExactTokensForTokensSupportingFeeOnTransferTokens', args))
    const received = await growth(token('TAXED'), account(1), bought)
    const { trades } = await verdictOf(bought.transactionHash)
    expect(trades).toMatchObject([{ src: token('USDC'), dst: token('TAXED'), toAmount: `${received}` }])
    expect(trades[0]!.fees).toMatchObject([{ token: token('TAXED') }])
  })
})

describe('routers', () => {
  const codec = AbiCoder.defaultAbiCoder()
  const [TO_SENDER, TO_ROUTER] = ['1', '2'].map((digit) => `0x${digit.padStart(40, '0')}`) as [string, string]
  const v2Input = (to: string, amount: bigint, path: readonly Address[], isFromSender: boolean) =>
    codec.encode(['address', 'uint256', 'uint256', 'address[]', 'bool'], [to, amount, 0, path, isFromSender])
  const pay = (token: Address, to: string, amount: bigint) =>
    codec.encode(['address', 'address', 'uint256'], [token, to, amount])
  /** Amount that stands for the whole balance of the router. */
  const WHOLE_BALANCE = 1n << 255n
  const [V3_IN, SWEEP, TRANSFER, V2_IN, UNWRAP] = [0x00, 0x04, 0x05, 0x08, 0x0c]

  const execute = async (commands: readonly number[], inputs: readonly string[]) => {
    const packed = solidityPacked(
      commands.map(() => 'uint8'),
      [...commands],
    )
    const universal = builderOf(1).contractAt(UNIVERSAL, router('uniswapUniversalRouter'))
    return receiptOf(await universal.send('execute', [packed, inputs, FAR]))
  }

  beforeAll(async () => {
    for (const symbol of ['WETH', 'USDC'])
      await builderOf(1)
        .contractAt(PERMIT2, router('permit2'))
        .send('approve', [token(symbol), router('uniswapUniversalRouter'), 2n ** 159n, 2n ** 47n])
  })

  test('two swaps in a row, the second of the whole balance (uniswap-universal-router-decoder 31, 44)', async () => {
    const [weth, usdc, usdt] = ['WETH', 'USDC', 'USDT'].map(token) as [Address, Address, Address]
    const path = solidityPacked(['address', 'uint24', 'address'], [usdc, 100, usdt])
    const second = codec.encode(
      ['address', 'uint256', 'uint256', 'bytes', 'bool'],
      [TO_SENDER, WHOLE_BALANCE, 0, path, false],
    )
    const receipt = await execute([V2_IN, V3_IN], [v2Input(TO_ROUTER, WHOLE, [weth, usdc], true), second])
    const received = await growth(usdt, account(1), receipt)
    const { outcome, trades } = await verdictOf(receipt.transactionHash)
    expect(outcome).toBe('swap')
    expect(trades).toMatchObject([{ src: weth, dst: usdt, fromAmount: `${WHOLE}`, toAmount: `${received}`, fees: [] }])
  })

  test('two tokens out of one (0xProject/protocol 603)', async () => {
    const [weth, usdc, link] = ['WETH', 'USDC', 'LINK'].map(token) as [Address, Address, Address]
    const inputs = [usdc, link].map((out) => v2Input(TO_SENDER, WHOLE, [weth, out], true))
    const receipt = await execute([V2_IN, V2_IN], inputs)
    expect(await verdictOf(receipt.transactionHash)).toMatchObject({
      ...{ status: 200, outcome: 'several', reasonCode: 'SEVERAL_OUTPUTS', trades: [] },
    })
  })

  test('swaps in a circle, back to the same token (mev-inspect-py 323)', async () => {
    const path = [token('WETH'), token('USDC')]
    const back = v2Input(TO_SENDER, WHOLE_BALANCE, path.toReversed(), false)
    const receipt = await execute([V2_IN, V2_IN], [v2Input(TO_ROUTER, WHOLE, path, true), back])
    expect(await verdictOf(receipt.transactionHash)).toMatchObject({ outcome: 'nothing', reasonCode: 'SAME_TOKEN' })
  })

  // In this order, since the next sweep would take what the router has kept.
  test.each(['sends it to a wallet of its own', 'keeps it'])(
    'that pays the quoted amount, and of what is above it %s (gnosis/gp-v2-services 792, VeloraDEX/sdk 162)',
    async (how) => {
      const [weth, usdc] = ['WETH', 'USDC'].map(token) as [Address, Address]
      const quoted = 10n ** 9n
      const steps = [v2Input(TO_ROUTER, WHOLE, [weth, usdc], true), pay(usdc, TO_SENDER, quoted)]
      const keeps = how === 'keeps it'
      const receipt = keeps
        ? await execute([V2_IN, TRANSFER], steps)
        : await execute([V2_IN, TRANSFER, SWEEP], [...steps, pay(usdc, account(8), 0n)])
      const keeper = keeps ? router('uniswapUniversalRouter') : account(8)
      const surplus = await growth(usdc, keeper, receipt)
      expect(surplus).toBeGreaterThan(0n)
      const { trades } = await verdictOf(receipt.transactionHash)
      expect(trades).toMatchObject([
        { toAmount: `${quoted}`, fees: [{ account: keeper, token: usdc, amount: `${surplus}` }] },
      ])
      const { toAmount, leftBps } = trades[0]!.comparisons[0]!
      expect(BigInt(toAmount)).toBeGreaterThanOrEqual(quoted + surplus)
      expect(leftBps).toBeGreaterThan(0)
    },
  )

  test('that unwraps for another recipient (ethereum-etl 237, unstoppable-wallet-android 2671)', async () => {
    const path = [token('USDC'), token('WETH')]
    const args = [10n ** 9n, 0, path, account(6), FAR]
    const plain = receiptOf(await v2Of(1).send('swapExactTokensForETH', args))
    const unwrap = codec.encode(['address', 'uint256'], [account(6), 0])
    const universal = await execute([V2_IN, UNWRAP], [v2Input(TO_ROUTER, 10n ** 9n, path, true), unwrap])
    for (const receipt of [plain, universal]) {
      const received = await growth(NATIVE, account(6), receipt)
      const { trades } = await verdictOf(receipt.transactionHash)
      expect(trades).toMatchObject([
        { trader: account(1), recipient: account(6), dst: NATIVE, fromAmount: `${10n ** 9n}`, toAmount: `${received}` },
      ])
    }
  })

  test('that fills a part only, up to a price (cowprotocol/explorer 183)', async () => {
    const [weth, usdc] = ['WETH', 'USDC'].map(token) as [Address, Address]
    const pool = local.devnet.info.pools.find(
      ({ family, feePpm, tokens }) => family === 'uniswap-v3' && feePpm === 500 && `${tokens}` === 'WETH,USDC',
    )!
    const contract = builderOf(1).contractAt(V3_POOL, pool.address!)
    const price = await contract.read<bigint>('slot0')
    const isFirst = toAddress(await contract.read<string>('token0')) === weth
    const limit = isFirst ? (price * 99_990n) / 100_000n : (price * 100_010n) / 100_000n
    const offered = 50n * WHOLE
    const v3 = builderOf(1).contractAt(V3_ROUTER, router('uniswapSwapRouter02'))
    const receipt = receiptOf(await v3.send('exactInputSingle', [[weth, usdc, 500, account(1), offered, 0, limit]]))
    const spent = -(await growth(weth, account(1), receipt))
    expect(spent).toBeGreaterThan(0n)
    expect(spent).toBeLessThan(offered)
    const { trades } = await verdictOf(receipt.transactionHash)
    expect(trades).toMatchObject([{ fromAmount: `${spent}`, toAmount: `${await growth(usdc, account(1), receipt)}` }])
  })
})

describe('creations of contracts (parity-ethereum 2060)', () => {
  /** Stores nothing and returns one byte of code; reverts. */
  const [CREATES, FAILS] = ['0x60015f5360015ff3', '0x5f5ffd']
  const create = (data: string, value = '0x0') =>
    rpc<Receipt>('eth_sendTransactionSync', { from: account(1), data, value, gas: '0x80000' })

  test('are no swaps, and neither are failed ones', async () => {
    const { transactionHash } = await create(CREATES)
    expect(await verdictOf(transactionHash)).toMatchObject({ outcome: 'nothing', reasonCode: 'NO_INPUT', to: null })
    const funded = await create(CREATES, '0x5')
    expect(await verdictOf(funded.transactionHash)).toMatchObject({ outcome: 'transfer', reasonCode: 'SENT' })
    const failed = await create(FAILS, '0x5')
    expect(await verdictOf(failed.transactionHash)).toMatchObject({ outcome: 'reverted', reasonCode: 'REVERTED' })
  })

  test('may be before a swap in its block', async () => {
    const path = [token('WETH'), token('USDC')]
    const data = v2Of(1).abi.encodeFunctionData('swapExactETHForTokens', [0, path, account(1), FAR])
    await rpc('evm_setAutomine', false)
    const hashes: string[] = []
    try {
      const swap = { from: account(1), to: router('uniswapV2Router02'), data, value: '0xde0b6b3a7640000' }
      for (const [k, sent] of [{ from: account(2), data: CREATES }, swap].entries()) {
        const gasPrice = `0x${(BigInt(2 - k) * 10n ** 10n).toString(16)}`
        hashes.push(await rpc<string>('eth_sendTransaction', { ...sent, gas: '0x80000', gasPrice }))
      }
      await rpc('evm_mine')
    } finally {
      await rpc('evm_setAutomine', true)
    }
    const { outcome, index, trades, gaps } = await verdictOf(hashes[1]!)
    expect([outcome, index]).toEqual(['swap', 1])
    // The node of the tests does not simulate creations.
    expect(gaps.map(({ code }) => code)).toEqual(['CREATIONS_SKIPPED'])
    expect(trades[0]!.comparisons.map(({ state }) => state)).toEqual(['position', 'parent'])
  })
})

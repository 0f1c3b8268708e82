/** Tests tokens whose taxes and limits depend on other actions in the same transaction. */
import { toAddress } from '@sluice/chains'
import { artifact, type Contract, createBuilder } from '@sluice/devnet'
import { beforeAll, expect, test } from 'vitest'
import { localService, request } from './src/devnet.ts'
import { ask } from './src/service.ts'
import { deployToken } from './src/tokens.ts'

const local = localService()
const WHOLE = 10n ** 18n
const ERC20 = ['function approve(address,uint256)', 'function balanceOf(address) view returns (uint256)']
let from: string
let weth: string

type Route = {
  readonly fromAmount: string
  readonly toAmount: string
  readonly minToAmount: string
  readonly gasEstimate: string
  readonly warnings: readonly string[]
  readonly tx: { readonly to: string; readonly data: string; readonly value: string }
}

beforeAll(() => {
  from = local.devnet.info.accounts[1]!.address
  weth = local.devnet.info.tokens.WETH!.address
})

const rpc = <T>(method: string, ...params: unknown[]) => request<T>(local.devnet.url, method, ...params)
const erc20 = (token: string) => createBuilder(local.devnet.url, toAddress(from)).contractAt(ERC20, token)
const balance = (token: string) => erc20(token).read<bigint>('balanceOf', [from])

async function quote(query: Record<string, string>): Promise<Route> {
  const { status, text } = await ask(`${local.server.url}/aggregator/31337?${new URLSearchParams({ from, ...query })}`)
  expect(status, text).toBe(200)
  return JSON.parse(text)
}

/** Sends a quote and returns the received amount of the token. */
async function sent({ gasEstimate, tx }: Route, token: string): Promise<bigint> {
  const before = await balance(token)
  const gas = `0x${((BigInt(gasEstimate) * 12n + 9n) / 10n).toString(16)}`
  const value = `0x${BigInt(tx.value).toString(16)}`
  const call = { from, to: tx.to, data: tx.data, value, gas }
  expect(await rpc('eth_sendTransactionSync', call)).toMatchObject({ status: '0x1' })
  return (await balance(token)) - before
}

/** Sets the token's pair; only then does the token detect trades. */
async function open(token: Contract): Promise<void> {
  const { routers } = local.devnet.info
  const factory = artifact('@uniswap/v2-core/build/UniswapV2Factory.json').abi
  const builder = createBuilder(local.devnet.url, toAddress(from))
  const pair = await builder
    .contractAt(factory, routers.uniswapV2Factory!)
    .read<string>('getPair', [token.address, weth])
  await token.send('open', [pair])
}

test('a tax is found although the token sells its own balance in the same sale, and the sale pays the quote', async () => {
  const token = await deployToken(local.devnet, 'SellsItsTax', [], 10n)
  await token.send('mint', [token.address, 10n * WHOLE])
  await token.send('mint', [from, 10n * WHOLE])
  await open(token)
  await erc20(token.address).send('approve', [local.devnet.info.guard, 2n ** 200n])
  const route = await quote({ src: token.address, dst: weth, amount: `${WHOLE}`, maxPriceImpact: '100' })
  // The tax takes 25 % of the sale, and the sale of ten tokens before it lowers the price by 2 %.
  expect(Number(route.toAmount) / 1e18).toBeCloseTo(0.75 * 0.01 * 0.98 * 0.997, 4)
  expect(route.warnings.join()).toMatch(/percent less than the pools' reserves explain/)
  // The same output, asked for, takes the same input, though no route pays what its pools' reserves explain.
  const exact = await quote({
    ...{ src: token.address, dst: weth, amountOut: route.toAmount },
    ...{ slippage: '0', maxPriceImpact: '100' },
  })
  expect(Number(exact.fromAmount) / Number(WHOLE)).toBeGreaterThan(1 - 1e-6)
  expect(Number(exact.fromAmount) / Number(WHOLE)).toBeLessThan(1.001)
  expect(BigInt(exact.toAmount)).toBeGreaterThanOrEqual(BigInt(route.toAmount))
  const paid = await sent(route, weth)
  expect(paid).toBeGreaterThanOrEqual(BigInt(route.minToAmount))
  expect(paid).toBe(BigInt(route.toAmount))
})

test('a token that allows one transfer per block and account goes directly from the pool to the sender', async () => {
  const token = await deployToken(local.devnet, 'OneTransferPerBlock', [], 10n)
  await open(token)
  await createBuilder(local.devnet.url, toAddress(from))
    .contractAt(['function deposit() payable'], weth)
    .send('deposit', [], WHOLE)
  await erc20(weth).send('approve', [local.devnet.info.guard, 2n ** 200n])
  const route = await quote({ src: weth, dst: token.address, amount: `${WHOLE / 10n}` })
  expect(await sent(route, token.address)).toBe(BigInt(route.toAmount))
})

/** Tests tokens whose taxes and limits depend on other actions in the same transaction. */
import { toAddress } from '@sluice/chains'
import { type Builder, type Contract, createBuilder, loadArtifact } from '@sluice/devnet'
import { beforeAll, describe, expect, test } from 'vitest'
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

const uniswapV2 = (builder: Builder, name: string, address: string) =>
  builder.contractAt(loadArtifact(`@uniswap/v2-core/build/${name}.json`).abi, address)

function pairOf(token: string, other: string): Promise<string> {
  const { info, url } = local.devnet
  const factory = uniswapV2(createBuilder(url, toAddress(from)), 'UniswapV2Factory', info.routers.uniswapV2Factory!)
  return factory.read<string>('getPair', [token, other])
}

/** Sets the token's pair; only then does the token detect trades. */
async function open(token: Contract): Promise<void> {
  await token.send('open', [await pairOf(token.address, weth)])
}

/** Creates a Uniswap V2 pair with USDC, and returns its address. */
async function pairWithUsdc(builder: Builder, token: Contract, amount: bigint, usdcAmount: bigint): Promise<string> {
  const { info } = local.devnet
  const usdc = builder.contractAt(['function mint(address,uint256)'], info.tokens.USDC!.address)
  await uniswapV2(builder, 'UniswapV2Factory', info.routers.uniswapV2Factory!).send('createPair', [
    token.address,
    usdc.address,
  ])
  const pair = uniswapV2(builder, 'UniswapV2Pair', await pairOf(token.address, usdc.address))
  await token.send('mint', [pair.address, amount])
  await usdc.send('mint', [pair.address, usdcAmount])
  await pair.send('mint', [builder.from])
  return pair.address
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

test.each([
  ['a tenth', 100n],
  ['all', 10n],
])('a token that judges holders by their balance pays the quote to a seller of %s of it', async (_, heldTokens) => {
  const token = await deployToken(local.devnet, 'JudgesHolders', [], 10n)
  await token.send('mint', [from, heldTokens * WHOLE])
  await open(token)
  await erc20(token.address).send('approve', [local.devnet.info.guard, 2n ** 200n])
  const route = await quote({ src: token.address, dst: weth, amount: `${10n * WHOLE}`, maxPriceImpact: '100' })
  const withoutTax = 0.1 * 0.997 * (1 / 1.01)
  expect(Number(route.toAmount) / 1e18 / withoutTax).toBeCloseTo(heldTokens > 10n ? 1 : 0.6, 1)
  expect(await sent(route, weth)).toBe(BigInt(route.toAmount))
})

describe('a token that limits what one transfer moves into or out of a pair', () => {
  const LIMIT = 30n * WHOLE
  let token: Contract

  beforeAll(async () => {
    const { devnet } = local
    token = await deployToken(devnet, 'LimitedTrades', [], 10n)
    // The second pair is five times as shallow.
    const builder = createBuilder(devnet.url, devnet.info.accounts[7]!.address)
    const second = await pairWithUsdc(builder, token, 200n * WHOLE, 6_000n * 10n ** 6n)
    await token.send('limit', [await pairOf(token.address, weth), LIMIT])
    await token.send('limit', [second, LIMIT])
    await token.send('mint', [from, 1_000n * WHOLE])
    await erc20(token.address).send('approve', [devnet.info.guard, 2n ** 200n])
  })

  const query = (sells: boolean, amount: bigint) => ({
    ...(sells ? { src: token.address, dst: weth } : { src: weth, dst: token.address }),
    ...{ amount: `${amount}`, maxPriceImpact: '100' },
  })

  test.each([
    ['sold', true, [10n, 25n, 29n, 33n, 36n, 40n, 45n, 50n].map((tokens) => tokens * WHOLE)],
    ['bought', false, [10n, 25n, 31n, 33n, 36n, 40n, 45n, 50n].map((parts) => (parts * WHOLE) / 100n)],
  ])('more of it that is %s pays more, since pairs take what they may', async (_, sells, amounts) => {
    let paid = 0n
    for (const amount of amounts) {
      const { toAmount } = await quote(query(sells, amount))
      expect(BigInt(toAmount)).toBeGreaterThan(paid)
      paid = BigInt(toAmount)
    }
  })

  test('a sale above the limit of one pair pays what its quote says', async () => {
    const route = await quote(query(true, 45n * WHOLE))
    expect(await sent(route, weth)).toBe(BigInt(route.toAmount))
  })

  test('a sale above the limits of both is refused with an amount that routes', async () => {
    const refused = await ask(`${local.server.url}/quote/31337?${new URLSearchParams(query(true, 90n * WHOLE))}`)
    const { code, maxRoutableAmount } = JSON.parse(refused.text) as Readonly<Record<string, string>>
    expect([refused.status, code]).toEqual([422, 'INSUFFICIENT_LIQUIDITY'])
    expect(Number(maxRoutableAmount) / Number(WHOLE)).toBeGreaterThan(50)
    await quote(query(true, BigInt(maxRoutableAmount!)))
  })
})

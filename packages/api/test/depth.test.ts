/** Tests prices and depth of untrusted tokens: they count only balances that pools hold, and only tokens that can be sold. */
import { type Contract, createBuilder, request } from '@sluice/devnet'
import { expect, test } from 'vitest'
import { localService } from './src/devnet.ts'
import { ask } from './src/service.ts'
import { compiledAs, deployToken } from './src/tokens.ts'

const local = localService()
const WHOLE = 10n ** 18n
const POSITIONS = [
  'function createAndInitializePoolIfNecessary(address,address,uint24,uint160) payable returns (address)',
  'function mint((address,address,uint24,int24,int24,uint256,uint256,uint256,uint256,address,uint256))',
]
const FACTORY = ['function getPool(address,address,uint24) view returns (address)']
const PAIRS = ['function getPair(address,address) view returns (address)']
const WETH = ['function deposit() payable', 'function approve(address,uint256)']

/** Final reasons of a missing price; other reasons may still change. */
const FINAL = ['unsellable', 'below-floor']
const LOOKS = 600
/** Time in which a slow machine has read a new block. */
const PATIENT = { timeout: 60_000 }

async function answered<T>(path: string): Promise<T> {
  const { status, text } = await ask(`${local.server.url}/${path}`)
  expect(status, text).toBe(200)
  return JSON.parse(text)
}

async function answerOf<T>(endpoint: string, token: string): Promise<T> {
  return (await answered<Record<string, T>>(`${endpoint}/31337?token=${token}`))[token]!
}

/**
 * Waits until answers come from the chain's newest block: balances of a pool that were read before stay valid for minutes.
 */
async function catchUp(): Promise<void> {
  const { url, info } = local.devnet
  const head = Number(await request<string>(url, 'eth_blockNumber', []))
  const pair = `src=${info.tokens.WETH!.address}&dst=${info.tokens.USDC!.address}`
  const quote = () => answered<{ simulationBlock: number }>(`quote/31337?${pair}&amount=1000000000000000`)
  await expect.poll(async () => (await quote()).simulationBlock, PATIENT).toBeGreaterThanOrEqual(head)
}

/** Polls an answer about a token until all its pools are known and the token is measured. */
async function of<T>(endpoint: string, token: string): Promise<T> {
  for (let look = 0; look < LOOKS; look++) {
    const value = await answerOf<T>(endpoint, token)
    const isSettling = 'settling' in (await answered<object>('ready/31337'))
    const detail = await answered<Record<string, { reason?: string }>>(`prices/31337?token=${token}&detail=1`)
    const { reason } = detail[token]!
    if (!isSettling && (value !== null || FINAL.includes(reason!)) && (await answerOf<T>(endpoint, token)) === value)
      return value
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`the answer of /${endpoint} about ${token} does not come about`)
}

/** Deploys a token and a Uniswap V3 pool against WETH with liquidity around a price of 1. */
async function inV3(): Promise<{ readonly token: Contract; readonly pool: string }> {
  const { devnet } = local
  const builder = createBuilder(devnet.url, devnet.info.accounts[7]!.address)
  const token = await builder.deploy(compiledAs('Revocable'))
  const weth = builder.contractAt(WETH, devnet.info.tokens.WETH!.address)
  const positions = builder.contractAt(POSITIONS, devnet.info.routers.uniswapV3PositionManager!)
  await token.send('mint', [builder.from, 10_000n * WHOLE])
  await weth.send('deposit', [], 100n * WHOLE)
  for (const one of [token, weth]) await one.send('approve', [positions.address, 2n ** 255n])
  const [first, second] = BigInt(token.address) < BigInt(weth.address) ? [token, weth] : [weth, token]
  await positions.send('createAndInitializePoolIfNecessary', [first.address, second.address, 3_000, 2n ** 96n])
  const amount = 100n * WHOLE
  const range = [first.address, second.address, 3_000, -6_000, 6_000, amount, amount, 0, 0, builder.from, 2n ** 40n]
  await positions.send('mint', [range])
  const factory = builder.contractAt(FACTORY, devnet.info.routers.uniswapV3Factory!)
  return { token, pool: await factory.read<string>('getPool', [first.address, second.address, 3_000]) }
}

test('a Uniswap V3 pool that holds almost none of a token adds almost no depth, for any price curve', async () => {
  const whole = await inV3()
  let before = 0
  await expect
    .poll(async () => (before = (await of<number | null>('liquidity', whole.token.address)) ?? 0), PATIENT)
    .toBeGreaterThan(100_000)
  const drained = await inV3()
  await drained.token.send('revoke', [drained.pool, (99n * 10n ** 20n) / 100n])
  await catchUp()
  await expect
    .poll(async () => (await of<number | null>('liquidity', drained.token.address)) ?? 0, PATIENT)
    .toBeLessThan(0.2 * before)
})

test('a Uniswap V2 pair whose balance is below its reserves adds almost no depth', async () => {
  const { devnet } = local
  const builder = createBuilder(devnet.url, devnet.info.accounts[7]!.address)
  const whole = await deployToken(devnet, 'Revocable')
  let before = 0
  await expect
    .poll(async () => (before = (await of<number | null>('liquidity', whole.address)) ?? 0), PATIENT)
    .toBeGreaterThan(0)
  const token = await deployToken(devnet, 'Revocable')
  const pairs = builder.contractAt(PAIRS, devnet.info.routers.uniswapV2Factory!)
  const pair = await pairs.read<string>('getPair', [token.address, devnet.info.tokens.WETH!.address])
  await token.send('revoke', [pair, 999n * WHOLE])
  await catchUp()
  await expect
    .poll(async () => (await of<number | null>('liquidity', token.address)) ?? 0, PATIENT)
    .toBeLessThan(0.1 * before)
})

test('a token that can be bought but not sold has no price, from the first request', async () => {
  const { devnet } = local
  const builder = createBuilder(devnet.url, devnet.info.accounts[7]!.address)
  const trap = await deployToken(devnet, 'TrapToken')
  const pairs = builder.contractAt(PAIRS, devnet.info.routers.uniswapV2Factory!)
  await trap.send('close', [await pairs.read<string>('getPair', [trap.address, devnet.info.tokens.WETH!.address])])
  await catchUp()
  const detailed = async () => {
    const { usd, reason } = (
      await answered<Record<string, { usd: number | null; reason: string }>>(
        `prices/31337?token=${trap.address}&detail=1`,
      )
    )[trap.address]!
    expect(usd).toBeNull()
    return reason
  }
  // Until a sale is simulated, the price is null for another reason.
  await expect.poll(detailed, { timeout: 50_000 }).toBe('unsellable')
})

test('a sale that fails in a quote removes the price of the token at once', async () => {
  const { devnet } = local
  const builder = createBuilder(devnet.url, devnet.info.accounts[7]!.address)
  const trap = await deployToken(devnet, 'TrapToken')
  await expect.poll(() => of<number>('prices', trap.address), PATIENT).toBeGreaterThan(0)
  const pairs = builder.contractAt(PAIRS, devnet.info.routers.uniswapV2Factory!)
  const pair = await pairs.read<string>('getPair', [trap.address, devnet.info.tokens.WETH!.address])
  await trap.send('close', [pair])
  await catchUp()
  const query = { src: trap.address, dst: devnet.info.tokens.WETH!.address, amount: `${WHOLE}`, from: builder.from }
  const { text } = await ask(`${local.server.url}/aggregator/31337?${new URLSearchParams(query)}`)
  expect(JSON.parse(text).code).toBe('ROUTE_REVERTED')
  expect(await of('prices', trap.address)).toBeNull()
})

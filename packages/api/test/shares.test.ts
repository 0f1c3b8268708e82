/** Tests prices of pool shares over HTTP, with genuine pools of the local chain and a test reserve. */
import type { Address } from '@sluice/chains'
import { createBuilder, type DevnetPool } from '@sluice/devnet'
import { expect, test } from 'vitest'
import { localService } from './src/devnet.ts'
import { ask } from './src/service.ts'
import { compiledAs } from './src/tokens.ts'

type Detail = {
  readonly usd: number | null
  readonly depthUsd: number | null
  readonly sources: readonly { readonly pool: string; readonly protocol: string }[]
  readonly reason: string | null
}

const ERC20 = [
  'function balanceOf(address) view returns (uint256)',
  'function totalSupply() view returns (uint256)',
  'function decimals() view returns (uint8)',
  'function deposit() payable',
  'function transfer(address,uint256) returns (bool)',
]
const VAULT = ['function getPoolTokens(bytes32) view returns (address[], uint256[], uint256)']
const BPT = ['function getActualSupply() view returns (uint256)', 'function getVault() view returns (address)']
const WHOLE = 10n ** 18n
/** Maximum relative difference. Prices differ between pools, and an unbalanced pool holds more than its product formula implies. */
const NEAR = 0.01

const local = localService()
const builder = () => createBuilder(local.devnet.url, local.devnet.info.accounts[6]!.address)

async function detailOf(token: string, more = ''): Promise<Detail> {
  const { text } = await ask(`${local.server.url}/prices/31337?token=${token}&detail=1${more}`)
  return (JSON.parse(text) as Record<string, Detail>)[token]!
}

async function usdOf(token: string): Promise<number> {
  await expect.poll(async () => (await detailOf(token)).usd, { timeout: 30_000 }).not.toBeNull()
  return (await detailOf(token)).usd!
}

/** Returns the USD value of a pool's balances at the prices of the service. */
async function heldUsd(tokens: readonly string[], amounts: readonly bigint[]): Promise<number> {
  let dollars = 0
  for (const [k, token] of tokens.entries()) {
    const places = await builder()
      .contractAt(ERC20, token as Address)
      .read<bigint>('decimals')
    dollars += (Number(amounts[k]!) / 10 ** Number(places)) * (await usdOf(token))
  }
  return dollars
}

const poolOf = (family: string, count: number): DevnetPool =>
  local.devnet.info.pools.find((pool) => pool.family === family && pool.tokens.length === count)!
const addressesOf = ({ tokens }: DevnetPool) => tokens.map((symbol) => local.devnet.info.tokens[symbol]!.address)

test.each([
  ['uniswap-v2', 2],
  ['velodrome-v2', 2],
  ['curve-stable', 4],
])('shares of a genuine pool of %s are worth what the pool holds', async (family, count) => {
  const pool = poolOf(family, count)
  const tokens = addressesOf(pool)
  const balances = []
  for (const token of tokens)
    balances.push(await builder().contractAt(ERC20, token).read<bigint>('balanceOf', [pool.address]))
  const share = builder().contractAt(ERC20, pool.address)
  const supply = Number(await share.read<bigint>('totalSupply')) / 1e18
  const dollars = await heldUsd(tokens, balances)
  await expect
    .poll(async () => ((await detailOf(pool.address)).usd ?? 0) / (dollars / supply), { timeout: 30_000 })
    .toBeGreaterThan(1 - NEAR)
  const { usd, depthUsd, sources } = await detailOf(pool.address)
  expect((usd! * supply) / dollars).toBeLessThan(1 + NEAR)
  expect(depthUsd! / dollars).toBeGreaterThan(0.9)
  expect(depthUsd! / dollars).toBeLessThan(1 + NEAR)
  expect(sources).toMatchObject([{ pool: pool.address.toLowerCase(), protocol: 'redemption' }])
})

test.each([
  ['weighted', false],
  ['stable', true],
])('shares of a genuine %s pool of Balancer are worth what the vault holds for it', async (_kind, isStable) => {
  const pool = local.devnet.info.pools.find(
    ({ family, tokens, dex }) =>
      family === 'balancer-v2' &&
      dex === 'Balancer V2' &&
      tokens.some((it) => /DAI|USDT|RETH|WSTETH/i.test(it)) === isStable,
  )!
  const bpt = builder().contractAt(BPT, pool.address)
  const vault = builder().contractAt(VAULT, await bpt.read<string>('getVault'))
  const all = await vault.readAll('getPoolTokens', [pool.id])
  const [tokens, balances] = [[...all[0]] as string[], [...all[1]] as bigint[]]
  const parts = [...tokens.keys()].filter((k) => tokens[k]!.toLowerCase() !== pool.address.toLowerCase())
  const dollars = await heldUsd(
    parts.map((k) => tokens[k]!.toLowerCase()),
    parts.map((k) => balances[k]!),
  )
  const supply = Number(await bpt.read<bigint>('getActualSupply')) / 1e18
  const share = pool.address.toLowerCase()
  await expect.poll(async () => (await detailOf(share)).usd, { timeout: 30_000 }).not.toBeNull()
  expect(Math.abs(((await usdOf(share)) * supply) / dollars - 1)).toBeLessThan(2 * NEAR)
})

test('shares of a reserve are worth one each of what it holds, and count for no more than it has left', async () => {
  const { info } = local.devnet
  const weth = builder().contractAt(ERC20, info.tokens.WETH!.address)
  const reserve = await builder().deploy(compiledAs('ReserveShare'), [weth.address, 1_000n * WHOLE])
  const share = reserve.address.toLowerCase()
  await weth.send('deposit', [], 10n * WHOLE)
  await weth.send('transfer', [reserve.address, 10n * WHOLE])
  // Each block allows a new answer, and a gain of a share counts after two observations.
  const next = async () => {
    await weth.send('deposit', [], 1n)
    return detailOf(share)
  }
  const wethUsd = await usdOf(info.tokens.WETH!.address)
  await expect.poll(async () => (await next()).usd, { timeout: 30_000, interval: 500 }).toBe(wethUsd)
  const { depthUsd } = await detailOf(share)
  expect(depthUsd! / (10 * (await usdOf(share)))).toBeLessThanOrEqual(1)
  // After lending, the remaining balance is below the minimum for a price.
  await reserve.send('lend', [info.accounts[0]!.address, 10n * WHOLE - WHOLE / 100n])
  await expect.poll(async () => (await next()).reason, { timeout: 30_000, interval: 500 }).toBe('below-floor')
})

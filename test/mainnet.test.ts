/** Tests the service on real Ethereum state. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NATIVE } from '@sluice/chains'
import { deployContracts } from '@sluice/contracts'
import { type Anvil, accounts, startMainnet } from '@sluice/devnet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Service, startService } from './src/service.ts'
import { approveQuoteSend, get } from './src/swap.ts'
import { Node } from './src/wallet.ts'

const TOKENS = {
  WETH: '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
  USDC: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
  USDT: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
  DAI: '0x6B175474E89094C44Da98b954EedeAC495271d0F',
  WBTC: '0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599',
} as const

const dir = mkdtempSync(join(tmpdir(), 'sluice-mainnet-'))
const from = accounts()[0]!.address
let anvil: Anvil
let service: Service
let node: Node
const used = new Set<string>()

// Uses the registry's own file of chain 1 with only an RPC URL.
beforeAll(async () => {
  anvil = await startMainnet()
  node = new Node(anvil.url)
  await deployContracts({ rpcUrl: anvil.url, chainId: 1, deploymentsDir: dir })
  service = await startService({ DEPLOYMENTS_DIR: dir, RPC_URL_1: anvil.url })
}, 120_000)
afterAll(async () => {
  await service?.stop()
  await anvil?.stop()
  rmSync(dir, { recursive: true, force: true })
})

async function swap(src: string, dst: string, amount: bigint) {
  const executed = await approveQuoteSend(node, service.url, 1, { src, dst, amount, from })
  expect(executed.receipt.status, 'the returned transaction reverted').toBe(true)
  expect(executed.received).toBe(BigInt(executed.route.toAmount))
  expect(executed.spent).toBe(amount)
  for (const { protocol } of executed.route.swaps) used.add(protocol.split(' ')[0]!)
}

describe('on the real state of Ethereum', () => {
  test('prices are those of the block, though many of its pools are older', async () => {
    const url = `${service.url}/prices/1?token=${Object.values(TOKENS).join()}`
    let body: Record<string, number> = {}
    // New tokens are found while the first response is null.
    const areAllPriced = async () => {
      body = (await get<Record<string, number>>(url)).body
      return Object.values(body).every((price) => price !== null)
    }
    await expect.poll(areAllPriced, { timeout: 30_000 }).toBe(true)
    const between = (token: string, low: number, high: number) => {
      expect(body[token]).toBeGreaterThan(low)
      expect(body[token]).toBeLessThan(high)
    }
    between(TOKENS.WETH, 2_050, 2_080)
    for (const stable of [TOKENS.USDC, TOKENS.USDT, TOKENS.DAI]) between(stable, 0.99, 1.01)
  })

  test.each(['USDC', 'USDT', 'DAI', 'WBTC', 'WETH'] as const)('ether buys %s to the wei', async (symbol) => {
    await swap(NATIVE, TOKENS[symbol], 10n ** 18n)
  })

  test.each([
    ['USDC', 'USDT'],
    ['USDT', 'WBTC'],
    ['DAI', 'USDC'],
    ['WBTC', 'WETH'],
    ['USDC', 'DAI'],
  ] as const)('half of the %s buys %s to the wei', async (src, dst) => {
    const balance = await node.balance(TOKENS[src], from)
    expect(balance).toBeGreaterThan(0n)
    await swap(TOKENS[src], TOKENS[dst], balance / 2n)
  })

  test('every kind of pool in the state took part', () => {
    for (const family of ['uniswap-v2', 'uniswap-v3', 'uniswap-v4']) expect(used).toContain(family)
  })
})

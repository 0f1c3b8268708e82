/**
 * Tests Uniswap V4 pools of the native token: the received amount equals the quoted one for all combinations of ends.
 */
import { decodeGuardSwap } from '@sluice/bindings/guard'
import { NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import { ROUTE_GAS } from '@sluice/liquidity'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type System, startSystem } from './src/service.ts'
import { approveQuoteSend, type RouteBody } from './src/swap.ts'
import { Node } from './src/wallet.ts'

let system: System
let node: Node
beforeAll(async () => {
  system = await startSystem()
  node = new Node(system.devnet.url)
})
afterAll(() => system?.stop())

const address = (symbol: string) => system.devnet.info.tokens[symbol]!.address
const nativePools = () => system.devnet.info.pools.filter(({ tokens }) => tokens.includes('ETH'))

async function expectExact(src: string, dst: string, part: bigint, overrides: Readonly<Record<string, string>>) {
  const from = system.devnet.info.accounts[0]!.address
  const amount = (await node.balance(src, from)) / part
  const query = { src, dst, amount, from, maxPriceImpact: 100, ...overrides }
  const { route, receipt, received } = await approveQuoteSend(node, system.api, system.devnet.chainId, query)
  expect(receipt.status, 'the returned transaction reverted').toBe(true)
  expect(received).toBe(BigInt(route.toAmount))
  return { route, receipt, wrapper: wrapperOf(route), used: route.swaps.map(({ pool }) => pool.toLowerCase()) }
}

/** Returns the wrapper that the Guard uses to wrap or unwrap; zero for none. */
function wrapperOf({ tx }: RouteBody): string {
  const { tokenIn, value, wrapper } = decodeGuardSwap(tx.data, BigInt(tx.value))
  return value > 0n ? tokenIn : wrapper
}

test('they are bought from and sold to, with the native token and with its wrapper', async () => {
  const ids = nativePools().map(({ id }) => id!.toLowerCase())
  expect(ids).toHaveLength(3)
  const met = new Set<string>()
  const measured: number[] = []
  for (const { tokens } of nativePools()) {
    const token = address(tokens.find((symbol) => symbol !== 'ETH')!)
    for (const native of [NATIVE, address('WETH')]) {
      for (const [src, dst] of [
        [native, token],
        [token, native],
      ] as const) {
        const { route, receipt, used, wrapper } = await expectExact(src, dst, 10_000n, { includeSources: 'uniswap-v4' })
        // Native tokens go in and out unwrapped.
        expect(wrapper).toBe(ZERO_ADDRESS)
        // A wrapped end needs one leg of the wrapper, and a native end needs none.
        expect(route.swaps.filter(({ protocol }) => protocol === 'wrapped-native')).toHaveLength(
          native === NATIVE ? 0 : 1,
        )
        // The search must count the gas that is used. One wrap more or less would be a fifth of it.
        const counted = route.swaps.reduce((sum, { gas }) => sum + Number(gas), ROUTE_GAS)
        if (used.length === (native === NATIVE ? 1 : 2)) measured.push(counted / Number(receipt.gasUsed))
        for (const pool of used) met.add(pool)
      }
    }
  }
  expect(ids.filter((id) => met.has(id)).length).toBeGreaterThanOrEqual(2)
  expect(measured.length).toBeGreaterThanOrEqual(4)
  for (const ratio of measured) expect(Math.abs(ratio - 1)).toBeLessThan(0.1)
})

test('two of them follow each other', async () => {
  const { used } = await expectExact(address('LINK'), address('USDT'), 10_000n, {
    includeSources: 'uniswap-v4',
  })
  expect(used.length).toBeGreaterThanOrEqual(2)
})

test('they share a route with pools of the wrapper, at either end and in between', async () => {
  const ids = new Set(nativePools().map(({ id }) => id!.toLowerCase()))
  const [weth, usdc, link] = [address('WETH'), address('USDC'), address('LINK')]
  const shared: number[] = []
  for (const [src, dst, part] of [
    [NATIVE, usdc, 20n],
    [usdc, NATIVE, 20n],
    [weth, usdc, 20n],
    [usdc, weth, 20n],
    [link, usdc, 20n],
  ] as const) {
    const { used } = await expectExact(src, dst, part, {
      includeSources: 'uniswap-v4,uniswap-v3,uniswap-v2',
    })
    const native = used.filter((pool) => ids.has(pool)).length
    if (native > 0 && native < used.length) shared.push(used.length)
  }
  expect(shared.length).toBeGreaterThanOrEqual(4)
})

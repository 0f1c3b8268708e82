/**
 * Tests that the API routes through pools of every family on the local chain, and that execution pays the exact amount.
 */
import { NATIVE } from '@sluice/chains'
import { familyOf } from '@sluice/liquidity'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type System, startSystem } from './src/service.ts'
import { approveQuoteSend, quote } from './src/swap.ts'
import { Node } from './src/wallet.ts'

let system: System
let node: Node
beforeAll(async () => {
  system = await startSystem()
  node = new Node(system.devnet.url)
})
afterAll(() => system?.stop())

/** Divisors of the account's balance: small amounts for thin pools, large ones for pools that are used only after deeper ones. */
const PARTS = [100_000n, 5_000n, 200n, 20n]

test('a pool of every family is routed, and pays exactly the quoted amount', async () => {
  const { info, chainId } = system.devnet
  const byFamily = Map.groupBy(info.pools, ({ family }) => family)
  const quotable = [...byFamily].filter(([family]) => familyOf(family))
  expect(quotable.length).toBeGreaterThan(8)
  const from = info.accounts[0]!.address
  // The native token has no contract.
  const addressOf = (symbol: string) => info.tokens[symbol]?.address ?? NATIVE
  const unrouted: string[] = []
  for (const [family, pools] of quotable) {
    const ids = new Set(pools.map((pool) => (pool.id ?? pool.address).toLowerCase()))
    const queries = pools.flatMap(({ tokens, addresses = tokens.map(addressOf) }) =>
      PARTS.flatMap((part) =>
        [addresses, addresses.toReversed()].map(([src, dst]) => ({ src: src!, dst: dst!, part, from })),
      ),
    )
    let routed = false
    for (const { part, ...pair } of queries) {
      const query = { ...pair, amount: (await node.balance(pair.src, from)) / part, maxPriceImpact: 100 }
      const { swaps } = await quote(system.api, chainId, query)
      if (!swaps.some(({ pool }) => ids.has(pool.toLowerCase()))) continue
      const { route, receipt, received } = await approveQuoteSend(node, system.api, chainId, query)
      expect(receipt.status, `${family}: the returned transaction reverted`).toBe(true)
      const promised = BigInt(route.toAmount)
      // The balance of an aToken grows by the second, so its last unit may be of the next block.
      const isNext = family === 'aave-v3' && received === promised + 1n
      expect(`${family}: ${isNext ? promised : received}`).toBe(`${family}: ${promised}`)
      routed = true
      break
    }
    if (!routed) unrouted.push(family)
  }
  expect(unrouted).toEqual([])
})

test('an aToken is sold for another token and bought with one, over its asset', async () => {
  const { info, chainId } = system.devnet
  const from = info.accounts[1]!.address
  const [, aToken] = info.pools.find(({ family }) => family === 'aave-v3')!.addresses!
  const weth = info.tokens.WETH.address
  const balance = await node.balance(aToken!, from)
  const sold = { src: aToken!, dst: weth, amount: balance / 3n, from }
  const bought = { src: weth, dst: aToken!, amount: (await node.balance(weth, from)) / 1_000n, from }
  for (const query of [sold, bought]) {
    const { route, receipt, received } = await approveQuoteSend(node, system.api, chainId, query)
    expect(route.swaps.map(({ protocol }) => protocol)).toContain('aave-v3')
    expect(receipt.status).toBe(true)
    expect(`${received}`).toBe(route.toAmount)
  }
})

/** Every family of which the local chain has a pool: routed by the API and executed, to the wei. */
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

/** Parts of what the account holds: small for thin pools, large where deeper ones must be used up first. */
const PARTS = [100_000n, 5_000n, 200n, 20n]

test('a pool of every family is routed, and pays exactly what was promised', async () => {
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
    const queries = pools.flatMap(({ tokens }) =>
      PARTS.flatMap((part) =>
        [tokens, tokens.toReversed()].map(([src, dst]) => ({
          src: addressOf(src!),
          dst: addressOf(dst!),
          part,
          from,
        })),
      ),
    )
    let routed = false
    for (const { part, ...pair } of queries) {
      const query = { ...pair, amount: (await node.balance(pair.src, from)) / part, maxPriceImpact: 100 }
      const { swaps } = await quote(system.api, chainId, query)
      if (!swaps.some(({ pool }) => ids.has(pool.toLowerCase()))) continue
      const { route, receipt, received } = await approveQuoteSend(node, system.api, chainId, query)
      expect(receipt.status, `${family}: the returned transaction reverted`).toBe(true)
      expect(`${family}: ${received}`).toBe(`${family}: ${route.toAmount}`)
      routed = true
      break
    }
    if (!routed) unrouted.push(family)
  }
  expect(unrouted).toEqual([])
})

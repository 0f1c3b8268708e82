/**
 * Tests pools of more than two tokens in which one route uses several pairs: the received amount equals the quoted one.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type System, startSystem } from './src/service.ts'
import { approveQuoteSend } from './src/swap.ts'
import { Node } from './src/wallet.ts'

let system: System
let node: Node
beforeAll(async () => {
  system = await startSystem()
  node = new Node(system.devnet.url)
})
afterAll(() => system?.stop())

test.each([
  ['curve-stable', 'WETH', 'USDC', 'uniswap-v2,curve-stable'],
  ['balancer-v2', 'WETH', 'LINK', 'uniswap-v2,balancer-v2'],
  ['balancer-v3', 'WETH', 'USDC', 'uniswap-v2,balancer-v3'],
])('%s', async (family, from, to, includeSources) => {
  const { tokens, accounts } = system.devnet.info
  const [src, dst, owner] = [tokens[from]!.address, tokens[to]!.address, accounts[0]!.address]
  let several = 0
  for (const part of [40n, 12n]) {
    const amount = (await node.balance(src, owner)) / part
    const query = { src, dst, amount, from: owner, maxPriceImpact: 100, gasPrice: 1, includeSources }
    const { route, receipt, received } = await approveQuoteSend(node, system.api, system.devnet.chainId, query)
    expect(receipt.status, 'the returned transaction reverted').toBe(true)
    expect(received).toBe(BigInt(route.toAmount))
    const used = route.swaps.filter(({ protocol }) => protocol.startsWith(family)).map(({ pool }) => pool)
    if (new Set(used).size < used.length) several++
  }
  expect(several, `no pool of ${family} served two pairs`).toBeGreaterThan(0)
})

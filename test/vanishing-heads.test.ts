/** Blocks that appear and are gone before they were read: whatever the chain does, answers are of blocks that are there. */
import { NATIVE } from '@sluice/chains'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type System, startSystem } from './src/service.ts'
import { get, type RouteBody, type SwapQuery, swapUrl } from './src/swap.ts'
import { Node } from './src/wallet.ts'

const ROUNDS = 25
const E18 = 10n ** 18n

let system: System
let node: Node
let query: SwapQuery
let from: string
const address = (symbol: string) => system.devnet.info.tokens[symbol]!.address

beforeAll(async () => {
  system = await startSystem()
  node = new Node(system.devnet.url)
  from = system.devnet.info.accounts[0]!.address
  query = { src: address('WETH'), dst: address('USDC'), amount: E18, from }
  expect((await get(swapUrl(system.api, system.devnet.chainId, query))).status).toBe(200)
})
afterAll(() => system?.stop())

/** Two blocks that were on the chain, and are no more when this resolves; one of them may have been seen. */
async function appearAndVanish(seen: boolean): Promise<void> {
  const mark = await node.request<string>('evm_snapshot')
  await node.transfer(address('WETH'), from, system.devnet.info.accounts[1]!.address, 1n)
  await node.transfer(address('WETH'), from, system.devnet.info.accounts[1]!.address, 1n)
  if (seen) await get(swapUrl(system.api, system.devnet.chainId, { ...query, amount: 2n * E18 }))
  await node.request('evm_revert', [mark])
}

const hashOf = async (block: number) =>
  (await node.request<{ hash: string } | null>('eth_getBlockByNumber', [`0x${block.toString(16)}`, false]))?.hash

test.each([
  ['not seen', false],
  ['seen', true],
])(
  'a quote right after blocks that vanished, %s, is one of the block that is there',
  async (_, seen) => {
    for (let round = 0; round < ROUNDS; round++) {
      await appearAndVanish(seen)
      const amount = E18 + BigInt(round)
      const { status, body } = await get<RouteBody & { blockHash: string }>(
        swapUrl(system.api, system.devnet.chainId, { ...query, amount }),
      )
      expect(status, JSON.stringify(body)).toBe(200)
      expect(await hashOf(body.simulationBlock)).toBe(body.blockHash)
    }
  },
  60_000,
)

test('every other endpoint answers, too, while blocks come and go', async () => {
  const { chainId } = system.devnet
  const tokens = Object.values(system.devnet.info.tokens).map((token) => token.address)
  const { body: swap } = await get<RouteBody>(swapUrl(system.api, chainId, query))
  const simulation = new URLSearchParams({
    ...{ from, to: swap.tx.to, data: swap.tx.data, tokenIn: query.src, tokenOut: query.dst },
    ...{ amountIn: String(E18), block: 'latest' },
  })
  const urls = (round: number) => [
    `${system.api}/prices/${chainId}?token=${tokens.slice(round % 5).join()}`,
    `${system.api}/liquidity/${chainId}?token=${tokens.slice(round % 5).join()}`,
    `${system.api}/tokens/${chainId}?token=${tokens[round % tokens.length]}`,
    `${system.api}/simulate/${chainId}?${simulation}`,
    swapUrl(system.api, chainId, { ...query, dst: NATIVE, amount: E18 + BigInt(round) }),
  ]
  for (let round = 0; round < ROUNDS; round++) {
    const asked = Promise.all(urls(round).map(async (url) => ({ url, ...(await get(url)) })))
    const [answers] = await Promise.all([asked, appearAndVanish(false)])
    for (const { url, status, body } of answers) expect(status, `${url} ${JSON.stringify(body)}`).toBe(200)
  }
}, 60_000)

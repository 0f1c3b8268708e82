/** Tests quotes while reorgs remove blocks before they are read: responses refer only to blocks that exist. */
import { NATIVE } from '@sluice/chains'
import { type Devnet, NodeProxy, startDevnet } from '@sluice/devnet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { devnetDir, type Service, serviceEnv, startService } from './src/service.ts'
import { get, type RouteBody, type SwapQuery, swapUrl } from './src/swap.ts'
import { Node } from './src/wallet.ts'

const ROUNDS = process.env.LONG ? 25 : 8
const E18 = 10n ** 18n
/**
 * Maximum HTTP requests to the node by a quote whose block was removed, on average, since the head is also polled by the
 * clock. A quote needs about 15; repeating it would exceed the maximum.
 */
const MAX_AVERAGE_REQUESTS = 22

let devnet: Devnet
let proxy: NodeProxy
let service: Service
let node: Node
let query: SwapQuery
let from: string
const address = (symbol: string) => devnet.info.tokens[symbol]!.address

beforeAll(async () => {
  devnet = await startDevnet({ dir: devnetDir })
  proxy = await NodeProxy.start(devnet.url)
  service = await startService({ ...serviceEnv(devnet), [`RPC_URL_${devnet.chainId}`]: proxy.url })
  node = new Node(devnet.url)
  from = devnet.info.accounts[0]!.address
  query = { src: address('WETH'), dst: address('USDC'), amount: E18, from }
  expect((await get(swapUrl(service.url, devnet.chainId, query))).status).toBe(200)
})
afterAll(async () => {
  await service?.stop()
  await proxy?.stop()
  await devnet?.stop()
})

/**
 * Mines two blocks and removes them again.
 *
 * @param isQuoted - true to request a quote while they exist
 */
async function appearAndVanish(isQuoted: boolean): Promise<void> {
  const mark = await node.request<string>('evm_snapshot')
  await node.transfer(address('WETH'), from, devnet.info.accounts[1]!.address, 1n)
  await node.transfer(address('WETH'), from, devnet.info.accounts[1]!.address, 1n)
  if (isQuoted) await get(swapUrl(service.url, devnet.chainId, { ...query, amount: 2n * E18 }))
  await node.undo(mark)
}

const hashOf = async (block: number) =>
  (await node.request<{ hash: string } | null>('eth_getBlockByNumber', [`0x${block.toString(16)}`, false]))?.hash

test.each([
  ['not seen', false],
  ['seen', true],
])(
  'a quote right after removed blocks, %s, uses an existing block',
  async (_, isQuoted) => {
    let requests = 0
    for (let round = 0; round < ROUNDS; round++) {
      await appearAndVanish(isQuoted)
      const amount = E18 + BigInt(round)
      const before = proxy.requestCount
      const { status, body } = await get<RouteBody & { blockHash: string }>(
        swapUrl(service.url, devnet.chainId, { ...query, amount }),
      )
      expect(status, JSON.stringify(body)).toBe(200)
      requests += proxy.requestCount - before
      expect(await hashOf(body.simulationBlock)).toBe(body.blockHash)
    }
    expect(requests / ROUNDS).toBeLessThanOrEqual(MAX_AVERAGE_REQUESTS)
  },
  60_000,
)

test('every other endpoint answers too while blocks are added and removed', async () => {
  const { chainId } = devnet
  const tokens = Object.values(devnet.info.tokens).map((token) => token.address)
  const { body: swap } = await get<RouteBody>(swapUrl(service.url, chainId, query))
  const simulation = new URLSearchParams({
    ...{ from, to: swap.tx.to, data: swap.tx.data, tokenIn: query.src, tokenOut: query.dst },
    ...{ amountIn: String(E18), block: 'latest' },
  })
  const urls = (round: number) => [
    `${service.url}/prices/${chainId}?token=${tokens.slice(round % 5).join()}`,
    `${service.url}/liquidity/${chainId}?token=${tokens.slice(round % 5).join()}`,
    `${service.url}/tokens/${chainId}?token=${tokens[round % tokens.length]}`,
    `${service.url}/simulate/${chainId}?${simulation}`,
    swapUrl(service.url, chainId, { ...query, dst: NATIVE, amount: E18 + BigInt(round) }),
  ]
  for (let round = 0; round < ROUNDS; round++) {
    const pendingAnswers = Promise.all(urls(round).map(async (url) => ({ url, ...(await get(url)) })))
    const [answers] = await Promise.all([pendingAnswers, appearAndVanish(false)])
    for (const { url, status, body } of answers) expect(status, `${url} ${JSON.stringify(body)}`).toBe(200)
  }
}, 60_000)

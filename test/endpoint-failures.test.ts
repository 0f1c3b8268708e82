/**
 * Tests quotes while the chain's endpoints fail in every known way; `npm run bench -- faults` measures their speed.
 */
import { type Devnet, endpointFailures, NodeProxy, setEndpointFailure, startDevnet } from '@sluice/devnet'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { devnetDir, type Service, serviceEnv, startService } from './src/service.ts'
import { get, quote, type RouteBody, type SwapQuery, send, swapUrl } from './src/swap.ts'
import { Node } from './src/wallet.ts'

const CALLERS = 4
const QUOTES = process.env.LONG ? 12 : 4

let devnet: Devnet
let proxies: NodeProxy[]
let service: Service
/** Queries with their output at the same block without faults. */
const queries: { readonly query: SwapQuery; readonly toAmount: string }[] = []

beforeAll(async () => {
  devnet = await startDevnet({ dir: devnetDir })
  proxies = [await NodeProxy.start(devnet.url), await NodeProxy.start(devnet.url)]
  service = await startService({
    ...serviceEnv(devnet),
    [`RPC_URL_${devnet.chainId}`]: proxies.map(({ url }) => url).join(),
  })
  const { tokens, accounts } = devnet.info
  // On a busy machine the first response may take longer than a request's timeout.
  const first = { src: tokens.WETH.address, dst: tokens.USDC.address, amount: 10n ** 16n, from: accounts[0]!.address }
  const answered = async () => expect((await get(swapUrl(service.url, devnet.chainId, first))).status).toBe(200)
  await vi.waitFor(answered, { timeout: 90_000, interval: 500 })
  for (let i = 0; i < QUOTES; i++) {
    const [src, dst, unit] = (
      [
        ['WETH', 'USDC', 10n ** 16n],
        ['USDC', 'DAI', 10n ** 7n],
        ['DAI', 'WETH', 10n ** 19n],
      ] as const
    )[i % 3]!
    const amount = unit * BigInt(i + 1)
    const query = { src: tokens[src]!.address, dst: tokens[dst]!.address, amount, from: accounts[i % 3]!.address }
    queries.push({ query, toAmount: (await quote(service.url, devnet.chainId, query)).toAmount })
  }
})
afterAll(async () => {
  await service?.stop()
  for (const proxy of proxies ?? []) await proxy.stop()
  await devnet?.stop()
})

/**
 * Kinds of faults. The service remembers for minutes that an endpoint cannot override state, so that kind comes last.
 */
const kinds = [...endpointFailures()].sort(
  (a, b) => Number(a.name === 'no overrides') - Number(b.name === 'no overrides'),
)

describe.each(kinds.map((failure) => [failure.name, failure] as const))('%s', (_, failure) => {
  test.each(failure.survivable ? ['one', 'both'] : ['one'])(
    'at %s: quotes equal those without faults',
    async (struck) => {
      for (const proxy of struck === 'one' ? proxies.slice(0, 1) : proxies) setEndpointFailure(proxy, failure)
      try {
        const waiting = [...queries]
        const lost: string[] = []
        const caller = async () => {
          for (let next = waiting.pop(); next; next = waiting.pop()) {
            const { status, body } = await get<RouteBody>(swapUrl(service.url, devnet.chainId, next.query))
            if (status !== 200) lost.push(`${status} ${JSON.stringify(body)}`)
            else expect(body.toAmount).toBe(next.toAmount)
          }
        }
        await Promise.all(Array.from({ length: CALLERS }, caller))
        // If both endpoints fail at random, all attempts of a request may fail. The benchmark counts how often.
        expect(lost.length, lost.join()).toBeLessThanOrEqual(struck === 'both' ? 1 : 0)
        for (const answer of lost) expect(answer).toMatch(/^50[234] /)
      } finally {
        for (const proxy of proxies) setEndpointFailure(proxy)
      }
    },
  )
})

test('a swap on a chain whose last block is an hour old can be mined', async () => {
  const old = await NodeProxy.start(devnet.url)
  old.rewriteAnswers = (answers) =>
    answers.map((answer) => {
      const { result } = answer as { result?: { timestamp?: string } | null }
      if (typeof result !== 'object' || !result?.timestamp) return answer
      return { ...answer, result: { ...result, timestamp: `0x${(Number(result.timestamp) - 3_600).toString(16)}` } }
    })
  const other = await startService({ ...serviceEnv(devnet), [`RPC_URL_${devnet.chainId}`]: old.url })
  try {
    const { query } = queries[0]!
    const route = await quote(other.url, devnet.chainId, query)
    const node = new Node(devnet.url)
    await node.approve(query.src, query.from, route.tx.to, BigInt(query.amount))
    expect((await send(node, route)).receipt.status).toBe(true)
  } finally {
    await other.stop()
    await old.stop()
  }
})

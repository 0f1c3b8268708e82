/** Tests a search that never ends: its effect on its caller, other callers and the operator, and its replay. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { loadRegistry, toAddress } from '@sluice/chains'
import type { Devnet } from '@sluice/devnet'
import { requestOfReplay } from '@sluice/quoting'
import { buildGraph, findRoute, RouterThreads } from '@sluice/routing'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApp } from '../src/app.ts'
import { loadConfig } from '../src/config.ts'
import { createMetrics } from '../src/metrics.ts'
import { Services } from '../src/services.ts'
import { devnetDir, startChain } from './src/devnet.ts'
import { ask } from './src/service.ts'

/** Worker whose searches of `ENDLESS` never end; it serves all other amounts. */
const FAULTY = new URL('../../routing/test/faulty-worker.ts', import.meta.url)
const ENDLESS = 666n

let devnet: Devnet
let services: Services
let threads: RouterThreads
let server: Server
let url: string
const lines: string[] = []

beforeAll(async () => {
  devnet = await startChain()
  const config = loadConfig({
    ROUTE_INLINE_POOLS: '0',
    REQUEST_TIMEOUT_MS: '60000',
    CHAINS_DIR: join(devnetDir, 'chains'),
    DEPLOYMENTS_DIR: join(devnetDir, 'deployments'),
    RPC_URL_31337: devnet.url,
  })
  threads = new RouterThreads({ count: 2, timeoutMs: 1_000, entryModule: FAULTY })
  const log = pino({ base: null }, { write: (line: string) => void lines.push(line) })
  services = new Services(loadRegistry(config), config, createMetrics(), log, { threads })
  server = createServer(createApp(services, config).listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  await new Promise((resolve) => (server ? server.close(resolve) : resolve(null)))
  await services?.close()
  await devnet?.stop()
})

const get = async (amount: bigint) => {
  const { tokens, accounts } = devnet.info
  const [src, dst] = [tokens.USDC!.address, tokens.WETH!.address]
  const query = { src, dst, amount: String(amount), from: accounts[0]!.address, excludeSources: 'curve' }
  const { status, text } = await ask(`${url}/aggregator/31337?${new URLSearchParams(query)}`)
  return { status, body: JSON.parse(text) as { code?: string; requestId: string; toAmount?: string } }
}

test('a search that exceeds its time limit is a 504 for its caller only, and its log line replays it', async () => {
  const amounts = Array.from({ length: 6 }, (_, i) => 10n ** 9n + BigInt(i))
  const before = await Promise.all(amounts.map(get))
  for (const { status, body } of before) expect(status, JSON.stringify(body)).toBe(200)

  const [lost, ...otherAnswers] = await Promise.all([get(ENDLESS), ...amounts.map(get)])
  expect(lost).toMatchObject({ status: 504, body: { code: 'ROUTE_TIMEOUT' } })
  expect(otherAnswers.map(({ status, body }) => [status, body.toAmount])).toEqual(
    before.map(({ status, body }) => [status, body.toAmount]),
  )
  const after = await Promise.all(amounts.map(get))
  expect(after.map(({ status }) => status)).toEqual(amounts.map(() => 200))

  const logged = lines.map((line) => JSON.parse(line)).filter(({ replay }) => replay)
  expect(logged).toHaveLength(1)
  const { replay, err } = logged[0]
  expect(err.type).toBe('RoutingError')
  const { views } = services.chain(31337).liveChain
  const wanted = [replay.request.tokenIn, replay.request.tokenOut].map(toAddress)
  const { snapshot } = await views.atHead([wanted], undefined, AbortSignal.timeout(60_000))
  // No block was mined since the failure.
  expect([snapshot.block.hash, snapshot.pools.size]).toEqual([replay.blockHash, replay.pools])
  const request = requestOfReplay(JSON.stringify(replay.request))
  expect(request).toMatchObject({ amountIn: ENDLESS, sources: { exclude: new Set(['curve']) } })
  await expect(threads.findRoute(snapshot, request)).rejects.toMatchObject({ code: 'SEARCH_OVERRAN' })
  // Without the fault, the same search succeeds.
  expect(findRoute(buildGraph(snapshot), request).ok).toBe(true)
})

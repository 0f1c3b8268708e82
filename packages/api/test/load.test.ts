/** Tests concurrent callers: shared quotes, queueing, disconnects, and isolation between chains. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, get as httpGet } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeDeployment } from '@sluice/chains'
import { type Devnet, NodeProxy } from '@sluice/devnet'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { RunningServer } from '../src/index.ts'
import { devnetDir, startChain, startOver } from './src/devnet.ts'
import { ask, warmUp } from './src/service.ts'

let devnet: Devnet
let proxy: NodeProxy
let server: RunningServer
/** Number of simulations sent to the node, including hedged repetitions. */
let simulations = 0
/** Distinct simulations sent to the node. */
const simulated = new Set<string>()
/** Promise that the node's simulations wait for. */
let blocked: Promise<void> | undefined
beforeAll(async () => {
  devnet = await startChain()
  proxy = await NodeProxy.start(devnet.url, async ({ method, params }) => {
    const call = params[0] as { readonly from?: string; readonly to?: string; readonly data?: string }
    // Simulations call the probe at the sender's address; other calls read pools.
    if (method !== 'eth_call' || !call.from || call.from !== call.to) return undefined
    simulations++
    simulated.add(JSON.stringify(call))
    await blocked
    return undefined
  })
  server = await startOver(proxy.url)
  await warmUp(server.url, swapPath(LARGE + 1n))
})
afterAll(async () => {
  await server?.close()
  await proxy?.stop()
  await devnet?.stop()
})
afterEach(() => {
  proxy.delayMs = 0
})

/** Amount in base units that is split over more pools than the others. */
const LARGE = 3n * 10n ** 18n
/** Families whose gas changes with time: a quote through their pools takes a second simulation, at its deadline. */
const SIMULATED_TWICE = 'algebra-v1,algebra-integral'
const swapPath = (amount = 10n ** 18n, chainId = 31337) => {
  const { tokens, accounts } = devnet.info
  const pair = { src: tokens.WETH!.address, dst: tokens.USDC!.address }
  const swap = { ...pair, from: accounts[0]!.address, excludeSources: SIMULATED_TWICE }
  return `/aggregator/${chainId}?${new URLSearchParams({ ...swap, amount: String(amount) })}`
}
const get = (path: string, init?: RequestInit) => ask(server.url + path, init)
const until = async (holds: () => Promise<boolean> | boolean) => {
  const deadline = Date.now() + 20_000
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`did not come to hold: ${holds}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

test('identical requests of one block share one simulation, and an abort of one caller does not affect the others', async () => {
  proxy.delayMs = 300
  const path = swapPath(LARGE)
  const impatient = get(path, { signal: AbortSignal.timeout(100) })
  const before = simulations
  const otherRequests = Array.from({ length: 9 }, () => get(path))
  await expect(impatient).rejects.toThrow(/aborted|timeout/i)
  const answers = await Promise.all(otherRequests)
  for (const { status, text } of answers) expect(status, text).toBe(200)
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  // The ten requests share one simulation, which may be hedged once.
  expect(simulations - before).toBeLessThanOrEqual(2)
})

test('a disconnected caller frees its slot at once, and its queued requests never reach the node', async () => {
  const small = await startOver(proxy.url, { MAX_CONCURRENT: '1', MAX_QUEUED: '5', MAX_WAIT_MS: '20000' })
  try {
    await warmUp(small.url, swapPath())
    const { promise, resolve: release } = Promise.withResolvers<void>()
    blocked = promise
    const before = simulated.size
    const state = async (name: string, count: number) =>
      (await ask(`${small.url}/metrics`)).text.includes(`sluice_chain_requests{chain="31337",state="${name}"} ${count}`)
    const gone = { first: new AbortController(), others: new AbortController() }
    const wait = (i: number, { signal }: AbortController) =>
      ask(small.url + swapPath(4n * 10n ** 18n + BigInt(i)), { signal }).catch(() => 'gone')
    const waiting = [wait(0, gone.first)]
    await until(() => simulated.size === before + 1)
    waiting.push(...[1, 2, 3].map((i) => wait(i, gone.others)))
    await until(() => state('waiting', 3))
    gone.others.abort()
    await until(() => state('waiting', 0))
    gone.first.abort()
    await until(() => state('running', 0))
    expect(await Promise.all(waiting)).toEqual(['gone', 'gone', 'gone', 'gone'])
    // The node still delays the first simulation, but no client waits for it.
    blocked = undefined
    expect((await ask(small.url + swapPath(5n * 10n ** 18n))).status).toBe(200)
    release()
    // Only the first and the last request were simulated; the three queued ones never started.
    expect(simulated.size - before).toBe(2)
    const { text } = await ask(`${small.url}/metrics`)
    expect(text).toMatch(/sluice_requests_total{endpoint="\/aggregator\/:chainId",status="499",code="CLIENT_CLOSED"} 4/)
  } finally {
    blocked = undefined
    await small.close()
  }
})

test('all requests of a heavy overload are answered, and its connections serve again after it', async () => {
  // The blocked request runs until all others are answered, which takes long on a slow machine.
  const timeouts = { RPC_TIMEOUT_MS: '60000', REQUEST_TIMEOUT_MS: '120000' }
  const small = await startOver(proxy.url, { MAX_CONCURRENT: '1', MAX_QUEUED: '0', ...timeouts })
  const agent = new Agent({ keepAlive: true, maxSockets: 200 })
  const statusOf = (amount: bigint) =>
    new Promise<number>((resolve, reject) => {
      const request = httpGet(small.url + swapPath(amount), { agent }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode!))
      })
      request.on('error', reject)
    })
  try {
    await warmUp(small.url, swapPath())
    const { promise, resolve: release } = Promise.withResolvers<void>()
    blocked = promise
    const before = simulated.size
    const running = statusOf(6n * 10n ** 18n)
    await until(() => simulated.size === before + 1)
    const answers = await Promise.all(Array.from({ length: 2_000 }, (_, k) => statusOf(7n * 10n ** 18n + BigInt(k))))
    expect(new Set(answers)).toEqual(new Set([503]))
    blocked = undefined
    release()
    expect(await running).toBe(200)
    for (let k = 0; k < 3; k++) expect(await statusOf(8n * 10n ** 18n + BigInt(k))).toBe(200)
  } finally {
    blocked = undefined
    agent.destroy()
    await small.close()
  }
})

test('a chain with a slow node and a full queue does not slow other chains', { tags: 'long' }, async () => {
  const slowId = 31338
  const slow = await NodeProxy.start(devnet.url, ({ method }) =>
    method === 'eth_chainId' ? { result: `0x${slowId.toString(16)}` } : undefined,
  )
  const dir = mkdtempSync(join(tmpdir(), 'sluice-two-chains-'))
  const file = readFileSync(join(devnetDir, 'chains/31337.json'), 'utf8')
  mkdirSync(join(dir, 'chains'))
  for (const chainId of [31337, slowId]) {
    writeFileSync(join(dir, `chains/${chainId}.json`), file.replace('"chainId": 31337', `"chainId": ${chainId}`))
    writeDeployment(join(dir, 'deployments'), { ...devnet.info.deployment, chainId })
  }
  const both = await startOver(devnet.url, {
    CHAINS_DIR: join(dir, 'chains'),
    DEPLOYMENTS_DIR: join(dir, 'deployments'),
    [`RPC_URL_${slowId}`]: slow.url,
    MAX_QUEUED: '8',
    MAX_WAIT_MS: '20000',
  })
  try {
    for (const id of [31337, slowId]) await warmUp(both.url, swapPath(10n ** 18n, id))
    await warmUp(both.url, swapPath(2n * 10n ** 18n))
    // Longer than twenty quotes take on a busy machine. The test does not wait for the whole delay.
    slow.delayMs = 10_000
    const done: string[] = []
    const crawling = Array.from({ length: 100 }, async (_, i) => {
      const { status } = await ask(both.url + swapPath(10n ** 18n + BigInt(i), slowId))
      if (status === 200) done.push('slow')
      return status
    })
    await until(async () => {
      const { text } = await ask(`${both.url}/metrics`)
      return text.includes(`sluice_chain_requests{chain="${slowId}",state="waiting"} 8`)
    })
    for (let i = 0; i < 20; i++) {
      const { status } = await ask(both.url + swapPath(2n * 10n ** 18n + BigInt(i)))
      expect(status).toBe(200)
      done.push('fast')
    }
    // Twenty quotes of the fast chain finished before any of the slow chain.
    expect(done).toEqual(Array.from({ length: 20 }, () => 'fast'))
    slow.delayMs = 0
    const statuses = await Promise.all(crawling)
    const refused = statuses.filter((status) => status === 503).length
    expect(refused).toBeGreaterThanOrEqual(100 - 24 - 8)
    expect(refused, 'a process that is busy itself lets four run').toBeLessThanOrEqual(100 - 4 - 8)
    expect(statuses.every((status) => [200, 502, 503, 504].includes(status))).toBe(true)
  } finally {
    await both.close()
    await slow.stop()
    rmSync(dir, { recursive: true })
  }
})

test('prices of a recent block are served while the node does not report its head', async () => {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  const silent = await NodeProxy.start(devnet.url)
  const service = await startOver(silent.url)
  const { WETH, USDC } = devnet.info.tokens
  const prices = `${service.url}/prices/31337?token=${WETH!.address},${USDC!.address}`
  try {
    await until(async () => {
      const { status, text } = await ask(prices)
      return status === 200 && !text.includes('null')
    })
    silent.intercept = () => promise
    // Wait until the last head is no longer considered current.
    await new Promise((done) => setTimeout(done, 600))
    const { status, text } = await ask(prices)
    expect(status, text).toBe(200)
    expect(text).not.toContain('null')
  } finally {
    resolve(undefined)
    await service.close()
    await silent.stop()
  }
})

test('a stopping service answers running requests, and accepts no new connection', async () => {
  const stopping = await startOver(proxy.url, { SHUTDOWN_GRACE_MS: '10000' })
  await warmUp(stopping.url, swapPath(6n * 10n ** 18n - 1n))
  proxy.delayMs = 300
  const before = simulated.size
  const begun = Array.from({ length: 5 }, (_, i) => ask(stopping.url + swapPath(6n * 10n ** 18n + BigInt(i))))
  await until(() => simulated.size === before + 5)
  await stopping.close()
  for (const { status } of await Promise.all(begun)) expect(status).toBe(200)
  await expect(fetch(`${stopping.url}/health`)).rejects.toThrow()
})

test('metrics cover stages, endpoints, chains, integrators, slots, and failing nodes', async () => {
  await get(swapPath(7n * 10n ** 18n), { headers: { referer: 'https://user:secret@wallet.example:8443/page?key=1' } })
  const broken = await NodeProxy.start(devnet.url, ({ method }) =>
    method === 'eth_call' ? { error: { code: -32005, message: 'limit exceeded' } } : undefined,
  )
  const failing = await startOver(broken.url, { RPC_TIMEOUT_MS: '4000' })
  try {
    expect((await ask(failing.url + swapPath())).status).toBe(502)
    const { text } = await ask(`${failing.url}/metrics`)
    expect(text).toMatch(/sluice_rpc_errors_total{chain="31337",endpoint="0",code="RATE_LIMITED"} [1-9]/)
    expect(text).not.toContain(new URL(broken.url).port)
  } finally {
    await failing.close()
    await broken.stop()
  }
  const { text } = await get('/metrics')
  const lines = [
    /^sluice_requests_total{endpoint="\/aggregator\/:chainId",status="200",code=""} [1-9]/m,
    /^sluice_request_seconds_count{endpoint="\/aggregator\/:chainId"} [1-9]/m,
    /^sluice_stage_seconds_count{stage="route"} [1-9]/m,
    /^sluice_stage_seconds_count{stage="simulate"} [1-9]/m,
    /^sluice_route_trials_total{chain="31337",outcome="exact"} [1-9]/m,
    /^sluice_simulated_versus_settled_ppm_count [1-9]/m,
    /^sluice_quotes_total{chain="31337",how="made"} [1-9]/m,
    /^sluice_quotes_total{chain="31337",how="shared"} [1-9]/m,
    /^sluice_token_slots{chain="31337",kind="remembered"} [1-9]/m,
    /^sluice_token_slots{chain="31337",kind="hits"} [1-9]/m,
    /^sluice_head_block{chain="31337"} [1-9]/m,
    /^sluice_head_age_seconds{chain="31337"} [1-9]/m,
    /^sluice_audited_pools{chain="31337",kind="checked"} \d/m,
    /^sluice_audited_pools{chain="31337",kind="repaired"} 0$/m,
    /^sluice_memory_bytes{kind="resident"} [1-9]/m,
    /^sluice_integrator_requests_total{integrator="wallet.example",endpoint="\/aggregator\/:chainId"} 1/m,
    /^sluice_route_gap_bps_count \d/m,
  ]
  for (const line of lines) expect(text).toMatch(line)
  expect(text).not.toMatch(/secret|key=1/)
})

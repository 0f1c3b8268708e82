/**
 * Tests an upgrade as described in docs/operations.md: processes behind nginx are replaced one after the other, without
 * failed requests.
 *
 * @module-tag long
 */
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Fleet, hasNginx, startFleet } from './src/fleet.ts'
import { type ChainsNode, startChainsNode } from './src/many-chains.ts'
import { replaceAllUnderLoad } from './src/rolling.ts'
import { get } from './src/swap.ts'

const CHAINS = 6
const WORKERS = 2
/** Maximum concurrent requests per client in deploy/nginx. */
const MAX_AT_ONCE = 512
/** First of the unused chain ids. */
const NOBODYS = 900_000_000
const NAMES = 60
/** Maximum lines of nginx's log that are printed. */
const MAX_SHOWN = 200
const REQUESTS = 8_000

describe.skipIf(!hasNginx)('processes behind nginx (skipped where nginx is not installed)', () => {
  let node: ChainsNode
  let fleet: Fleet
  beforeAll(async () => {
    node = await startChainsNode(CHAINS, 2)
    // Long timeouts, since the test does not measure the machine's speed.
    fleet = await startFleet(WORKERS, { ...node.env, REQUEST_TIMEOUT_MS: '25000', MAX_WAIT_MS: '25000' })
  }, 120_000)
  afterAll(async () => {
    await fleet?.stop()
    await node?.stop()
  })

  type Ready = { readonly chains: Readonly<Record<string, unknown>> }
  const followed = () =>
    Promise.all(
      fleet.workers.map(async (url) => Object.keys((await get<Ready>(`${url}/ready`)).body.chains).map(Number)),
    )
  const askAll = () => Promise.all(node.chainIds.map((chainId) => get(`${fleet.url}/tokenlist/${chainId}`)))

  test('each chain is followed by one process, and its requests keep their id', async () => {
    for (const { status } of [...(await askAll()), ...(await askAll())]) expect(status).toBe(200)
    const chains = await followed()
    expect(chains.flat().sort((a, b) => a - b)).toEqual([...node.chainIds].sort((a, b) => a - b))
    // All six chains can belong to one process by chance, but this many ids cannot.
    await Promise.all(Array.from({ length: NAMES }, (_, k) => get(`${fleet.url}/ready/${NOBODYS + k}`)))
    const workersInLog = () => new Set(fleet.log().map((line) => (JSON.parse(line) as { worker: string }).worker))
    await expect.poll(workersInLog).toEqual(new Set(fleet.workers.map((url) => new URL(url).host)))

    const answer = await fetch(`${fleet.url}/chains?key=secret`, { headers: { 'X-Request-Id': 'mine-1' } })
    expect(answer.headers.get('x-request-id')).toBe('mine-1')
    await expect.poll(() => fleet.log().some((line) => line.includes('mine-1'))).toBe(true)
    for (const line of fleet.log()) {
      expect(JSON.parse(line)).toHaveProperty('status')
      expect(line).not.toContain('secret')
    }
  })

  test('operator endpoints are not exposed to callers', async () => {
    expect((await get(`${fleet.url}/metrics`)).status).toBe(404)
  })

  test('slow senders are disconnected and excess requests are refused, while others are served', async () => {
    const { hostname, port } = new URL(fleet.url)
    const dial = (text: string) => {
      const socket = connect(Number(port), hostname).setEncoding('latin1')
      let heard = ''
      socket.on('data', (chunk) => {
        heard += String(chunk)
      })
      socket.on('error', () => {})
      socket.write(text)
      return {
        socket,
        heard: () => heard,
        closed: new Promise<void>((resolve) => socket.once('close', () => resolve())),
      }
    }
    const head =
      'POST /simulate/1 HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 200000\r\n\r\n'
    const slow = [dial('GET /chains HTTP/1.1\r\nHost: a\r\nX-Slow: '), dial(`${head}{`)]
    // Requests without their body count from their headers on.
    const many = Array.from({ length: MAX_AT_ONCE + 20 }, () => dial(head))
    const refused = () => many.filter(({ heard }) => heard().startsWith('HTTP/1.1 429')).length
    await expect.poll(refused, { timeout: 8_000 }).toBeGreaterThan(0)
    await Promise.all([...slow, ...many].map(({ closed }) => closed))
    expect(many.some(({ heard }) => heard().startsWith('HTTP/1.1 2'))).toBe(false)
    expect((await get(`${fleet.url}/chains`)).status).toBe(200)
  }, 60_000)

  test('all processes are replaced under load, and every request is answered', async () => {
    const before = await followed()
    const { statuses, failures } = await replaceAllUnderLoad(fleet, node, REQUESTS)
    // The log of nginx contains the process and the status of each response.
    expect([...failures, ...(failures.length > 0 ? fleet.log().slice(-MAX_SHOWN) : [])]).toEqual([])
    expect(statuses['200']).toBeGreaterThanOrEqual(REQUESTS)
    // A restarted process gets its own chains again as requests arrive.
    const isAsBefore = async () => {
      await askAll()
      const now = await followed()
      return before.every((chains, worker) => chains.every((chainId) => now[worker]!.includes(chainId)))
    }
    await expect.poll(isAsBefore, { timeout: 60_000, interval: 500 }).toBe(true)
  }, 600_000)
})

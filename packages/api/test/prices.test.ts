/** Tests prices and depth over HTTP on the local chain: sources, long lists, entity tags, and the order of keys. */
import { get as httpGet } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Devnet } from '@sluice/devnet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RunningServer } from '../src/index.ts'
import { request, startChain, startOver } from './src/devnet.ts'
import { ask } from './src/service.ts'
import { deployToken } from './src/tokens.ts'

type Detail = {
  readonly usd: number | null
  readonly block: number
  readonly timestamp: number
  readonly depthUsd: number | null
  readonly confidence: number
  readonly sources: readonly { readonly pool: string; readonly usd: number; readonly weight: number }[]
  readonly reason: string | null
}

const NOBODY = `0x${'ab'.repeat(20)}`
const MAX_POSTED = 1_000
/** Concurrent requests for past prices, far more than the service admits. */
const BURST = 60
/** Blocks of the chart that one caller requests at once. */
const CHART = process.env.LONG ? 60 : 8
const HONEST = 10
/** Maximum repetitions of a request that a busy machine refuses. */
const MAX_REPEATS = 20
const HONEST_MS = 5_000
/** `MAX_CONCURRENT` of the service. */
const AT_ONCE = 24
const MAX_ROUNDS = 60
const RETRY_MS = 1_000
/** Time without a change of prices; more than two block times of the local chain. */
const QUIET_MS = 3_000
let devnet: Devnet
let server: RunningServer
let tokens: readonly string[]
beforeAll(async () => {
  devnet = await startChain()
  server = await startOver(devnet.url, { TRUST_PROXY: 'true', MAX_CONCURRENT: String(AT_ONCE) })
  tokens = ['WETH', 'USDC', 'LINK'].map((symbol) => devnet.info.tokens[symbol]!.address)
  // Wait until all pools are known and their prices have not changed for `QUIET_MS`.
  const end = Date.now() + 30_000
  for (let last = '', since = Date.now(); Date.now() < end && Date.now() < since + QUIET_MS; ) {
    const text = JSON.stringify(await get(listed()))
    if (text !== last || text.includes('null')) since = Date.now()
    last = text
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
})
afterAll(async () => {
  await server?.close()
  await devnet?.stop()
})

const listed = (more = '', endpoint = 'prices') => `/${endpoint}/31337?token=${tokens.join()}${more}`
const get = async (path: string) => JSON.parse((await ask(server.url + path)).text) as Record<string, number | null>
const post = (body: unknown) =>
  ask(`${server.url}/prices/31337`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

test('detail=1 returns the same prices with their sources', async () => {
  const plain = await get(listed())
  const detailed = (await get(listed('&detail=1'))) as unknown as Record<string, Detail>
  for (const token of tokens) {
    const { usd, block, timestamp, depthUsd, confidence, sources, reason } = detailed[token]!
    expect(usd).toBe(plain[token])
    expect(reason).toBeNull()
    expect(block).toBeGreaterThan(0)
    expect(timestamp).toBeGreaterThan(0)
    expect(depthUsd).toBeGreaterThan(10_000)
    expect(confidence).toBeGreaterThan(0.3)
    expect(sources.length).toBeGreaterThan(0)
    for (const { pool, usd: reportedUsd } of sources) {
      expect(devnet.info.pools.map(({ id, address }) => (id ?? address).toLowerCase())).toContain(pool.toLowerCase())
      expect(Math.abs(reportedUsd / usd! - 1)).toBeLessThan(0.05)
    }
  }
})

test('block returns prices at the end of a past block, or an error if its state is missing', async () => {
  const [weth] = tokens
  const { block, usd } = ((await get(listed('&detail=1'))) as unknown as Record<string, Detail>)[weth!]!
  const past = (await get(listed(`&detail=1&block=${block}`))) as unknown as Record<string, Detail>
  expect(past[weth!]).toMatchObject({ block, reason: null })
  expect(Math.abs(past[weth!]!.usd! / usd! - 1)).toBeLessThan(0.001)
  expect(await get(listed(`&block=${block}`))).toMatchObject({ [weth!]: past[weth!]!.usd })
  const later = await ask(server.url + listed(`&block=${block + 1_000_000}`))
  expect(later.status).toBe(422)
  expect(JSON.parse(later.text)).toMatchObject({ code: 'NO_STATE' })
  const wrong = await ask(server.url + listed('&block=-1'))
  expect(wrong.status).toBe(400)
  // The node was started from a snapshot of its last block.
  const first = await ask(server.url + listed('&block=0'))
  expect(first.status, first.text).toBe(422)
  expect(JSON.parse(first.text)).toMatchObject({ code: 'NO_STATE' })
})

test('a token without a price has a reason', async () => {
  const why = async () =>
    ((await get(`/prices/31337?token=${NOBODY}&detail=1`)) as unknown as Record<string, Detail>)[NOBODY]
  await expect.poll(async () => (await why())!.reason, { timeout: 30_000 }).toBe('unknown')
  expect(await why()).toMatchObject({ usd: null, depthUsd: null, confidence: 0, sources: [] })
})

test('a token that could not be sold when measured has no price: unsellable', async () => {
  const trap = await deployToken(devnet, 'TrapToken')
  const token = trap.address.toLowerCase()
  const pricesOf = async () =>
    ((await get(`/prices/31337?token=${token}&detail=1`)) as unknown as Record<string, Detail>)[token]!
  await expect.poll(async () => (await pricesOf()).usd, { timeout: 30_000 }).toBeCloseTo(30, 0)
  await trap.send('close', [(await pricesOf()).sources[0]!.pool])
  const report = JSON.parse((await ask(`${server.url}/tokens/31337?token=${token}`)).text)
  expect(report[token].pools).toMatchObject([{ sellable: false }])
  // The answer for this block does not change, so mine another one.
  await trap.send('approve', [NOBODY, 0n])
  await expect.poll(async () => (await pricesOf()).reason, { timeout: 30_000 }).toBe('unsellable')
  expect(await pricesOf()).toMatchObject({ usd: null, depthUsd: null, confidence: 0, sources: [] })
  expect(await get(`/prices/31337?token=${token}`)).toEqual({ [token]: null })
  expect(await get(`/liquidity/31337?token=${token}`)).toEqual({ [token]: null })
})

test('a token has a price at past blocks only while it could be sold', async () => {
  const trap = await deployToken(devnet, 'TrapToken')
  const token = trap.address.toLowerCase()
  const pricesOf = async (block = '') =>
    ((await get(`/prices/31337?token=${token}&detail=1${block}`)) as unknown as Record<string, Detail>)[token]!
  await expect.poll(async () => (await pricesOf()).usd, { timeout: 30_000 }).toBeCloseTo(30, 0)
  const open = await pricesOf()
  await trap.send('close', [open.sources[0]!.pool])
  await expect.poll(async () => (await pricesOf()).block, { timeout: 30_000 }).toBeGreaterThan(open.block)
  const closed = await pricesOf()
  expect(await pricesOf(`&block=${closed.block}`)).toMatchObject({ usd: null, reason: 'unsellable' })
  expect((await pricesOf(`&block=${open.block}`)).usd).toBeCloseTo(30, 0)
})

test('concurrent requests for many past blocks are answered, and do not delay other requests', {
  tags: 'long',
  timeout: 600_000,
}, async () => {
  const [weth] = tokens
  const newest = async () => ((await get(listed('&detail=1'))) as unknown as Record<string, Detail>)[weth!]!.block
  const before = await newest()
  await request(devnet.url, 'anvil_mine', CHART)
  // Wait for the new blocks, because earlier blocks may lack the pools.
  await expect.poll(newest, { timeout: 30_000 }).toBeGreaterThanOrEqual(before + CHART)
  const block = await newest()
  const from = (caller: string) => ({ headers: { 'x-forwarded-for': caller } })
  const chart = (n: number) => ask(`${server.url}${listed(`&block=${block - n}`)}`, from('192.0.2.1'))
  let remaining = Array.from({ length: CHART }, (_, n) => n)
  let answered = 0
  for (let round = 0; remaining.length > 0 && round < MAX_ROUNDS; round++) {
    const points = Promise.all(remaining.map(chart))
    // Another caller is served while most of the burst waits.
    for (let n = 0; n < HONEST && round === 0; n++) {
      const start = performance.now()
      const honest = () => ask(`${server.url}${listed('&detail=1')}`, from('192.0.2.2'))
      let answer = await honest()
      // On a busy machine the service may be overloaded for a moment; a retry within the limit must succeed.
      while (answer.status === 503 && performance.now() - start < HONEST_MS) {
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
        answer = await honest()
      }
      expect(answer.status, answer.text).toBe(200)
    }
    const refused: number[] = []
    for (const [k, { status, text, headers }] of (await points).entries()) {
      if (status === 200) answered++
      else if (status === 503 || status === 504) {
        if (status === 503) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
        refused.push(remaining[k]!)
      } else expect(JSON.parse(text).code, text).toBe('NO_STATE')
    }
    remaining = refused
    if (remaining.length > 0) await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
  }
  expect(remaining).toEqual([])
  expect(answered).toBeGreaterThanOrEqual(CHART / 2)
})

test('excess requests for past blocks are refused with an error, and other requests are answered', async () => {
  const block = ((await get(listed('&detail=1'))) as unknown as Record<string, Detail>)[tokens[0]!]!.block
  const from = (caller: string) => ({ headers: { 'x-forwarded-for': caller } })
  const burst = Promise.all(
    Array.from({ length: 4 * BURST }, (_, k) =>
      ask(`${server.url}/prices/31337?token=${tokens[k % 3]}&block=${block - (k % 40)}`, from(`198.51.100.${k % 8}`)),
    ),
  )
  for (let n = 0; n < HONEST; n++) {
    let answer = await ask(`${server.url}${listed('&detail=1')}`, from('192.0.2.2'))
    // On a busy machine, the service may refuse for lack of processor time. Clients then repeat the request.
    for (let k = 0; k < MAX_REPEATS && answer.status === 503; k++) {
      await sleep(1_000 * Number(answer.headers.get('retry-after')))
      answer = await ask(`${server.url}${listed('&detail=1')}`, from('192.0.2.2'))
    }
    expect(answer.status, answer.text).toBe(200)
  }
  const codes = (await burst).map(({ status, text }) => (status === 200 ? '200' : `${status} ${JSON.parse(text).code}`))
  for (const code of codes) expect(['200', '422 NO_STATE', '503 OVERLOADED', '504 TIMEOUT']).toContain(code)
  expect(codes).toContain('200')
  expect(codes).toContain('503 OVERLOADED')
}, 180_000)

test('at most a thousand tokens may be posted', async () => {
  const many = Array.from(
    { length: MAX_POSTED },
    (_, k) => `0x${'c'.repeat(30)}${(k + 1).toString(16).padStart(10, '0')}`,
  )
  const requestedTokens = [...tokens, ...many.slice(tokens.length)]
  const answer = await post({ token: requestedTokens })
  expect(answer.status).toBe(200)
  const body = JSON.parse(answer.text) as Record<string, number | null>
  expect(Object.keys(body)).toEqual(requestedTokens)
  const plain = await get(listed())
  for (const token of tokens) expect(body[token]).toBe(plain[token])
  for (const [wrong, text] of [
    [{ token: [...many, NOBODY] }, 'token must be a list of 1 to 1000 addresses'],
    [{ token: [] }, 'token must be a list of 1 to 1000 addresses'],
    [{ token: tokens.join() }, 'token must be a list of 1 to 1000 addresses'],
    [{ token: ['0x12'] }, 'token must be valid 0x... addresses'],
    [{ token: tokens, detail: '2' }, 'detail must be 0 or 1'],
  ] as const) {
    const { status, text: answerText } = await post(wrong)
    expect(status).toBe(400)
    expect(answerText).toContain(text)
  }
})

/** Sends `If-None-Match` like a browser; Node's fetch would add `Cache-Control: no-cache`. */
function ifNoneMatch(path: string, tag: string): Promise<{ status: number; etag: string | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = httpGet(server.url + path, { headers: { 'if-none-match': tag } }, (answer) => {
      let body = ''
      answer.on('data', (chunk: Buffer) => {
        body += chunk
      })
      answer.on('end', () => resolve({ status: answer.statusCode!, etag: answer.headers.etag, body }))
    })
    sent.on('error', reject)
  })
}

test.each(['prices', 'liquidity'])('who has the /%s of now already gets no body', async (endpoint) => {
  const path = listed('', endpoint)
  const { status, etag, body } = await ifNoneMatch(path, '"other"')
  expect(status).toBe(200)
  expect(body).toContain(tokens[0])
  expect(await ifNoneMatch(path, etag!)).toEqual({ status: 304, etag, body: '' })
})

test('the depth curve names its levels in rising order', async () => {
  const { text } = await ask(server.url + listed('&curve=1', 'liquidity'))
  const levels = /\{("[^{}]*)\}/.exec(text.slice(1))![1]!.match(/"[\d.]+":/g)
  expect(levels).toEqual(['"0.5":', '"1":', '"2":', '"5":', '"10":'])
})

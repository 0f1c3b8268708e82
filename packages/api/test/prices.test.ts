/** Prices and depth over HTTP on the local chain: what they rest on, long lists, copies that still hold, keys in order. */
import { get as httpGet } from 'node:http'
import type { Devnet } from '@sluice/devnet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RunningServer } from '../src/index.ts'
import { startChain, startOver } from './src/devnet.ts'
import { ask } from './src/service.ts'

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
const MOST_POSTED = 1_000
/** Beyond two block times of the local chain. */
const QUIET_MS = 3_000
let devnet: Devnet
let server: RunningServer
let tokens: readonly string[]
beforeAll(async () => {
  devnet = await startChain()
  server = await startOver(devnet.url)
  tokens = ['WETH', 'USDC', 'LINK'].map((symbol) => devnet.info.tokens[symbol]!.address)
  // Until all their pools are known, and have been for as long as it takes them to be heard beside others.
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

test('detail=1 answers the same prices with what they rest on', async () => {
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
    for (const { pool, usd: said } of sources) {
      expect(devnet.info.pools.map(({ id, address }) => (id ?? address).toLowerCase())).toContain(pool.toLowerCase())
      expect(Math.abs(said / usd! - 1)).toBeLessThan(0.05)
    }
  }
})

test('block answers as of the end of a block of the past, and says where its state is not there', async () => {
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
  // The node was started with the state of its last block.
  const first = await ask(server.url + listed('&block=0'))
  expect(first.status, first.text).toBe(422)
  expect(JSON.parse(first.text)).toMatchObject({ code: 'NO_STATE' })
})

test('a token without a price says why', async () => {
  const why = async () =>
    ((await get(`/prices/31337?token=${NOBODY}&detail=1`)) as unknown as Record<string, Detail>)[NOBODY]
  await expect.poll(async () => (await why())!.reason, { timeout: 30_000 }).toBe('unknown')
  expect(await why()).toMatchObject({ usd: null, depthUsd: null, confidence: 0, sources: [] })
})

test('a thousand tokens may be posted, and no more', async () => {
  const many = Array.from(
    { length: MOST_POSTED },
    (_, k) => `0x${'c'.repeat(30)}${(k + 1).toString(16).padStart(10, '0')}`,
  )
  const asked = [...tokens, ...many.slice(tokens.length)]
  const answer = await post({ token: asked })
  expect(answer.status).toBe(200)
  const body = JSON.parse(answer.text) as Record<string, number | null>
  expect(Object.keys(body)).toEqual(asked)
  const plain = await get(listed())
  for (const token of tokens) expect(body[token]).toBe(plain[token])
  for (const [wrong, text] of [
    [{ token: [...many, NOBODY] }, 'token must be a list of 1 to 1000 addresses'],
    [{ token: [] }, 'token must be a list of 1 to 1000 addresses'],
    [{ token: tokens.join() }, 'token must be a list of 1 to 1000 addresses'],
    [{ token: ['0x12'] }, 'token must be valid 0x... addresses'],
    [{ token: tokens, detail: '2' }, 'detail must be 0 or 1'],
  ] as const) {
    const { status, text: said } = await post(wrong)
    expect(status).toBe(400)
    expect(said).toContain(text)
  }
})

/** As browsers ask again; fetch of Node would say that no copy counts. */
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

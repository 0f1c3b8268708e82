/** Tests DefiLlama's price endpoint on the local chain: prices equal those of `/prices`, also if other chains fail. */
import { createServer, type Server, type Socket } from 'node:net'
import type { Devnet } from '@sluice/devnet'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { RunningServer } from '../src/index.ts'
import { startChain, startOver } from './src/devnet.ts'
import { ask } from './src/service.ts'
import { deployToken } from './src/tokens.ts'

type Coin = {
  readonly decimals: number
  readonly symbol?: string
  readonly price: number
  readonly timestamp: number
  readonly confidence: number
}
type Detail = { readonly usd: number | null; readonly timestamp: number; readonly confidence: number }

const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
const ZERO = `0x${'0'.repeat(40)}`
const NOBODY = `0x${'ab'.repeat(20)}`
const RANDOM_REQUESTS = 300
/** Maximum repetitions of a comparison; a new block between its requests makes it invalid. */
const MAX_ROUNDS = 20

let devnet: Devnet
let server: RunningServer
let tokens: readonly string[]
let hostile: string
beforeAll(async () => {
  devnet = await startChain()
  server = await startOver(devnet.url)
  tokens = ['WETH', 'USDC', 'LINK', 'DAI'].map((symbol) => devnet.info.tokens[symbol]!.address)
  hostile = (await deployToken(devnet, 'NamedToken', ['Hostile', 'EV\u202eIL\u0000</script>'], 20n)).address
  const all = [...tokens, hostile].map((token) => `31337:${token}`).join()
  await vi.waitFor(async () => expect(Object.keys(await coinsOf(all))).toHaveLength(tokens.length + 1), 120_000)
}, 180_000)
afterAll(async () => {
  await server?.close()
  await devnet?.stop()
})

const get = (coins: string, init?: RequestInit, query = '', from = server) =>
  ask(`${from.url}/prices/current/${encodeURIComponent(coins)}${query}`, init)
async function coinsOf(coins: string): Promise<Record<string, Coin>> {
  const { status, text } = await get(coins)
  expect(status, text).toBe(200)
  const body = JSON.parse(text)
  expect(Object.keys(body)).toEqual(['coins'])
  return body.coins
}
const detailsOf = async (addresses: readonly string[]) =>
  JSON.parse((await ask(`${server.url}/prices/31337?detail=1&token=${addresses}`)).text) as Record<string, Detail>

/** Returns the prices in both formats. Repeats until `/prices` is the same before and after the other request. */
async function compared(
  addresses: readonly string[],
): Promise<{ coins: Record<string, Coin>; details: Record<string, Detail> }> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const details = await detailsOf(addresses)
    const coins = await coinsOf(addresses.map((address) => `31337:${address}`).join())
    if (JSON.stringify(await detailsOf(addresses)) === JSON.stringify(details)) return { coins, details }
  }
  throw new Error('prices do not rest')
}

test('prices, times and confidence are those of /prices, decimals and symbols those of the tokens', async () => {
  const { coins, details } = await compared([...tokens, NATIVE, ZERO, NOBODY])
  const decimals = [18, 6, 18, 18, 18, 18]
  const symbols = ['WETH', 'USDC', 'LINK', 'DAI', 'ETH', 'ETH']
  expect(Object.keys(coins)).toEqual([...tokens, NATIVE, ZERO].map((token) => `31337:${token}`))
  for (const [k, token] of [...tokens, NATIVE, ZERO].entries()) {
    const { usd, timestamp, confidence } = details[token]!
    expect(usd).toBeGreaterThan(0)
    expect(coins[`31337:${token}`]).toEqual({
      decimals: decimals[k],
      symbol: symbols[k],
      price: usd,
      timestamp,
      confidence,
    })
  }
  expect(coins[`31337:${tokens[0]}`]!.confidence).toBeGreaterThan(0.3)
  expect(coins[`31337:${NATIVE}`]!.price).toBe(coins[`31337:${tokens[0]}`]!.price)
})

test('keys echo the request: each spelling has its own entry, and a repeated one only one', async () => {
  const [weth] = tokens as [string]
  const upper = `0x${weth.slice(2).toUpperCase()}`
  const sent = [`31337:${weth}`, `31337:${weth.toLowerCase()}`, `31337:${upper}`, `31337:0X${upper.slice(2)}`]
  const coins = await coinsOf([...sent, `devnet:${weth}`, `DevNet:${weth}`, sent[0]].join())
  expect(Object.keys(coins)).toEqual([...new Set(sent), `devnet:${weth}`, `DevNet:${weth}`])
  expect(new Set(Object.values(coins).map(({ price }) => price)).size).toBe(1)
})

test('encoded separators are accepted, and searchWidth has no effect', async () => {
  const coins = tokens.map((token) => `31337:${token}`).join()
  const of = async (path: string) => Object.keys(JSON.parse((await ask(server.url + path)).text).coins)
  const expected = tokens.map((token) => `31337:${token}`)
  for (const query of ['', '?searchWidth=4h', '?searchWidth=600', '?searchWidth=', '?searchWidth=a&searchWidth=b'])
    expect(await of(`/prices/current/${coins}${query}`)).toEqual(expected)
  expect(await of(`/prices/current/${encodeURIComponent(coins)}`)).toEqual(expected)
})

test('symbols of tokens are sanitized', async () => {
  const { [`31337:${hostile}`]: coin } = await coinsOf(`31337:${hostile}`)
  expect(coin).toMatchObject({ decimals: 18, price: expect.any(Number) })
  expect(coin!.symbol).toMatch(/^[\x21-\x7e]{1,20}$/)
})

test('unknown coins and chains are absent, among others and alone', async () => {
  const knownCoin = `31337:${tokens[1]}`
  const unknown = [
    ...[
      `31337:${NOBODY}`,
      'coingecko:bitcoin',
      'coingecko:boringdao-[old]',
      'solana:So11111111111111111111111111111111111111112',
    ],
    ...[
      `nowhere:${tokens[1]}`,
      `__proto__:${tokens[1]}`,
      `constructor:${tokens[1]}`,
      `031337:${tokens[1]}`,
      `0x7a69:${tokens[1]}`,
    ],
  ]
  expect(Object.keys(await coinsOf([...unknown, knownCoin].join()))).toEqual([knownCoin])
  for (const coin of unknown) expect(await coinsOf(coin), coin).toEqual({})
})

test('malformed coins are refused with their field, and so are too many', async () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, k) => `31337:0x${`${k + 1}`.padStart(40, '0')}`).join()
  expect((await get(many(100))).status).toBe(200)
  const wrong = [
    '',
    ',',
    '31337',
    '31337:',
    `:${NOBODY}`,
    `31337:${NOBODY},`,
    '31337:0x12',
    '31337:native_token',
    'a b:c',
    many(101),
  ]
  for (const coins of wrong) {
    const { status, text } = await get(coins)
    expect({ status, code: JSON.parse(text).code }, coins).toEqual({ status: 400, code: 'INVALID_PARAMETER' })
    expect(JSON.parse(text).error).toMatch(/^coins must /)
  }
  for (const path of ['/prices/current', '/prices/current/']) {
    const { status, text } = await ask(server.url + path)
    expect({ status, error: JSON.parse(text).error }).toEqual({ status: 400, error: 'coins must be provided' })
  }
  expect((await ask(`${server.url}/prices/current/%zz`)).status).toBe(400)
  expect((await ask(`${server.url}/prices/current/31337:${NOBODY}/more`)).status).toBe(404)
  expect((await get(`31337:${NOBODY}`, { method: 'POST' })).status).toBe(405)
  expect((await get(`${'x'.repeat(17_000)}`)).status).toBe(414)
})

test('a matching ETag gets no body', async () => {
  const coins = `31337:${tokens[1]}`
  for (let round = 0; ; round++) {
    const first = await get(coins)
    const tag = first.headers.get('etag')!
    expect(first.headers.get('cache-control')).toBe('no-cache')
    const again = await get(coins, { headers: { 'if-none-match': tag } })
    // A new block changed the prices between the requests.
    if (again.status === 200 && round < MAX_ROUNDS) continue
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', tag])
    break
  }
  const head = await ask(`${server.url}/prices/current/${coins}`, { method: 'HEAD' })
  expect([head.status, head.text]).toEqual([200, ''])
})

test(`${RANDOM_REQUESTS} random requests: only invalid ones are refused, others return exactly the coins with a price`, async () => {
  const random = generator(20_261_126)
  const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)]!
  const spelled = (address: string) =>
    pick([address, address.toLowerCase(), `0x${address.slice(2).toUpperCase()}`, `0X${address.slice(2)}`])
  const hex = (digits: number) => Array.from({ length: digits }, () => pick([...'0123456789abcdefABCDEF'])).join('')
  const priced = [...tokens, hostile, NATIVE, ZERO]
  const wrong = [
    '',
    ' ',
    '31337',
    '31337:',
    ':0x',
    '31337:0x',
    '31337 :a',
    'ü:a',
    '31337:ü',
    '\u0000:a',
    '31337:\u202e',
    '%',
  ]
  const draw = (mistakes: boolean) => {
    const kind = random()
    if (mistakes && kind < 0.15)
      return { sent: pick([...wrong, `31337:0x${hex(39)}`, `devnet:0x${hex(41)}`]), is: 'wrong' }
    if (kind < 0.6) return { sent: `${pick(['31337', 'devnet', 'DEVNET'])}:${spelled(pick(priced))}`, is: 'priced' }
    if (kind < 0.8) return { sent: `${pick(['31337', 'devnet'])}:0x${hex(40)}`, is: 'unknown' }
    return {
      sent: `${pick(['coingecko', 'solana', 'nowhere', '__proto__', 'a-b_c'])}:${pick([hex(5), `0x${hex(40)}`])}`,
      is: 'elsewhere',
    }
  }
  const counts = { answered: 0, refused: 0, coins: 0 }
  for (let n = 0; n < RANDOM_REQUESTS; n++) {
    const mistakes = random() < 0.4
    const drawn = Array.from({ length: 1 + Math.floor(random() * 12) }, () => draw(mistakes))
    const { status, text } = await get(drawn.map(({ sent }) => sent).join())
    if (drawn.some(({ is }) => is === 'wrong')) {
      expect([status, JSON.parse(text).code], text).toEqual([400, 'INVALID_PARAMETER'])
      expect(JSON.parse(text).error).toMatch(/^coins must /)
      counts.refused++
      continue
    }
    expect(status, text).toBe(200)
    const { coins } = JSON.parse(text) as { coins: Record<string, Coin> }
    expect(Object.keys(coins)).toEqual([...new Set(drawn.flatMap(({ sent, is }) => (is === 'priced' ? [sent] : [])))])
    counts.answered++
    counts.coins += Object.keys(coins).length
  }
  expect(counts.answered + counts.refused).toBe(RANDOM_REQUESTS)
  expect(counts.answered).toBeGreaterThan(100)
  expect(counts.refused).toBeGreaterThan(40)
  expect(counts.coins).toBeGreaterThan(300)
})

/** Creates a seeded random number generator (mulberry32). */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

describe('several chains at once', () => {
  let silent: Server
  let mixed: RunningServer
  const sockets = new Set<Socket>()
  beforeAll(async () => {
    // Server that accepts connections and never answers.
    silent = createServer((socket) => {
      sockets.add(socket)
      socket.on('error', () => {})
    })
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as { port: number }
    mixed = await startOver(devnet.url, {
      // Port 9 (discard protocol): nothing listens there.
      RPC_URL_1: 'http://127.0.0.1:9',
      RPC_URL_56: `http://127.0.0.1:${port}`,
      RPC_URL_137: `http://127.0.0.1:${port}`,
      REQUEST_TIMEOUT_MS: '20000',
    })
  })
  afterAll(async () => {
    await mixed?.close()
    for (const socket of sockets) socket.destroy()
    silent?.close()
  })
  const of = async (coins: string) => {
    const { status, text } = await get(coins, {}, '', mixed)
    return { status, body: JSON.parse(text) }
  }

  test('failing and hanging chains do not affect others, and a sleeping chain wakes at its first request', async () => {
    const coin = `devnet:${tokens[1]}`
    const coins = [`ethereum:${NATIVE}`, `bsc:${ZERO}`, `polygon:${NATIVE}`, `coingecko:bitcoin`, coin].join()
    // The first request starts the search of pools.
    await expect.poll(async () => Object.keys((await of(coins)).body.coins), { timeout: 120_000 }).toEqual([coin])
  }, 150_000)

  test('an error is returned if all chains fail', async () => {
    expect(await of(`ethereum:${NATIVE},coingecko:bitcoin`)).toMatchObject({
      status: 502,
      body: { code: 'RPC_FAILED' },
    })
    const { status, body } = await of(`bsc:${NATIVE},polygon:${NATIVE}`)
    expect([502, 504]).toContain(status)
    expect(['RPC_FAILED', 'TIMEOUT']).toContain(body.code)
  }, 60_000)
})

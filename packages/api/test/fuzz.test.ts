/** Sends random malformed requests: each gets a quick 4xx, never a 5xx, and the service stays up. */
import type { Devnet } from '@sluice/devnet'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { record } from '../../../bench/record.ts'
import type { RunningServer } from '../src/index.ts'
import { startChain, startOver } from './src/devnet.ts'
import { ask } from './src/service.ts'

const RUNS = process.env.LONG ? 20_000 : 300
const AT_ONCE = 16

let devnet: Devnet
let server: RunningServer
beforeAll(async () => {
  devnet = await startChain()
  server = await startOver(devnet.url)
  // The first requests wait for the search of pools, which this test does not measure.
  const { WETH, USDC } = devnet.info.tokens
  const swap = { src: WETH!.address, dst: USDC!.address, amount: '1000000000000000000' }
  const { status, text } = await ask(
    `${server.url}/aggregator/31337?${new URLSearchParams({ ...swap, from: devnet.info.accounts[0]!.address })}`,
  )
  expect(status, text).toBe(200)
})
afterAll(async () => {
  await server?.close()
  await devnet?.stop()
})

type Shot = { readonly path: string; readonly init?: RequestInit }

function shots(): fc.Arbitrary<Shot> {
  const { WETH, USDC } = devnet.info.tokens
  const odd = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.string({ maxLength: 40 }),
    fc.constantFrom(
      '',
      '0',
      '-1',
      '1e18',
      '+1',
      ' 1',
      'NaN',
      'Infinity',
      '0x',
      '__proto__',
      'constructor',
      'null',
      '٣',
    ),
    fc.constantFrom('%00', '../../etc/passwd', '\r\nX: y', '<script>', '{"$gt":""}', '9'.repeat(78), `${2n ** 256n}`),
  )
  const good = fc.constantFrom(WETH!.address, USDC!.address, devnet.info.accounts[0]!.address, '1000000000', '0.5')
  const value = fc.oneof({ weight: 3, arbitrary: odd }, { weight: 2, arbitrary: good })
  const swapNames = ['src', 'dst', 'amount', 'from', 'slippage', 'convenienceFee', 'convenienceFeeRecipient']
  const moreNames = ['minimumBlock', 'maxHops', 'excludePools', 'token', 'to', 'data', 'tokenIn', 'amountIn', 'block']
  const name = fc.oneof(fc.constantFrom(...swapNames, ...moreNames), fc.constantFrom('__proto__', 'src[]', 'a.b'), odd)
  const chain = fc.oneof({ weight: 4, arbitrary: fc.constant('31337') }, { weight: 1, arbitrary: odd })
  const endpoint = fc.constantFrom('aggregator', 'simulate', 'prices', 'liquidity', 'chains', 'health', '')
  const query = fc.array(fc.tuple(name, value), { maxLength: 8 })
  // A swap with valid parameters, except one.
  const nearSwap = fc.tuple(fc.constantFrom(...swapNames, ...moreNames), odd).map(([name, value]): Shot => {
    const from = devnet.info.accounts[0]!.address
    const swap = { src: WETH!.address, dst: USDC!.address, amount: '1000000000000000', from, [name]: value }
    return { path: `/aggregator/31337?${new URLSearchParams(swap)}` }
  })
  const get = fc
    .tuple(endpoint, chain, query)
    .map(([endpoint, chain, query]): Shot => ({ path: `/${endpoint}/${encode(chain)}?${new URLSearchParams(query)}` }))
  const body = fc.oneof(
    fc.json(),
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc
      .dictionary(fc.oneof(name, fc.constant('from')), fc.oneof(value, fc.jsonValue()))
      .map((fields) => JSON.stringify(fields)),
  )
  const type = fc.constantFrom(
    'application/json',
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=x',
  )
  const post = fc.tuple(chain, body, type).map(
    ([chain, body, type]): Shot => ({
      path: `/simulate/${encode(chain)}`,
      init: { method: 'POST', headers: { 'content-type': type }, body },
    }),
  )
  return fc.oneof(nearSwap, get, post)
}

const encode = (text: string) => encodeURIComponent(text.toWellFormed())

test(`${RUNS} malformed requests get no 5xx and no stack trace`, { timeout: 600_000 }, async () => {
  const seed = Number(process.env.FUZZ_SEED ?? 20_261_121)
  const queue = fc.sample(shots(), { numRuns: RUNS, seed })
  const statuses = new Map<number, number>()
  let slowest = 0
  const worker = async () => {
    for (let shot = queue.pop(); shot; shot = queue.pop()) {
      const started = performance.now()
      const { status, text } = await ask(server.url + shot.path, shot.init)
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      const description = `${JSON.stringify(shot)} → ${status} ${text.slice(0, 300)}`
      // 200 is correct for a request that is valid by chance. 503 would mean overload, which this test must not cause.
      expect(status < 500, description).toBe(true)
      expect(text, description).not.toMatch(/\.(ts|js):\d+/)
      slowest = Math.max(slowest, performance.now() - started)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  expect(statuses.get(400)).toBeGreaterThan(RUNS / 4)
  expect((await ask(`${server.url}/health`)).status).toBe(200)
  if (process.env.LONG)
    record('malformed', { requests: RUNS, seed, answers: Object.fromEntries(statuses), slowestMs: Math.round(slowest) })
})

/**
 * Counts calls and bytes that a self-hosted service with one chain sends to its node, and checks the targets of
 * docs/operations.md.
 *
 * @module-tag long
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Devnet, NodeProxy, startDevnet } from '@sluice/devnet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { devnetDir, type Service, serviceEnv, startProcess } from './src/service.ts'
import { get, swapUrl } from './src/swap.ts'

/** Without LONG: long enough for several heads, each of which would cost calls. */
const REST_MS = process.env.LONG ? 30_000 : 12_000
const MAX_REST_CALLS = 4
const MAX_REST_BYTES = 10_000
/** Quotes of an hour at one per minute. */
const QUOTES = 60
const MAX_HOUR_CALLS = 250
/** Calls of an hour without blocks, apart from those of quotes (`npm run bench -- capacity bill`: 91). */
const HOUR_OF_POLLS = 100
const MAX_HOUR_BYTES = 3_000_000
/** Families whose gas changes with time: a quote through their pools takes one more call (docs/operations.md). */
const SIMULATED_TWICE = 'algebra-v1,algebra-integral'

let devnet: Devnet
let node: NodeProxy
let service: Service
let amount = 10n ** 18n

beforeAll(async () => {
  devnet = await startDevnet({ dir: devnetDir })
  node = await NodeProxy.start(devnet.url)
  // Long timeouts, since retries on a busy machine must not be counted.
  const patient = { REQUEST_TIMEOUT_MS: '60000', RPC_TIMEOUT_MS: '60000' }
  const chain = { [`RPC_URL_${devnet.chainId}`]: node.url, CHAINS: String(devnet.chainId) }
  service = await startProcess({ ...serviceEnv(devnet), ...chain, ...patient })
  await quote()
  await untilQuiet()
}, 240_000)
afterAll(async () => {
  await service?.stop()
  await node?.stop()
  await devnet?.stop()
})

async function quote(): Promise<void> {
  const { WETH, USDC } = devnet.info.tokens
  amount += 10n ** 15n
  const pair = { src: WETH.address, dst: USDC.address, excludeSources: SIMULATED_TWICE }
  const query = { ...pair, amount, from: devnet.info.accounts[0]!.address }
  expect((await get(swapUrl(service.url, devnet.chainId, query))).status).toBe(200)
}

/** Consecutive looks without a call. On a busy machine the wake-up work pauses for longer than one. */
const QUIET_LOOKS = 4

/** Waits until the node receives no calls for eight seconds, which means that the wake-up work has ended. */
async function untilQuiet(): Promise<void> {
  for (let look = 0, quiet = 0; look < 60; look++) {
    const before = node.calledMethods.length
    await sleep(2_000)
    quiet = node.calledMethods.length === before ? quiet + 1 : 0
    if (quiet === QUIET_LOOKS) return
  }
  throw new Error('the service does not come to rest')
}

/** Returns the calls and bytes that an action causes. */
async function costOf(work: () => Promise<void>) {
  const [calls, bytes] = [node.calledMethods.length, node.byteCount]
  await work()
  const methods = Object.groupBy(node.calledMethods.slice(calls), (method) => method)
  const counts = Object.entries(methods).map(([method, all]) => `${method}: ${all!.length}`)
  return { calls: node.calledMethods.length - calls, bytes: node.byteCount - bytes, counts: counts.join(', ') }
}

test(`${REST_MS / 1_000} s without a block or request cost few calls and bytes`, async () => {
  const { calls, bytes, counts } = await costOf(() => sleep(REST_MS))
  expect(calls, counts).toBeLessThanOrEqual(MAX_REST_CALLS)
  expect(bytes, counts).toBeLessThanOrEqual(MAX_REST_BYTES)
}, 60_000)

test('one quote per minute for an hour stays within the budget, including polls', async () => {
  const { calls, bytes, counts } = await costOf(async () => {
    for (let k = 0; k < QUOTES; k++) await quote()
  })
  expect(calls, counts).toBeLessThanOrEqual(MAX_HOUR_CALLS - HOUR_OF_POLLS)
  expect(bytes, counts).toBeLessThanOrEqual(MAX_HOUR_BYTES)
}, 240_000)

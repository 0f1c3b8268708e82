/** Tests that searches in threads and on the main thread give the same answers. */
import type { Devnet } from '@sluice/devnet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RunningServer } from '../src/index.ts'
import { startChain, startOver } from './src/devnet.ts'
import { ask } from './src/service.ts'

let devnet: Devnet
let inline: RunningServer
let threaded: RunningServer

beforeAll(async () => {
  devnet = await startChain()
  inline = await startOver(devnet.url)
  // One caller sends all requests at once. With the default maximum wait of 2 s, a busy machine refuses the last ones with 503.
  const patient = { MAX_QUEUED: '100', MAX_WAIT_MS: '60000' }
  threaded = await startOver(devnet.url, { ROUTE_INLINE_POOLS: '0', ROUTE_THREADS: '2', ...patient })
})
afterAll(async () => {
  await inline?.close()
  await threaded?.close()
  await devnet?.stop()
})

const swap = async (server: RunningServer, change: Record<string, string>) => {
  const { tokens, accounts } = devnet.info
  const [src, dst] = [tokens.WETH!.address, tokens.USDC!.address]
  const query = { src, dst, amount: `${10n ** 18n}`, from: accounts[0]!.address, deadline: '4000000000', ...change }
  const { status, text } = await ask(`${server.url}/aggregator/31337?${new URLSearchParams(query)}`)
  const { requestId: _, ...body } = JSON.parse(text)
  return { status, body }
}

test('concurrent requests get the same transactions and refusals with threads as without', {
  timeout: 240_000,
}, async () => {
  const { tokens } = devnet.info
  const changes = [
    {},
    { amount: `${10n ** 21n}`, maxPriceImpact: '100' },
    { includeSources: 'uniswap-v2' },
    { includeSources: 'nothing' },
    { amount: `${2n ** 120n}` },
    ...Object.values(tokens).flatMap(({ address }, k) =>
      [{ dst: address }, { src: address, dst: tokens.USDC!.address, amount: '1000000' }].filter(
        // Without LONG: every fifth token, in one direction.
        (_, direction) => process.env.LONG || k % 10 === 5 * direction,
      ),
    ),
  ]
  // Query both services first, so both know the same pools.
  for (const change of changes) await Promise.all([swap(threaded, change), swap(inline, change)])
  const answers = await Promise.all(changes.map((change) => swap(threaded, change)))
  expect(new Set(answers.map(({ status }) => status)).size).toBeGreaterThan(1)
  for (const [index, change] of changes.entries()) {
    const inlineSwap = await swap(inline, change)
    expect(answers[index], JSON.stringify(change)).toEqual(inlineSwap)
  }
})

/** A token that is asked for while the blocks that made its first pool are being read. */
import { toAddress } from '@sluice/chains'
import { NodeProxy } from '@sluice/devnet'
import { createRpc } from '@sluice/rpc'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMarket } from '../src/index.ts'
import { addPair, addPool, type Fixture, startFixture } from './fixture.ts'

const E18 = 10n ** 18n

let f: Fixture
beforeAll(async () => {
  f = await startFixture(3)
})
afterAll(() => f?.stop())

test('its pool is found, although factories were asked at the block before', async () => {
  const [hub, known, stranger] = f.tokens
  const [reading, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let slow: string | undefined
  const proxy = await NodeProxy.start(f.anvil.url, async ({ method, params }) => {
    if (method !== 'eth_call' || !slow || !JSON.stringify(params).includes(slow)) return undefined
    reading.resolve()
    await release.promise
    return undefined
  })
  const rpc = createRpc({ chainId: 31337, urls: [proxy.url] })
  const market = createMarket({ chain: f.chain, rpc })
  try {
    await market.sync()
    await market.ensure([toAddress(known!.address)])
    const before = market.snapshot().block.number
    await addPair(f, hub!, stranger!, 1_000n * E18, 2_000n * E18)
    const pair = toAddress(await f.v2Factory.read<string>('getPair', [hub!.address, stranger!.address]))
    // A pool of tokens that are wanted is read before the block is taken in; that takes its time here.
    await addPool(f, hub!, known!, 3_000, 1n << 96n)
    slow = (await f.rpc.getBlock('latest'))!.hash
    const following = market.sync()
    await reading.promise
    const asked = await market.ensure([toAddress(stranger!.address)])
    expect(asked.block.number).toBe(before)
    release.resolve()
    const { pools, block } = await following
    expect(block.number).toBeGreaterThan(before)
    expect(pools.get(pair)?.state).toBeDefined()
    expect((await market.ensure([toAddress(stranger!.address)])).pools.has(pair)).toBe(true)
  } finally {
    await market.stop()
    rpc.close()
    await proxy.stop()
  }
}, 30_000)

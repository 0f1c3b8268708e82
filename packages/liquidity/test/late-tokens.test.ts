/** A token that is requested while the market reads the blocks in which its first pool was created. */
import { PairLens__factory } from '@sluice/bindings'
import { toAddress } from '@sluice/chains'
import { NodeProxy } from '@sluice/devnet'
import { createRpc } from '@sluice/rpc'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMarket } from '../src/index.ts'
import { addPair, addPool, type Fixture, NEVER, startFixture } from './fixture.ts'

const E18 = 10n ** 18n

let f: Fixture
beforeAll(async () => {
  f = await startFixture(4)
})
afterAll(() => f?.stop())

test('its pool is found, although factories were read at the block before', async () => {
  const [hub, firstToken, newToken] = f.tokens
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
    await market.ensure([toAddress(firstToken!.address)])
    const before = market.snapshot().block.number
    await addPair(f, hub!, newToken!, 1_000n * E18, 2_000n * E18)
    const pair = toAddress(await f.v2Factory.read<string>('getPair', [hub!.address, newToken!.address]))
    // A pool of tokens that are wanted is read before the block is taken in; that takes its time here.
    await addPool(f, hub!, firstToken!, 3_000, 1n << 96n)
    slow = (await f.rpc.getBlock('latest'))!.hash
    const following = market.sync()
    await reading.promise
    const snapshot = await market.ensure([toAddress(newToken!.address)])
    expect(snapshot.block.number).toBe(before)
    release.resolve()
    const { pools, block } = await following
    expect(block.number).toBeGreaterThan(before)
    expect(pools.get(pair)?.state).toBeDefined()
    expect((await market.ensure([toAddress(newToken!.address)])).pools.has(pair)).toBe(true)
  } finally {
    await market.stop()
    rpc.close()
    await proxy.stop()
  }
}, 30_000)

test('new blocks are processed while pools of a token are read, and the pools are as recent as those blocks', async () => {
  const [hub, firstToken, , newToken] = f.tokens
  await addPair(f, hub!, firstToken!, 1_000n * E18, 2_000n * E18)
  await addPair(f, hub!, newToken!, 1_000n * E18, 3_000n * E18)
  const { selector } = PairLens__factory.createInterface().getFunction('reserves')
  const [reading, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let holds = false
  const proxy = await NodeProxy.start(f.anvil.url, async ({ method, params }) => {
    if (!holds || method !== 'eth_call') return undefined
    if (!(params[0] as { data: string }).data.includes(selector.slice(2))) return undefined
    // The first alone: what is read of later blocks is not held up.
    holds = false
    reading.resolve()
    await release.promise
    return undefined
  })
  // Longer than the test, so that no request is repeated.
  const rpc = createRpc({ chainId: 31337, urls: [proxy.url], timeoutMs: 60_000 })
  const market = createMarket({ chain: f.chain, rpc })
  const swap = (token: string) =>
    f.v2Router.send('swapExactTokensForTokens', [E18, 0n, [hub!.address, token], f.me, NEVER])
  try {
    await market.ensure([firstToken!.address])
    const before = market.snapshot().block.number
    holds = true
    const request = market.ensure([newToken!.address])
    await reading.promise
    await swap(firstToken!.address)
    const next = await market.sync()
    expect(next.block.number).toBe(before + 1)
    await swap(newToken!.address)
    const { pools } = await market.sync()
    const pair = toAddress(await f.v2Factory.read<string>('getPair', [hub!.address, newToken!.address]))
    expect(pools.has(pair)).toBe(true)
    release.resolve()
    const { pools: late } = await request
    expect(late.get(pair)).toEqual(pools.get(pair))
    const fresh = createMarket({ chain: f.chain, rpc: f.rpc })
    const read = await fresh.ensure([firstToken!.address, newToken!.address])
    expect(late.get(pair)).toEqual(read.pools.get(pair))
    await fresh.stop()
  } finally {
    release.resolve()
    await market.stop()
    rpc.close()
    await proxy.stop()
  }
}, 30_000)

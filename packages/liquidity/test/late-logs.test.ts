/** Tests a node that reports a block before it has indexed its logs. */
import { type Hex, toAddress } from '@sluice/chains'
import { NodeProxy } from '@sluice/devnet'
import { createRpc } from '@sluice/rpc'
import { id } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMarket } from '../src/index.ts'
import { mayContain } from '../src/market/block-logs.ts'
import { addPair, type Fixture, startFixture } from './fixture.ts'

const E18 = 10n ** 18n
const SYNC = id('Sync(uint112,uint112)') as Hex
const MINT = id('Mint(address,uint256,uint256)') as Hex

let f: Fixture
let pair: string
beforeAll(async () => {
  f = await startFixture(2)
  const [a, b] = f.tokens
  await addPair(f, a!, b!, 1_000n * E18, 2_000n * E18)
  pair = await f.v2Factory.read<string>('getPair', [a!.address, b!.address])
})
afterAll(() => f?.stop())

const donate = async () => {
  await f.tokens[0]!.send('transfer', [pair, E18])
  await f.request('eth_sendTransactionSync', [
    { from: f.me, to: pair, data: id('sync()').slice(0, 10), gas: '0x30d40' },
  ])
}

test('the bloom filter of a block holds the topics of its logs', async () => {
  await donate()
  const { logsBloom } = (await f.rpc.getBlock('latest'))!
  expect(mayContain(logsBloom!, SYNC)).toBe(true)
  expect(mayContain(logsBloom!, MINT)).toBe(false)
})

test('an empty log response that contradicts the bloom filter is requested again', async () => {
  let withheld = 0
  let late = false
  const proxy = await NodeProxy.start(f.anvil.url, ({ method }) => {
    if (method !== 'eth_getLogs' || !late || withheld === 2) return undefined
    withheld++
    return { result: [] }
  })
  const rpc = createRpc({ chainId: 31337, urls: [proxy.url] })
  const market = createMarket({ chain: f.chain, rpc })
  try {
    await market.sync()
    await market.ensure(f.tokens.map(({ address }) => address))
    late = true
    const before = market.snapshot().pools.get(toAddress(pair))!
    await donate()
    const after = (await market.sync()).pools.get(toAddress(pair))!
    expect(withheld).toBe(2)
    expect(after.state).not.toEqual(before.state)
  } finally {
    await market.stop()
    rpc.close()
    await proxy.stop()
  }
})

test('a block whose logs the node has lost does not stop the market', async () => {
  /** Hash and number of the block. */
  let lostBlock: readonly string[] = []
  const proxy = await NodeProxy.start(f.anvil.url, ({ method, params }) =>
    method === 'eth_getLogs' && lostBlock.some((text) => JSON.stringify(params).includes(`"${text}"`))
      ? { error: { code: -32000, message: 'failed to get logs for block #1 (0x11…11)' } }
      : undefined,
  )
  const rpc = createRpc({ chainId: 31337, urls: [proxy.url] })
  const market = createMarket({ chain: f.chain, rpc })
  try {
    await market.sync()
    await market.ensure(f.tokens.map(({ address }) => address))
    const before = market.snapshot().pools.get(toAddress(pair))!
    await donate()
    const { hash, number } = (await f.rpc.getBlock('latest'))!
    lostBlock = [hash, `0x${number.toString(16)}`]
    const after = (await market.sync()).pools.get(toAddress(pair))!
    expect(after.state).not.toEqual(before.state)
    await donate()
    expect((await market.sync()).pools.get(toAddress(pair))!.state).not.toEqual(after.state)
  } finally {
    await market.stop()
    rpc.close()
    await proxy.stop()
  }
})

test('logs that appear seconds late are found at the next blocks', async () => {
  let isLate = false
  const proxy = await NodeProxy.start(f.anvil.url, ({ method }) =>
    method === 'eth_getLogs' && isLate ? { result: [] } : undefined,
  )
  const rpc = createRpc({ chainId: 31337, urls: [proxy.url] })
  const market = createMarket({ chain: f.chain, rpc })
  const other = createMarket({ chain: f.chain, rpc: f.rpc })
  const tokens = f.tokens.map(({ address }) => address)
  const id = toAddress(pair)
  try {
    await market.sync()
    await market.ensure(tokens)
    isLate = true
    await donate()
    const wrong = (await market.sync()).pools.get(id)
    await other.sync()
    const right = (await other.ensure(tokens)).pools.get(id)
    expect(wrong!.state).not.toEqual(right!.state)
    isLate = false
    await expect
      .poll(
        async () => {
          await f.request('evm_mine')
          return (await market.sync()).pools.get(id)!.state
        },
        { timeout: 30_000 },
      )
      .toEqual(right!.state)
    expect(market.snapshot().changedIds).toContain(id)
  } finally {
    await market.stop()
    await other.stop()
    rpc.close()
    await proxy.stop()
  }
})

/** Reading: the number of calls it takes, that any node will do for it, and that assumed fees are measured first. */
import { type Chain, toAddress } from '@sluice/chains'
import { createBuilder, type Interceptor, NodeProxy } from '@sluice/devnet'
import { createRpc } from '@sluice/rpc'
import { id } from 'ethers'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createMarket, type Snapshot } from '../src/index.ts'
import { PAIR_FEE_LENS } from '../src/lenses.ts'
import { sqrtRatioAtTick } from '../src/math/ticks.ts'
import { addPair, addPool, addPosition, type Fixture, startFixture } from './fixture.ts'
import { compileModels } from './models/compile.ts'

const E18 = 10n ** 18n
let f: Fixture
let stop: (() => Promise<void>)[] = []
beforeAll(async () => {
  f = await startFixture(3)
  const [a, b, c] = f.tokens
  await addPair(f, a!, b!, 1_000n * E18, 2_000n * E18)
  await addPair(f, b!, c!, 500n * E18, 300n * E18)
  await addPool(f, a!, b!, 500, sqrtRatioAtTick(0))
  const pool = { token0: a!, token1: b!, fee: 500 }
  for (let i = 1; i <= 20; i++)
    await addPosition(f, pool, { tickLower: -100 * i, tickUpper: 100 * i, amount0: E18, amount1: E18 })
})
afterAll(() => f?.stop())
afterEach(async () => {
  for (const each of stop) await each()
  stop = []
})

async function start(chain: Chain, intercept: Interceptor = () => undefined) {
  const proxy = await NodeProxy.start(f.anvil.url, intercept)
  const rpc = createRpc({ chainId: 31337, urls: [proxy.url] })
  const market = createMarket({ chain, rpc })
  stop.push(async () => {
    await market.stop()
    rpc.close()
    await proxy.stop()
  })
  await market.sync()
  return { proxy, rpc, market }
}

/** All pools at the node's head, and the calls that reading them took. */
async function read(chain: Chain, intercept?: Interceptor): Promise<{ snapshot: Snapshot; calls: number }> {
  const { proxy, rpc, market } = await start(chain, intercept)
  // The features of the endpoint are probed once, not for each token.
  await rpc.call({ to: f.tokens[0]!.address, data: '0x' }, 'latest', { overrides: {} }).catch(() => undefined)
  const before = proxy.calledMethods.length
  const snapshot = await market.ensure(f.tokens.map(({ address }) => address))
  return { snapshot, calls: proxy.calledMethods.slice(before).filter((method) => method === 'eth_call').length }
}
const only = (family: string): Chain => ({ ...f.chain, dexes: f.chain.dexes.filter((row) => row.family === family) })
const sorted = ({ pools }: Snapshot) => [...pools.values()].sort((a, b) => (a.id < b.id ? -1 : 1))

test('a new token is checked in one call, and quotable after two more for Uniswap V2 and three for V3', async () => {
  const v2 = await read(only('uniswap-v2'))
  expect([v2.snapshot.pools.size, v2.calls]).toEqual([2, 3])
  const v3 = await read(only('uniswap-v3'))
  expect(v3.snapshot.pools.size).toBe(1)
  expect(v3.calls).toBeLessThanOrEqual(4)
})

test('a node without state overrides gives the same result', async () => {
  const plain = await read(f.chain, (request) => {
    if (request.method === 'eth_call' && request.params.length > 2)
      return { error: { code: -32602, message: 'too many arguments, want at most 2' } }
    return undefined
  })
  const able = await read(f.chain)
  expect(plain.snapshot.pools.size).toBe(3)
  expect(sorted(plain.snapshot)).toEqual(sorted(able.snapshot))
})

describe('an assumed fee', () => {
  const assumed = (feePpm: number): Chain => ({
    ...f.chain,
    dexes: f.chain.dexes
      .filter(({ family }) => family === 'uniswap-v2')
      .map((row) => ({ ...row, feePpm, feeBasis: 'assumed' })),
  })

  test('is measured at the pair before it is used', async () => {
    const { snapshot } = await read(assumed(9_999))
    expect(snapshot.pools.size).toBe(2)
    for (const { state, fixed } of snapshot.pools.values()) {
      expect(state).toMatchObject({ feePpm: 3_000 })
      expect(fixed).toEqual({ feePpm: 3_000, block: snapshot.block.number })
    }
  })

  test('is measured although the pair received tokens without a sync', async () => {
    const [a, b] = f.tokens
    const pair = await f.v2Factory.read<string>('getPair', [a!.address, b!.address])
    for (const token of [a!, b!]) await token.send('transfer', [pair, 3n * E18])
    const { snapshot } = await read(assumed(1))
    expect(snapshot.pools.get(toAddress(pair))?.state).toMatchObject({ feePpm: 3_000 })
  })

  test('is measured next to a pair with a token that does not state its balance', async () => {
    const secretive = await createBuilder(f.anvil.url, toAddress(f.me)).deploy(
      compileModels('Starvation.sol').SecretiveCoin as never,
      [],
    )
    const [a] = f.tokens
    await f.v2Factory.send('createPair', [a!.address, secretive.address])
    await secretive.send('hide', [await f.v2Factory.read<string>('getPair', [a!.address, secretive.address])])
    const { market } = await start(assumed(9_999))
    const { pools } = await market.ensure([...f.tokens, secretive].map(({ address }) => toAddress(address)))
    expect([...pools.values()].map(({ state }) => state)).toMatchObject([{ feePpm: 3_000 }, { feePpm: 3_000 }])
  })

  test('excludes the pair if it cannot be measured', async () => {
    const plain: Interceptor = ({ method, params }) =>
      method === 'eth_call' && params.length > 2
        ? { error: { code: -32602, message: 'too many arguments' } }
        : undefined
    expect((await read(assumed(3_000), plain)).snapshot.pools.size).toBe(0)
  })
  test('that cannot be measured is retried at growing intervals, regardless of changes of the pair', async () => {
    const [a, , c] = f.tokens
    // Too little for a fee to show through the rounding.
    await addPair(f, a!, c!, 10_000n, 10_000n)
    const pair = toAddress(await f.v2Factory.read<string>('getPair', [a!.address, c!.address]))
    let attempts = 0
    const { market } = await start(assumed(3_000), ({ method, params }) => {
      if (method === 'eth_call' && JSON.stringify(params).includes(PAIR_FEE_LENS.to.slice(2))) attempts++
      return undefined
    })
    await market.ensure(f.tokens.map(({ address }) => address))
    // More than is estimated: the pair also writes its price, should a second pass before the block.
    const sync = { from: f.me, to: pair, data: id('sync()').slice(0, 10), gas: '0x30d40' }
    const atBlock: boolean[] = []
    for (let block = 0; block < 16; block++) {
      const before = attempts
      await f.request('eth_sendTransactionSync', [sync])
      expect((await market.sync()).pools.has(pair)).toBe(false)
      atBlock.push(attempts > before)
    }
    // After one block, two, four and eight.
    expect(atBlock.flatMap((tried, block) => (tried ? [block] : []))).toEqual([0, 2, 6, 14])
  })
})

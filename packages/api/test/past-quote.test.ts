/**
 * Tests quotes at past blocks on the local chain: they equal the quotes given when the block was the newest, even if pools, tokens
 * or contracts have changed since.
 */
import { NATIVE } from '@sluice/chains'
import { createBuilder, type Devnet, type DevnetPool, loadArtifact } from '@sluice/devnet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RunningServer } from '../src/index.ts'
import { request, startChain, startOver } from './src/devnet.ts'
import { ask, warmUp } from './src/service.ts'
import { deployToken } from './src/tokens.ts'

let local: { readonly devnet: Devnet; readonly server: RunningServer }
const rpc = <T>(method: string, ...params: unknown[]) => request<T>(local.devnet.url, method, ...params)
/** Starts a service with long timeouts for slow machines. */
const serve = (url: string) => startOver(url, { RPC_TIMEOUT_MS: '30000' })
beforeAll(async () => {
  const devnet = await startChain()
  local = { devnet, server: await serve(devnet.url) }
})
afterAll(async () => {
  await local?.server.close()
  await local?.devnet.stop()
})

/** Maximum requests of a quote while pools of its tokens are still being found. */
const MAX_ASKED = 20
const APPROVE = ['function approve(address,uint256)', 'function deposit() payable']
/** Size in USD of a trade that moves a pool. */
const MOVE_USD = 3_000
const SEED = 20_261_127
/** Queries of each family's pools alone, and of random pairs over all pools. */
const [OWN, RANDOM] = process.env.LONG ? [2, 14] : [1, 4]
/** Pools that must have moved before a past block is quoted. */
const MIN_MOVED = process.env.LONG ? 60 : 10
/** Concurrent requests of past blocks. */
const BURST = process.env.LONG ? 40 : 16

type Body = Record<string, unknown> & {
  readonly code?: string
  readonly error?: string
  readonly toAmount?: string
  readonly fromAmount?: string
  readonly simulationBlock?: number
  readonly blockHash?: string
  readonly swaps?: readonly Readonly<Record<'pool' | 'protocol' | 'amountIn' | 'amountOut', string>>[]
  readonly tx?: { readonly to: string; readonly data: string; readonly value: string }
}
type Query = Record<string, string>

async function get(path: string, query: Query, server: RunningServer = local.server): Promise<Body> {
  for (let round = 1; ; round++) {
    const { status, text } = await ask(`${server.url}${path}/31337?${new URLSearchParams(query)}`)
    const body: Body = { status, ...JSON.parse(text) }
    if (!body.poolsPending || round === MAX_ASKED) return body
  }
}

/** Returns the amounts and the route, or the error. Omits gas of legs, which background measurements may change. */
function figures({ code, fromAmount, toAmount, blockHash, quoteId, swaps }: Body): object {
  const legs = swaps?.map(({ pool, amountIn, amountOut }) => `${pool} ${amountIn} ${amountOut}`)
  return { code, fromAmount, toAmount, blockHash, quoteId, legs }
}

/** Creates a seeded random number generator. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
const random = randomFrom(SEED)

const addressOf = (symbol: string): string => (symbol === 'ETH' ? NATIVE : local.devnet.info.tokens[symbol]!.address)
const usable = (pool: DevnetPool) => pool.tokens.every((symbol) => symbol === 'ETH' || local.devnet.info.tokens[symbol])

/** Converts USD to base units of a token; undefined if it has no price. */
async function amountOf(token: string, usd: number): Promise<string | undefined> {
  const price = (await get('/prices', { token }))[token] as number | null
  if (!price) return undefined
  const tokenInfo = Object.values(local.devnet.info.tokens).find(({ address }) => address === token)
  const units = 10n ** BigInt(tokenInfo?.decimals ?? 18)
  const amount = (BigInt(Math.round((usd / price) * 1e6)) * units) / 1_000_000n
  return amount > 0n ? `${amount}` : undefined
}

/** Returns queries per family that use only its pools, and random pairs over all pools. */
async function randomQueries(): Promise<readonly Query[]> {
  const queries: Query[] = []
  const { pools } = local.devnet.info
  for (const [family, familyPools] of Map.groupBy(pools.filter(usable), (pool) => pool.family)) {
    for (let k = 0; k < OWN; k++) {
      const pool = familyPools[random(familyPools.length)]!
      const side = random(2)
      const [src, dst] = [pool.tokens[side]!, pool.tokens[1 - side]!].map(addressOf) as [string, string]
      const amount = await amountOf(src, 50 + random(20_000))
      if (amount) queries.push({ src, dst, amount, includeSources: family })
    }
  }
  const symbols = ['ETH', ...Object.keys(local.devnet.info.tokens)]
  for (let k = 0; k < RANDOM; k++) {
    const src = addressOf(symbols[random(symbols.length)]!)
    const dst = addressOf(symbols[random(symbols.length)]!)
    const amount = await amountOf(src, 10 + random(100_000))
    if (amount && src !== dst) queries.push({ src, dst, amount, ...(k % 3 === 0 && { maxHops: '2' }) })
  }
  return queries
}

/**
 * Trades in pools of the local chain.
 *
 * @param isMoved - selects pools by their ids
 * @returns ids of the pools in which the trade succeeded
 */
async function movePools(isMoved: (id: string) => boolean): Promise<readonly string[]> {
  const { info, url } = local.devnet
  const from = info.accounts[0]!.address
  const builder = createBuilder(url, from)
  for (const { address } of Object.values(info.tokens))
    await builder
      .contractAt(APPROVE, address)
      .send('approve', [info.guard, 2n ** 200n])
      .catch(() => {})
  await builder.contractAt(APPROVE, info.tokens.WETH!.address).send('deposit', [], 50n * 10n ** 18n)
  const idOf = (pool: DevnetPool) => (pool.id ?? pool.address).toLowerCase()
  const moved: string[] = []
  for (const pool of info.pools.filter((pool) => usable(pool) && isMoved(idOf(pool)))) {
    const [src, dst] = [pool.tokens[0]!, pool.tokens[1]!].map(addressOf) as [string, string]
    const amount = await amountOf(src, MOVE_USD)
    if (!amount) continue
    const excludePools = info.pools
      .map(idOf)
      .filter((id) => id !== idOf(pool))
      .slice(0, 200)
      .join()
    const terms = { maxHops: '1', maxPriceImpact: '100', slippage: '50', intermediates: 'any', excludePools }
    const { tx, gasEstimate } = await get('/aggregator', { src, dst, amount, from, ...terms })
    if (!tx) continue
    const gas = `0x${(BigInt(gasEstimate as string) * 2n).toString(16)}`
    const value = `0x${BigInt(tx.value).toString(16)}`
    const { status } = await rpc<{ status: string }>('eth_sendTransactionSync', { from, ...tx, value, gas })
    if (status === '0x1') moved.push(idOf(pool))
  }
  return moved
}

const headNumber = async () => Number(await rpc<string>('eth_blockNumber'))

describe('a quote of a past block', () => {
  let queries: readonly Query[]
  let block: number
  let requests: readonly Body[]
  let later: RunningServer

  beforeAll(async () => {
    const { USDC, WETH } = local.devnet.info.tokens
    await warmUp(local.server.url, `/quote/31337?src=${WETH!.address}&dst=${USDC!.address}&amount=1000000000000000000`)
    queries = await randomQueries()
    for (const query of queries) await get('/quote', query)
    for (const { src, dst, amount } of queries)
      await warmUp(local.server.url, `/quote/31337?src=${src}&dst=${dst}&amount=${amount}`)
    block = await headNumber()
    requests = await Promise.all(queries.map((query) => get('/quote', { ...query, gasPrice: '0' })))
    // Without LONG: one pool of each route.
    const first = new Set(requests.flatMap(({ swaps }) => swaps?.[0]?.pool ?? []))
    const moved = await movePools((id) => Boolean(process.env.LONG) || first.has(id))
    expect(moved.length, 'pools that were traded in').toBeGreaterThan(MIN_MOVED)
    // A new service has no memory of the earlier requests.
    later = await serve(local.devnet.url)
  }, 600_000)
  afterAll(() => later?.close())

  test('equals the quote that was returned at that block, to the unit, for pairs of every family', async () => {
    expect(await headNumber()).toBeGreaterThan(block + MIN_MOVED)
    const quoted = requests.filter(({ toAmount }) => toAmount)
    expect(quoted.length).toBeGreaterThan(queries.length * 0.8)
    const families = new Set(quoted.flatMap(({ swaps }) => swaps!.map(({ protocol }) => protocol)))
    expect(families.size, [...families].join()).toBeGreaterThan(13)
    let differ = 0
    for (const [k, query] of queries.entries()) {
      const past = await get('/quote', { ...query, gasPrice: '0', block: String(block) })
      const now = await get('/quote', { ...query, gasPrice: '0' })
      expect(figures(past), JSON.stringify(query)).toEqual(figures(requests[k]!))
      if (past.toAmount !== now.toAmount) differ++
    }
    expect(differ, 'quotes that differ by now').toBeGreaterThan(queries.length / 2)
  }, 300_000)

  test('is the same from a service that started after the block', async () => {
    for (const [k, query] of queries.entries()) {
      // Without LONG: every third query.
      if (!process.env.LONG && k % 3 !== 0) continue
      const past = await get('/quote', { ...query, gasPrice: '0', block: String(block) }, later)
      const { toAmount, code, blockHash } = requests[k]!
      expect([past.toAmount, past.code, past.blockHash], JSON.stringify(query)).toEqual([toAmount, code, blockHash])
    }
  }, 300_000)

  test('contains its block, and no transaction, calls, or expiry', async () => {
    const past = await get('/quote', {
      ...queries[0]!,
      from: local.devnet.info.accounts[1]!.address,
      block: `${block}`,
    })
    expect(past.simulationBlock).toBe(block)
    const { hash } = await rpc<{ hash: string }>('eth_getBlockByNumber', `0x${block.toString(16)}`, false)
    expect(past.blockHash).toBe(hash)
    for (const field of ['tx', 'calls', 'expiresAtBlock']) expect(past).not.toHaveProperty(field)
  })

  test('weighs gas with the fees of its time, or with the price that is given', async () => {
    const [query] = queries
    const { baseFeePerGas } = await rpc<{ baseFeePerGas: string[] }>(
      'eth_feeHistory',
      '0x1',
      `0x${block.toString(16)}`,
      [],
    )
    const past = await get('/quote', { ...query!, block: `${block}` })
    const { native } = past.gasCost as { native: string }
    const charged = BigInt(past.gasCharged as string)
    expect(BigInt(native) / charged).toBeGreaterThanOrEqual(BigInt(baseFeePerGas[1]!))
    const expensive = await get('/quote', { ...query!, block: `${block}`, gasPrice: '77000000000' })
    expect(BigInt((expensive.gasCost as { native: string }).native)).toBe(
      BigInt(expensive.gasCharged as string) * 77_000_000_000n,
    )
  })

  test('supports exact output', async () => {
    const { USDC, WETH } = local.devnet.info.tokens
    const query = { src: USDC!.address, dst: WETH!.address, amountOut: `${10n ** 18n}`, block: `${block}` }
    const [first, again] = [await get('/quote', query), await get('/quote', query, later)]
    expect(first).toMatchObject({ simulationBlock: block, minToAmount: `${10n ** 18n}` })
    expect(again.fromAmount).toBe(first.fromAmount)
  })
})

/** Sets contract codes between two new blocks, because the node adds them to the state of the current newest block. */
async function setCodes(codes: Readonly<Record<string, string>>): Promise<void> {
  await rpc('evm_mine')
  for (const [address, code] of Object.entries(codes)) await rpc('anvil_setCode', address, code)
  await rpc('evm_mine')
}

describe('pools and contracts that appear or disappear', () => {
  const WHOLE = 10n ** 18n

  test('a pool or token created later is not used', async () => {
    const { info, url } = local.devnet
    const builder = createBuilder(url, info.accounts[2]!.address)
    const [link, usdc] = [info.tokens.LINK!, info.tokens.USDC!]
    const query = { src: link.address, dst: usdc.address, amount: `${100n * WHOLE}`, gasPrice: '0' }
    const before = await headNumber()
    await warmUp(local.server.url, `/quote/31337?${new URLSearchParams(query)}`)
    const then = await get('/quote', query)
    const uniswap = (name: string, address: string) =>
      builder.contractAt(loadArtifact(`@uniswap/v2-core/build/${name}.json`).abi, address)
    const factory = uniswap('UniswapV2Factory', info.routers.uniswapV2Factory!)
    await factory.send('createPair', [link.address, usdc.address])
    const pair = uniswap('UniswapV2Pair', await factory.read<string>('getPair', [link.address, usdc.address]))
    const mint = ['function mint(address,uint256)']
    await builder.contractAt(mint, link.address).send('mint', [pair.address, 1_000_000n * WHOLE])
    await builder.contractAt(mint, usdc.address).send('mint', [pair.address, 10n ** 14n])
    await pair.send('mint', [builder.from])
    const fresh = await deployToken(local.devnet, 'NamedToken', ['Later', 'LATER'])
    const now = await get('/quote', query)
    expect(now.swaps!.map(({ pool }) => pool)).toContain(pair.address)
    const past = await get('/quote', { ...query, block: `${before}` })
    expect(past.swaps!.map(({ pool }) => pool)).not.toContain(pair.address)
    expect(figures(past)).toEqual(figures(then))
    const ofFresh = { src: fresh.address, dst: usdc.address, amount: `${WHOLE}` }
    expect((await get('/quote', ofFresh)).status).toBe(200)
    const unknown = await get('/quote', { ...ofFresh, block: `${before}` })
    expect(unknown).toMatchObject({ status: 422 })
    expect(['UNKNOWN_TOKEN', 'NO_ROUTE']).toContain(unknown.code)
  })

  test('a pool that was removed since is used', async () => {
    const { tokens } = local.devnet.info
    const query = { src: tokens.WETH!.address, dst: tokens.DAI!.address, amount: `${20n * WHOLE}`, gasPrice: '0' }
    await warmUp(local.server.url, `/quote/31337?${new URLSearchParams(query)}`)
    const then = await get('/quote', query)
    const before = await headNumber()
    const [gone] = then.swaps!.filter(({ pool, protocol }) => pool.length === 42 && protocol !== 'balancer-v2')
    const code = await rpc<string>('eth_getCode', gone!.pool, 'latest')
    await setCodes({ [gone!.pool]: '0x' })
    const without = await headNumber()
    const past = await get('/quote', { ...query, block: `${before}` })
    expect(figures(past)).toEqual(figures(then))
    const lacking = await get('/quote', { ...query, block: `${without}` })
    expect(lacking.swaps!.map(({ pool }) => pool)).not.toContain(gone!.pool)
    expect(BigInt(lacking.toAmount!)).toBeLessThan(BigInt(then.toAmount!))
    await setCodes({ [gone!.pool]: code })
  })

  test('a Guard that did not exist yet does not prevent a quote', async () => {
    const { guard, executor, tokens } = local.devnet.info
    const codes = await Promise.all([guard, executor].map((it) => rpc<string>('eth_getCode', it, 'latest')))
    await setCodes({ [guard]: '0x', [executor]: '0x' })
    const before = await headNumber()
    // Both requests need the same deadline, because each zero byte of calldata costs 12 gas less.
    const deadline = `${Math.floor(Date.now() / 1000) + 86_400}`
    const query = { src: tokens.WETH!.address, dst: tokens.USDC!.address, amount: `${WHOLE}`, deadline }
    const fresh = await serve(local.devnet.url)
    try {
      expect(await get('/quote', query, fresh)).toMatchObject({ code: 'GUARD_NOT_DEPLOYED' })
      // The contracts exist at neither block, so the simulation runs their constructors.
      const quote = await get('/quote', { ...query, block: `${before}` }, fresh)
      expect(quote, JSON.stringify(quote)).toMatchObject({ status: 200, simulationBlock: before })
      await setCodes({ [guard]: codes[0]!, [executor]: codes[1]! })
      const past = await get('/quote', { ...query, block: `${before}` })
      expect([past.toAmount, past.gasEstimate]).toEqual([quote.toAmount, quote.gasEstimate])
    } finally {
      await fresh.close()
    }
  })
})

describe('requests that cannot be answered', () => {
  const query = () => {
    const { USDC, WETH } = local.devnet.info.tokens
    return { src: WETH!.address, dst: USDC!.address, amount: '1000000000000000000' }
  }

  test('a block whose state the node has pruned or does not have yet', async () => {
    // The node was started from a snapshot of its last block.
    const pruned = await get('/quote', { ...query(), block: '0' })
    expect(pruned).toMatchObject({ status: 422, code: 'NO_STATE' })
    const ahead = await get('/quote', { ...query(), block: `${(await headNumber()) + 1}` })
    expect(ahead).toMatchObject({ status: 400, code: 'INVALID_PARAMETER' })
    expect(ahead.error).toContain('block')
  })

  test.each(['-1', '', 'latest', '1.5', '0x10', '1e3', `1${'0'.repeat(16)}`])('block=%s', async (block) => {
    const refused = await get('/quote', { ...query(), block })
    expect(refused).toMatchObject({ status: 400, code: 'INVALID_PARAMETER' })
    expect(refused.error).toContain('block')
  })

  test('a transaction of the past, on any endpoint, or parameters of one', async () => {
    const block = `${await headNumber()}`
    const from = local.devnet.info.accounts[0]!.address
    for (const path of ['/aggregator', '/stream', '/permit'])
      expect(await get(path, { ...query(), from, block }), path).toMatchObject({
        ...(path === '/permit' ? { status: 200 } : { status: 400, code: 'INVALID_PARAMETER' }),
      })
    expect(await get('/stream', { ...query(), block })).toMatchObject({ status: 400, code: 'INVALID_PARAMETER' })
    for (const sender of [{}, { from }]) {
      const body = JSON.stringify({ quotes: [{ ...query(), block, ...sender }] })
      const headers = { 'content-type': 'application/json' }
      const { text } = await ask(`${local.server.url}/quotes/31337`, { method: 'POST', headers, body })
      expect(JSON.parse(text).quotes[0]).toMatchObject({ code: 'INVALID_PARAMETER' })
    }
    for (const [name, value] of Object.entries({ minimumBlock: '1', calls: '1' })) {
      const refused = await get('/quote', { ...query(), from, block, [name]: value })
      expect(refused).toMatchObject({ status: 400, code: 'INVALID_PARAMETER' })
      expect(refused.error).toContain(name)
    }
  })

  test('many concurrent past blocks are answered, or refused with Retry-After', async () => {
    const block = await headNumber()
    const answers = await Promise.all(
      Array.from({ length: BURST }, (_, k) => get('/quote', { ...query(), block: `${block - (k % 6)}` })),
    )
    const statuses = answers.map(({ status }) => status as number)
    expect(
      statuses.every((status) => [200, 503, 504].includes(status)),
      statuses.join(),
    ).toBe(true)
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(0)
    expect(await get('/quote', query())).toMatchObject({ status: 200 })
  }, 120_000)
})

/** Tests drift statistics in /stats and /metrics against the effect of real blocks. */
import { type Contract, createBuilder, type Devnet, loadArtifact } from '@sluice/devnet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RunningServer } from '../src/index.ts'
import type { StatsResponse } from '../src/stats-response.ts'
import { request, startChain, startOver } from './src/devnet.ts'
import { ask } from './src/service.ts'
import { deployToken } from './src/tokens.ts'

const WHOLE = 10n ** 18n
const DEADLINE_MS = 15_000
let devnet: Devnet
let server: RunningServer
let token: Contract
let pair: Contract
let weth: Contract
beforeAll(async () => {
  devnet = await startChain()
  server = await startOver(devnet.url, { DRIFT_SAMPLE_PERCENT: '100' })
  token = await deployToken(devnet, 'NamedToken', ['Drift', 'DRIFT'], 1_000n)
  const builder = createBuilder(devnet.url, devnet.info.accounts[7]!.address)
  const uniswap = (name: string, address: string) =>
    builder.contractAt(loadArtifact(`@uniswap/v2-core/build/${name}.json`).abi, address)
  const factory = uniswap('UniswapV2Factory', devnet.info.routers.uniswapV2Factory!)
  pair = uniswap(
    'UniswapV2Pair',
    await factory.read<string>('getPair', [devnet.info.tokens.WETH!.address, token.address]),
  )
  weth = builder.contractAt(
    [
      'function deposit() payable',
      'function transfer(address,uint256)',
      'function balanceOf(address) view returns (uint256)',
    ],
    devnet.info.tokens.WETH!.address,
  )
  await weth.send('deposit', [], 200n * WHOLE)
})
afterAll(async () => {
  await server?.close()
  await devnet?.stop()
})

const mine = () => request(devnet.url, 'evm_mine')

const statsOf = async (url = server.url): Promise<StatsResponse> => JSON.parse((await ask(`${url}/stats/31337`)).text)

async function stats(samples: number) {
  const until = Date.now() + DEADLINE_MS
  for (;;) {
    const stats = await statsOf()
    if (stats.samples + stats.missed >= samples || Date.now() > until) return stats
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

async function quote(url = server.url): Promise<{ readonly toAmount: string }> {
  const query = { src: devnet.info.tokens.WETH!.address, dst: token.address, amount: `${WHOLE}`, slippage: '0.5' }
  const once = () => ask(`${url}/quote/31337?${new URLSearchParams(query)}`)
  let { status, text } = await once()
  // On a busy machine the first request may time out while the chain starts; it is not sampled.
  for (let again = 0; status === 504 && again < 5; again++) ({ status, text } = await once())
  expect(status, text).toBe(200)
  return JSON.parse(text)
}

/** Buys the token with the given amount of WETH, which makes the taker's price worse. */
async function moveAgainst(amount: bigint): Promise<void> {
  const isFirst = BigInt(weth.address) < BigInt(token.address)
  const holding = (token: Contract) => token.read<bigint>('balanceOf', [pair.address])
  const [wethBalance, tokenBalance] = await Promise.all([holding(weth), holding(token)])
  const out = (amount * 997n * tokenBalance) / (wethBalance * 1000n + amount * 997n)
  await weth.send('transfer', [pair.address, amount])
  await stats(3)
  await pair.send('swap', [isFirst ? 0n : out, isFirst ? out : 0n, pair.address.replace(/.$/, '1'), '0x'])
}

test('a chain without measurements has empty statistics, and is not woken', async () => {
  const stats = await statsOf()
  expect(stats).toMatchObject({ chainId: 31337, samplePercent: 100, samples: 0, missed: 0, pools: [] })
  expect(stats.blocks.map(({ after, samples, driftBps }) => [after, samples, driftBps.mean])).toEqual([
    [1, 0, null],
    [2, 0, null],
  ])
  expect(JSON.parse((await ask(`${server.url}/ready/31337`)).text).state).toBe('asleep')
})

test('a quote pays the same one and two blocks later if nobody trades', async () => {
  await quote()
  await mine()
  await stats(1)
  await mine()
  const { blocks, families, brands, pools } = await stats(2)
  for (const block of blocks)
    expect(block).toMatchObject({ samples: 1, wouldRevertPercent: 0, driftBps: { mean: 0, median: 0, worst5: 0 } })
  expect(families.map(({ protocol }) => protocol)).toEqual(['uniswap-v2'])
  expect(brands).toHaveLength(1)
  expect(pools).toMatchObject([{ pool: pair.address.toLowerCase(), protocol: 'uniswap-v2', blocks }])
})

test('trades in between are reported as drift, to the basis point, and as reverts if they exceed the slippage', async () => {
  const { toAmount } = await quote()
  // Two transactions are two blocks: the transfer in the first one does not change the pair's reserves.
  await moveAgainst(5n * WHOLE)
  const { blocks } = await stats(4)
  const now = await quote()
  const bps = (Number(now.toAmount) / Number(toAmount) - 1) * 10_000
  expect(bps).toBeLessThan(-50)
  expect(blocks[1]).toMatchObject({ after: 2, samples: 2, wouldRevertPercent: 50 })
  expect(blocks[1]!.driftBps.worst5).toBeCloseTo(bps, 1)
  expect(blocks[0]!.driftBps.worst5).toBe(0)
}, 60_000)

test('/metrics has the same figures, in a limited number of series', async () => {
  const { text } = await ask(`${server.url}/metrics`)
  const line = (name: string, of: string, after: number) =>
    text
      .split('\n')
      .find((one) => one.startsWith(name) && one.includes(`of="${of}"`) && one.includes(`after="${after}"`))
  expect(line('sluice_drift_samples', 'chain', 1)).toMatch(/ 2$/)
  for (const of of ['chain', 'family', 'brand', 'pool'])
    expect(line('sluice_drift_would_revert_ratio', of, 2), of).toMatch(/ 0\.5$/)
  expect(text).toMatch(/sluice_drift_bps\{.*of="family",name="uniswap-v2",after="2",figure="worst5"\} -\d/)
  expect(text).toMatch(/sluice_state_entries\{chain="31337",kind="sampledPools"\} 1/)
})

test('slippage=auto follows the measured drift of the pools, with its reason, for exact input and output', async () => {
  const [src, dst] = [devnet.info.tokens.WETH!.address, token.address]
  const get = async (query: Record<string, string>) => {
    const { text } = await ask(
      `${server.url}/quote/31337?${new URLSearchParams({ src, dst, slippage: 'auto', ...query })}`,
    )
    return JSON.parse(text)
  }
  const answer = await get({ amount: `${WHOLE}` })
  const { percent, reason } = answer.slippage
  expect(reason).toContain('measured for 1 of its 1 pool,')
  // One of the two samples lost about 1 %.
  expect(percent).toBeGreaterThan(0.2)
  expect(percent).toBeLessThanOrEqual(3)
  const ppm = BigInt(Math.round(percent * 10_000))
  expect(answer.minToAmount).toBe(`${(BigInt(answer.toAmount) * (1_000_000n - ppm)) / 1_000_000n}`)
  const wanted = await get({ amountOut: answer.minToAmount })
  expect(wanted.minToAmount).toBe(answer.minToAmount)
  expect(wanted.slippage.percent).toBeCloseTo(percent, 1)
  expect(Number(wanted.fromAmount) / Number(WHOLE)).toBeCloseTo(1, 3)
  const wrapped = await get({ src: `0x${'e'.repeat(40)}`, dst: src, amount: '1000' })
  expect(wrapped).toMatchObject({ slippage: { percent: 0.05, reason: 'wrapping moves no price' } })
  expect((await get({ amount: `${WHOLE}`, slippage: '1' })).slippage).toBeUndefined()
})

test('limits are parsed, and invalid ones are named', async () => {
  expect((await ask(`${server.url}/stats/31337?limit=x`)).text).toContain('limit must be an integer')
  const { families, pools } = JSON.parse((await ask(`${server.url}/stats/31337?limit=0`)).text)
  expect([families, pools]).toEqual([[], []])
})

test('no calls are spent if sampling is off', async () => {
  const off = await startOver(devnet.url, { DRIFT_SAMPLE_PERCENT: '0' })
  try {
    await quote(off.url)
    await mine()
    await quote(off.url)
    expect(await statsOf(off.url)).toMatchObject({ samplePercent: 0, samples: 0, missed: 0 })
  } finally {
    await off.close()
  }
})

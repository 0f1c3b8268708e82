/**
 * Tests a pool that quotes well at the head and pays less a block later: it is left out, and genuine pools are not.
 *
 * @module-tag long
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Contract, createBuilder, type Devnet } from '@sluice/devnet'
import { findRecord } from '@sluice/liquidity'
import { replayRecord } from '@sluice/quoting'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { quoteLogPath, type RunningServer } from '../src/index.ts'
import type { StatsResponse } from '../src/stats-response.ts'
import { devnetDir, request, startChain, startOver } from './src/devnet.ts'
import { ask } from './src/service.ts'
import { compiledAs, deployToken } from './src/tokens.ts'

const WHOLE = 10n ** 18n
const DEADLINE_MS = 15_000
/** Maximum samples until the fading pool is left out. */
const MAX_SAMPLES = 20
const dir = mkdtempSync(join(tmpdir(), 'sluice-lies-'))
let devnet: Devnet
let server: RunningServer
let token: Contract
let liar: Contract
let weth: string
/** Reserves that the pair holds and initially reports: twice the depth of the genuine pair, at a 3 % better price. */
const BALANCES = { weth: 2_000n * WHOLE, token: 2_060n * WHOLE }

beforeAll(async () => {
  devnet = await startChain()
  weth = devnet.info.tokens.WETH!.address
  token = await deployToken(devnet, 'NamedToken', ['Lure', 'LURE'], 1_000n)
  const builder = createBuilder(devnet.url, devnet.info.accounts[7]!.address)
  const factory = await builder.deploy(compiledAs('LyingFactory'), [weth, token.address])
  liar = builder.contractAt(compiledAs('LyingPair').abi, await factory.read<string>('pair'))
  const wrapper = builder.contractAt(['function deposit() payable', 'function transfer(address,uint256)'], weth)
  await wrapper.send('deposit', [], BALANCES.weth)
  await wrapper.send('transfer', [liar.address, BALANCES.weth])
  await token.send('mint', [liar.address, BALANCES.token])
  await claim(BALANCES.token)
  server = await startOver(devnet.url, {
    CHAINS_DIR: withDex(factory.address),
    DATA_DIR: dir,
    DRIFT_SAMPLE_PERCENT: '100',
  })
})
afterAll(async () => {
  await server?.close()
  await devnet?.stop()
  rmSync(dir, { recursive: true })
})

/** Writes the chain file of the local chain with the fading pool's factory as another fork of Uniswap V2. */
function withDex(address: string): string {
  const file = JSON.parse(readFileSync(join(devnetDir, 'chains/31337.json'), 'utf8'))
  const row = { family: 'uniswap-v2', brand: 'Lies', role: 'factory', address, feePpm: 3_000, feeBasis: 'protocol-sdk' }
  mkdirSync(join(dir, 'chains'))
  writeFileSync(join(dir, 'chains/31337.json'), JSON.stringify({ ...file, dexes: [...file.dexes, row] }))
  return join(dir, 'chains')
}

/** Mines a block in which the pair starts to report the given reserve of the token. */
function claim(reserve: bigint): Promise<unknown> {
  const isFirst = BigInt(weth) < BigInt(token.address)
  return liar.send('claim', isFirst ? [BALANCES.weth, reserve] : [reserve, BALANCES.weth])
}

const statsOf = async (): Promise<StatsResponse> => JSON.parse((await ask(`${server.url}/stats/31337?limit=100`)).text)

/** Returns the statistics once they have the given number of samples one block later. */
async function stats(samples: number): Promise<StatsResponse> {
  const until = Date.now() + DEADLINE_MS
  for (;;) {
    const stats = await statsOf()
    if (stats.blocks[0]!.samples >= samples || Date.now() > until) return stats
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

type Answer = { readonly quoteId: string; readonly toAmount: string; readonly pools: readonly string[] }

async function quote(src: string, dst: string, amount = WHOLE): Promise<Answer> {
  const { status, text } = await ask(
    `${server.url}/quote/31337?${new URLSearchParams({ src, dst, amount: `${amount}`, slippage: '0.5' })}`,
  )
  expect(status, text).toBe(200)
  const answer = JSON.parse(text)
  return { ...answer, pools: text.match(/0x[0-9a-f]{40,64}(?=")/gi)?.map((id) => id.toLowerCase()) }
}

const lured = ({ pools }: Answer) => pools.includes(liar.address.toLowerCase())
const isHonest = ({ pool }: StatsResponse['withdrawing'][number]) => pool !== liar.address.toLowerCase()

test(`gets a penalty, then is excluded, within ${MAX_SAMPLES} samples; genuine pools get neither`, async () => {
  const { USDC, DAI } = devnet.info.tokens
  let requestCount = 0
  let charged: number | undefined
  for (let sample = 1; sample <= MAX_SAMPLES; sample++) {
    await claim(BALANCES.token)
    const [bait] = await Promise.all([
      quote(weth, token.address),
      // Genuine pools are sampled in the same blocks; trades move some of them.
      quote(weth, USDC!.address),
      quote(USDC!.address, DAI!.address, 1_000_000_000n),
    ])
    requestCount += 3
    if (!lured(bait)) break
    await claim((BALANCES.token * 98n) / 100n)
    const { withdrawing } = await stats(requestCount)
    expect(withdrawing.filter(isHonest)).toEqual([])
    const [one] = withdrawing
    if (one && one.leftOutUntil === null) charged ??= one.haircutPercent
    if (one?.leftOutUntil) break
  }
  // The pool pays 2 % less, so transactions with 0.5 % slippage would revert.
  expect(charged).toBeCloseTo(2, 1)
  const { withdrawing, blocks } = await statsOf()
  expect(withdrawing).toMatchObject([
    { pool: liar.address.toLowerCase(), dex: 'Lies', haircutPercent: 100, leftOutUntil: expect.any(Number) },
  ])
  expect(blocks[0]!.samples).toBeGreaterThan(30)
  const { text } = await ask(`${server.url}/metrics`)
  expect(text).toMatch(/sluice_drift_haircut_ratio\{[^}]*dex="Lies"\} 1\n/)
}, 120_000)

test('is not used while it is excluded, and the log replays such a quote', async () => {
  await claim(BALANCES.token)
  const answer = await quote(weth, token.address)
  expect(lured(answer)).toBe(false)
  const until = Date.now() + DEADLINE_MS
  let record = null
  while (!record && Date.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 100))
    record = findRecord(quoteLogPath(dir, 31337), answer.quoteId)
  }
  const replayed = replayRecord(record!)
  expect(replayed.differences).toEqual([])
  expect(replayed.route?.legs.map(({ pool }) => pool.dex)).not.toContain('Lies')
  // The replay needs the recorded penalties to find the same route.
  expect(record!.text).toContain('"driftPenalties"')
})

test('returns by itself', async () => {
  const [one] = (await statsOf()).withdrawing
  await request(devnet.url, 'evm_setNextBlockTimestamp', one!.leftOutUntil!)
  await claim(BALANCES.token)
  expect(lured(await quote(weth, token.address))).toBe(true)
  expect((await statsOf()).withdrawing).toEqual([])
})

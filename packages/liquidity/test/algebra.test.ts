/** Deployments of Algebra whose version nobody recorded: the local chain's genuine ones of both versions, under one name. */
import { IAlgebraIntegralPoolState__factory } from '@sluice/bindings'
import { type Address, type Chain, type Hex, toAddress } from '@sluice/chains'
import { type Devnet, devnetChain, startDevnet } from '@sluice/devnet'
import { createRpc, type Log, type Rpc } from '@sluice/rpc'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { familyOf, type Pool } from '../src/index.ts'
import { createMarket } from '../src/market/market.ts'
import type { ConcentratedState } from '../src/math/concentrated.ts'

const VERSIONS = ['algebra-v1', 'algebra-integral']
let devnet: Devnet
let rpc: Rpc
beforeAll(async () => {
  devnet = await startDevnet()
  rpc = createRpc({ chainId: devnet.chainId, urls: [devnet.url] })
})
afterAll(async () => {
  rpc?.close()
  await devnet?.stop()
})

async function poolsOf(rename: (family: string) => string): Promise<readonly Pool[]> {
  const text = JSON.stringify(devnetChain(devnet.info, devnet.url))
  const chain: Chain = JSON.parse(text.replace(/"0x[0-9a-fA-F]{40}"/g, (address) => address.toLowerCase()))
  const dexes = chain.dexes
    .filter(({ family }) => VERSIONS.includes(family))
    .map((row) => ({ ...row, family: rename(row.family) }))
  const market = createMarket({ chain: { ...chain, dexes }, rpc })
  await market.ensure(Object.values(devnet.info.tokens).map(({ address }) => toAddress(address)))
  const pools = [...market.snapshot().pools.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
  await market.stop()
  return pools
}

test('pools are detected by version, then read, quoted, and traded like those of a recorded version', async () => {
  const recorded = await poolsOf((family) => family)
  const detectedPools = await poolsOf(() => 'algebra')
  expect(new Set(recorded.map(({ family }) => family))).toEqual(new Set(VERSIONS))
  expect(detectedPools.map(({ id, state }) => ({ id, state }))).toEqual(
    recorded.map(({ id, state }) => ({ id, state })),
  )
  for (const [i, pool] of detectedPools.entries()) {
    expect(pool.family).toBe('algebra')
    const [expected, actual] = [recorded[i]!, pool].map((one) => {
      const [tokenIn, tokenOut] = one.tokens as [Address, Address]
      const family = familyOf(one.family)!
      const amountIn = family.reserves(one)[0]! / 1_000n
      const [input, output] = [{ kind: 'pull', amount: amountIn }, { kind: 'recipient' }] as const
      return {
        quote: family.quoteExactInput(one, tokenIn, tokenOut, amountIn),
        curve: family.priceCurve(one, tokenIn, tokenOut),
        step: family.step(one, tokenIn, tokenOut, input, output),
        silent: family.refreshStates !== undefined && (family.movesSilently?.(one as Pool<null>) ?? true),
      }
    })
    expect(actual).toEqual(expected)
  }
})

/** `readFixed` where getters answer so many words. */
function versionOf(words: readonly number[]): unknown {
  const pool: Pool<null> = {
    id: `0x${'11'.repeat(20)}`,
    family: 'algebra',
    dex: 'test',
    address: toAddress(`0x${'11'.repeat(20)}`),
    tokens: [toAddress(`0x${'22'.repeat(20)}`), toAddress(`0x${'33'.repeat(20)}`)],
    state: null,
  }
  const row = { family: 'algebra', brand: 'test', role: 'factory', address: toAddress(`0x${'44'.repeat(20)}`) }
  const reading = familyOf('algebra')!.readFixed!(row, [pool], 1)
  reading.next()
  const read = reading.next(words.map((count): Hex | null => (count ? `0x${'00'.repeat(32 * count)}` : null)))
  // The factory confirms a pool of Integral as its own for the pair: a list of one address.
  const confirmed = [32n, 1n, BigInt(pool.id)].map((word) => word.toString(16).padStart(64, '0')).join('')
  const { value } = read.done ? read : reading.next([`0x${confirmed}`])
  return (value as readonly Pool[])[0]!.fixed
}

test.each([
  ['version 1', [7, 0, 0, 0], 'v1'],
  ['version 1 with two fees', [8, 0, 0, 0], 'v1'],
  ['Integral', [6, 1, 0, 0], 'integral'],
  ['version 2 with limit orders', [7, 0, 1, 0], null],
  ['version 2 with limit orders and six words', [6, 0, 1, 1], null],
  ['version 2 that counts its community fee', [7, 0, 0, 1], null],
  ['something of six words without a plugin', [6, 0, 0, 0], null],
  ['something of seven words with a plugin', [7, 1, 0, 0], null],
  ['something that answers nothing', [0, 0, 0, 0], null],
])('%s is detected by its getters', (_name, words, version) => {
  expect(versionOf(words)).toEqual({ version })
})

const state: ConcentratedState = { sqrtPriceX96: 1n, tick: 0, liquidity: 1n, feePpm: 500, tickSpacing: 60, ticks: [] }
const events = IAlgebraIntegralPoolState__factory.createInterface()
const SOMEBODY = `0x${'22'.repeat(20)}`

function applied(name: 'Swap' | 'Burn' | 'PluginConfig', values: readonly unknown[]) {
  const { data, topics } = events.encodeEventLog(name, values)
  const pool = { id: 'p', family: 'algebra-integral', fixed: { version: 'integral' }, state } as unknown as Pool
  const family = familyOf('algebra-integral')!
  expect(family.topics).toContain(topics[0])
  return family.applyLog(pool, { data, topics } as unknown as Log)
}

test('an Integral swap log that contains fees updates price, tick, and liquidity', () => {
  const values = [SOMEBODY, SOMEBODY, 10n, -9n, 77n, 5n, -3, 100, 20]
  expect(applied('Swap', values)).toEqual({ ...state, sqrtPriceX96: 77n, liquidity: 5n, tick: -3 })
})

test('a burn log with a fee, and a changed plugin, trigger a reread of an Integral pool', () => {
  expect(applied('Burn', [SOMEBODY, -60, 60, 1n, 1n, 1n, 20])).toBe('reread')
  expect(applied('PluginConfig', [1])).toBe('reread')
})

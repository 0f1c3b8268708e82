/** Tests token lists on the local chain: they have the standard format, and hostile token names are made harmless. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { NATIVE } from '@sluice/chains'
import type { Devnet } from '@sluice/devnet'
import { Ajv } from 'ajv'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RunningServer } from '../src/index.ts'
import type { TokenListResponse } from '../src/responses.ts'
import { request, startChain, startOver } from './src/devnet.ts'
import { ask } from './src/service.ts'
import { deployToken } from './src/tokens.ts'

const ONE = `${10n ** 15n}`
let devnet: Devnet
let server: RunningServer
/** Addresses of tokens with hostile symbols, by symbol. */
const hostile = new Map<string, string>()
let copy: string
let shallow: string

beforeAll(async () => {
  devnet = await startChain()
  const symbols = ['EV\u202eIL\u2066', '\u0000\u001b[2JRED', 'L'.repeat(10_000), '</script><b>X', 'two\nlines']
  for (const symbol of symbols) {
    const { address } = await deployToken(devnet, 'NamedToken', [`Name of ${symbol}`, symbol])
    hostile.set(symbol, address)
  }
  copy = (await deployToken(devnet, 'NamedToken', ['USD Coin', 'USD\u0421'])).address
  shallow = (await deployToken(devnet, 'NamedToken', ['Shallow', 'SHALLOW'], 1n)).address
  server = await startOver(devnet.url)
  // Quotes add the tokens at once, without waiting for the search of pools.
  for (const dst of [...hostile.values(), copy, shallow]) {
    const { status, text } = await ask(
      `${server.url}/quote/31337?${new URLSearchParams({ src: devnet.info.tokens.WETH!.address, dst, amount: ONE })}`,
    )
    expect(status, text).toBe(200)
  }
})
afterAll(async () => {
  await server?.close()
  await devnet?.stop()
})

test('it lists tokens with liquidity against a hub before they are requested, with the depth of /liquidity', async () => {
  const unquoted = (await deployToken(devnet, 'NamedToken', ['Unquoted', 'UNQUOTED'], 20n)).address
  const fresh = await startOver(devnet.url)
  try {
    const find = async () => {
      const { text } = await ask(`${fresh.url}/tokenlist/31337?limit=1000`)
      return (JSON.parse(text) as TokenListResponse).tokens.find(({ address }) => same(address) === same(unquoted))
    }
    // Mine blocks while polling, because the list is cached for a while.
    await expect
      .poll(async () => ((await find()) ? 'listed' : void (await request(devnet.url, 'evm_mine'))), {
        timeout: 60_000,
        interval: 500,
      })
      .toBe('listed')
    const tokens = await find()
    expect(tokens).toMatchObject({ symbol: 'UNQUOTED', tags: ['found'] })
    const { text } = await ask(`${fresh.url}/liquidity/31337?token=${unquoted}`)
    expect(tokens!.extensions.depthUsd).toBeCloseTo(JSON.parse(text)[unquoted], 0)
  } finally {
    await fresh.close()
  }
}, 90_000)

test('a token requested by its address is listed with its depth', async () => {
  const { address } = await deployToken(devnet, 'NamedToken', ['Addressed', 'ADDR'], 20n)
  const one = async () => (await list({ q: address })).tokens[0]?.extensions.depthUsd
  await expect.poll(one, { timeout: 60_000, interval: 200 }).toBeGreaterThan(10_000)
})

async function list(query: Record<string, string> = {}): Promise<TokenListResponse> {
  const { status, text } = await ask(`${server.url}/tokenlist/31337?${new URLSearchParams(query)}`)
  expect(status, text).toBe(200)
  return JSON.parse(text)
}
const same = (address: string) => address.toLowerCase()

test("it fits the schema of Uniswap's token lists, and holds every token of the chain's file, the deepest first", async () => {
  const whole = await list({ limit: '1000' })
  const path = createRequire(import.meta.url).resolve('@uniswap/token-lists/src/tokenlist.schema.json')
  const fits = new Ajv({ strict: false, validateFormats: false }).compile(JSON.parse(readFileSync(path, 'utf8')))
  fits(whole)
  expect(fits.errors).toBeNull()
  expect(fits({ ...whole, tokens: [{ ...whole.tokens[0], symbol: 'x y' }] })).toBe(false)
  expect(same(whole.tokens[0]!.address)).toBe(NATIVE)
  const named = whole.tokens.filter(({ tags }) => tags.includes('registry'))
  const expected = Object.entries(devnet.info.tokens).map(([symbol, { address, decimals }]) => ({
    symbol,
    address: same(address),
    decimals,
  }))
  expect(named.map(({ symbol, address, decimals }) => ({ symbol, address: same(address), decimals }))).toEqual(
    expect.arrayContaining(expected),
  )
  const depths = whole.tokens.slice(1).map(({ extensions }) => extensions.depthUsd ?? -1)
  expect(depths).toEqual([...depths].sort((a, b) => b - a))
  expect(depths[0]).toBeGreaterThan(100_000)
  expect(whole.tokens.find(({ symbol }) => symbol === 'WETH')!.name).toBe('Wrapped Ether')
})

test('names and symbols of tokens are sanitized', async () => {
  const { tokens } = await list({ limit: '1000' })
  const listed = new Map(tokens.map(({ address, symbol, name }) => [same(address), { symbol, name }]))
  const shown = [...hostile.values()].map((address) => listed.get(same(address))!)
  expect(shown.map(({ symbol }) => symbol)).toEqual(['EVIL', '[2JRED', 'L'.repeat(20), '</script><b>X', 'twolines'])
  expect(shown.map(({ name }) => name)).toEqual([
    'Name of EVIL',
    'Name of [2JRED',
    `Name of ${'L'.repeat(52)}`,
    'Name of </script><b>X',
    'Name of two lines',
  ])
})

test('copies of registry tokens are marked, and shallow tokens are listed only by their address', async () => {
  const { tokens } = await list({ q: 'usd coin' })
  const copies = tokens.filter(({ tags }) => tags.includes('copy'))
  expect(copies.map(({ address }) => same(address))).toEqual([same(copy)])
  expect(copies[0]).toMatchObject({ tags: ['found', 'copy'], extensions: { copyOf: expect.any(String) } })
  expect(same(copies[0]!.extensions.copyOf!)).toBe(same(devnet.info.tokens.USDC!.address))
  expect(tokens.find(({ tags }) => tags.includes('registry'))).toMatchObject({ symbol: 'USDC', tags: ['registry'] })
  expect((await list({ q: 'shallow' })).tokens).toEqual([])
  expect((await list({ q: shallow })).tokens).toMatchObject([
    { symbol: 'SHALLOW', tags: ['unlisted'], extensions: { depthUsd: expect.any(Number) } },
  ])
})

test('search is by symbol, name, and address; an address without a token has no entry', async () => {
  const usdc = devnet.info.tokens.USDC!.address
  expect((await list({ q: 'wrapped eth' })).tokens.map(({ symbol }) => symbol)).toEqual(['WETH'])
  expect((await list({ q: usdc })).tokens.map(({ symbol }) => symbol)).toEqual(['USDC'])
  expect((await list({ q: usdc.toLowerCase() })).tokens).toHaveLength(1)
  expect((await list({ q: NATIVE })).tokens.map(({ symbol }) => symbol)).toEqual(['ETH'])
  expect((await list({ q: devnet.info.accounts[0]!.address })).tokens).toEqual([])
  expect((await list({ limit: '3' })).tokens).toHaveLength(3)
  for (const query of ['limit=0', 'limit=1001', 'limit=x', `q=${'x'.repeat(101)}`, 'q=a&q=b'])
    expect((await ask(`${server.url}/tokenlist/31337?${query}`)).status, query).toBe(400)
})

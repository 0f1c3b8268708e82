/** Tests that every response body matches its schema in /openapi.json. */
import type { Devnet } from '@sluice/devnet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { errorTable, type RunningServer } from '../src/index.ts'
import { swapNoRoute } from '../src/responses.ts'
import { startChain, startOver } from './src/devnet.ts'
import { ask } from './src/service.ts'

const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
let devnet: Devnet
let server: RunningServer
let versionA: RunningServer
// biome-ignore lint/suspicious/noExplicitAny: the document as any reader gets it
let document: any

beforeAll(async () => {
  devnet = await startChain()
  server = await startOver(devnet.url)
  versionA = await startOver(devnet.url, { ERROR_VERSION: 'A' })
  document = JSON.parse((await ask(`${server.url}/openapi.json`)).text)
})
afterAll(async () => {
  await server?.close()
  await versionA?.close()
  await devnet?.stop()
})

const token = (symbol: string) => devnet.info.tokens[symbol]!.address
const swapPath = (change: Record<string, string> = {}) => {
  const from = devnet.info.accounts[0]!.address
  const swap = { src: token('WETH'), dst: token('USDC'), amount: '1000000000000000000', from, ...change }
  return `/aggregator/31337?${new URLSearchParams(swap)}`
}
const validate = (schema: string, body: unknown) => {
  const result = z.fromJSONSchema(document.components.schemas[schema]).safeParse(body)
  expect(result.success ? [] : result.error.issues, JSON.stringify(body).slice(0, 500)).toEqual([])
}
async function expectBody(path: string, status: number, schema: string, init?: RequestInit, from = server) {
  const answer = await ask(from.url + path, init)
  expect(answer.status, answer.text).toBe(status)
  expect(answer.type).toBe('application/json')
  const body = JSON.parse(answer.text)
  validate(schema, body)
  return body
}

describe('bodies', () => {
  test('a response that violates its schema is detected', () => {
    expect(() => validate('Route', { src: '0x' })).toThrow()
  })

  test('of a swap, for ERC-20, NATIVE, wrapping, fees and taxes', async () => {
    const changes = [
      {},
      { amount: `${10n ** 20n}` },
      { src: NATIVE },
      { dst: NATIVE, src: token('USDC'), amount: '1000000' },
      { src: NATIVE, dst: token('WETH') },
      { src: token('WETH'), dst: NATIVE },
      { convenienceFee: '1.5', convenienceFeeRecipient: devnet.info.accounts[1]!.address.toLowerCase() },
      { dst: token('TAXED') },
      { gasPrice: '0', maxHops: '1', maxSplits: '1', deadline: '99999999999' },
    ]
    for (const change of changes) {
      const route = await expectBody(swapPath(change), 200, 'Route')
      expect(route).toMatchObject({ fromAmount: new URLSearchParams(swapPath(change).split('?')[1]).get('amount') })
      expect(BigInt(route.toAmount)).toBeGreaterThan(0n)
      expect(BigInt(route.minToAmount)).toBeLessThanOrEqual(BigInt(route.toAmount))
    }
  })

  test('a proof is as documented, and bounds the quote', async () => {
    const path = `/quote/31337?src=${token('WETH')}&dst=${token('USDC')}&amount=1000000000000000000&proof=1`
    const { proof, toAmount } = await expectBody(path, 200, 'Quote')
    expect(BigInt(proof.bound)).toBeGreaterThanOrEqual(BigInt(toAmount))
  })

  test('addresses have the spelling of the request', async () => {
    const upper = `0x${token('USDC').slice(2).toUpperCase()}`
    const { src, dst, tx } = await expectBody(swapPath({ dst: upper, src: NATIVE }), 200, 'Route')
    expect({ src, dst, from: tx.from }).toEqual({ src: NATIVE, dst: upper, from: devnet.info.accounts[0]!.address })
  })

  test('of a quote, now and at a past block', async () => {
    const now = await expectBody(swapPath().replace('/aggregator/', '/quote/'), 200, 'Quote')
    expect(now).toMatchObject({ expiresAtBlock: expect.any(Number) })
    const past = swapPath({ block: `${now.simulationBlock}` }).replace('/aggregator/', '/quote/')
    const then = await expectBody(past, 200, 'Quote')
    expect(then).toMatchObject({ simulationBlock: now.simulationBlock, blockHash: now.blockHash })
    expect(then).not.toHaveProperty('expiresAtBlock')
    await expectBody(past.replace('/quote/', '/aggregator/'), 400, 'Error')
  })

  test('filters of sources are applied', async () => {
    const poolsOf = ({ swaps }: { swaps: { pool: string; protocol: string }[] }) => swaps.map(({ pool }) => pool)
    const free = await expectBody(swapPath(), 200, 'Route')
    const excludePools = poolsOf(free).join()
    const without = await expectBody(swapPath({ excludePools }), 200, 'Route')
    for (const pool of poolsOf(without)) expect(excludePools).not.toContain(pool)
    const only = await expectBody(swapPath({ includeSources: 'uniswap-v2' }), 200, 'Route')
    for (const { protocol } of only.swaps) expect(protocol).toBe('uniswap-v2')
    const one = await expectBody(swapPath({ amount: `${10n ** 20n}`, maxSplits: '1' }), 200, 'Route')
    expect(one.swaps).toHaveLength(1)
  })

  test('of simulations that succeed and that revert', async () => {
    const { tx } = await expectBody(swapPath(), 200, 'Route')
    const fields = {
      from: tx.from,
      to: tx.to,
      data: tx.data,
      tokenIn: token('WETH'),
      amountIn: '0xde0b6b3a7640000',
      tokenOut: token('USDC'),
    }
    const post = (body: unknown) => ({
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const good = await expectBody('/simulate/31337', 200, 'Simulation', post({ ...fields, gasPrice: '0' }))
    expect(good.success).toBe(true)
    const bad = await expectBody('/simulate/31337', 200, 'Simulation', post({ ...fields, data: '0xdeadbeef' }))
    expect(bad).toMatchObject({ success: false, amountOut: '0', revertReason: expect.any(String) })
    const { simulationBlock } = await expectBody(swapPath(), 200, 'Route')
    for (const block of [`${simulationBlock}`, `0x${simulationBlock.toString(16)}`, 'pending']) {
      const { block: echoed } = await expectBody('/simulate/31337', 200, 'Simulation', post({ ...fields, block }))
      expect(echoed).toBe(block)
    }
    const cases: [Record<string, string>, RegExp][] = [
      [{ gas: '999999999999' }, /gas/],
      [{ balanceSlot: '12345' }, /balanceSlot/],
      [{ tokenOut: devnet.info.accounts[1]!.address }, /tokenOut|ERC-20/],
      [{ tokenIn: devnet.info.accounts[1]!.address }, /tokenIn|ERC-20|balanceSlot/],
      [{ block: '99999999' }, /block/],
    ]
    for (const [change, text] of cases) {
      const { error } = await expectBody('/simulate/31337', 400, 'Error', post({ ...fields, ...change }))
      expect(error).toMatch(text)
    }
    // The local chain is loaded from a snapshot, without the state of earlier blocks.
    for (const block of ['1', '0x2', 'earliest']) {
      const { error } = await expectBody('/simulate/31337', 422, 'Error', post({ ...fields, block }))
      expect(error).toBe(`no node of the chain holds the state of block ${block}`)
    }
  })

  test('of prices, depth, curves and chains', async () => {
    const list = [NATIVE, token('WETH'), token('USDC'), devnet.info.accounts[0]!.address].join()
    await expectBody(`/prices/31337?token=${list}`, 200, 'Prices')
    const coins = list.split(',').map((address) => `31337:${address}`)
    await expectBody(`/prices/current/${coins}`, 200, 'CurrentPrices')
    await expectBody('/prices/current/31337', 400, 'Error')
    await expectBody(`/liquidity/31337?token=${list}`, 200, 'Liquidity')
    await expectBody(`/liquidity/31337?curve=1&token=${list}`, 200, 'Liquidity')
    await expectBody(`/history/31337?token=${list}`, 200, 'PriceHistory')
    await expectBody('/chains', 200, 'ChainMap')
  })

  test('of token reports, in pools of every kind', async () => {
    const list = [NATIVE, token('TAXED'), token('LINK'), token('STETH'), devnet.info.accounts[0]!.address].join()
    const body = await expectBody(`/tokens/31337?token=${list}`, 200, 'TokenReports')
    const taxed = body[token('TAXED')]
    expect(taxed).toMatchObject({ symbol: 'TAXED', decimals: 18, transferTax: 5, rebasing: false })
    expect(taxed.pools.length).toBeGreaterThan(0)
    for (const pool of taxed.pools) expect(pool).toMatchObject({ buyTax: 5, sellTax: 5, sellable: true })
    const { pools } = body[token('LINK')]
    expect(new Set(pools.map(({ protocol }: { protocol: string }) => protocol)).size).toBeGreaterThan(1)
    for (const pool of pools) expect(pool).toMatchObject({ buyTax: 0, sellTax: 0, sellable: true, sizeLimited: false })
    expect(body[token('STETH')]).toMatchObject({ rebasing: true, transferTax: 0 })
    expect(body[NATIVE]).toBeNull()
    expect(body[devnet.info.accounts[0]!.address]).toBeNull()
    const many = Array.from({ length: 11 }, (_, k) => `0x${`${k + 10}`.repeat(20)}`).join()
    await expectBody(`/tokens/31337?token=${many}`, 400, 'Error')
  })

  test('of errors, and of a missing route in both versions', async () => {
    await expectBody(swapPath({ amount: 'x' }), 400, 'Error')
    await expectBody('/nothing', 404, 'Error')
    const refused = await expectBody(swapPath({ includeSources: 'nothing' }), 422, 'Error')
    expect(Object.keys(errorTable)).toContain(refused.code)
    const answer = await ask(versionA.url + swapPath({ includeSources: 'nothing' }))
    expect(answer.status).toBe(200)
    const none = swapNoRoute.parse(JSON.parse(answer.text))
    expect(none).toMatchObject({ toAmount: '0', swaps: null })
    expect(none).not.toHaveProperty('tx')
    await expectBody(swapPath(), 200, 'Route', undefined, versionA)
  })
})

describe('documentation', () => {
  test('the document names every endpoint and every parameter', () => {
    expect(document.openapi).toBe('3.1.0')
    expect(Object.keys(document.paths)).toEqual([
      '/aggregator/{chain_id}',
      '/quote/{chain_id}',
      '/quotes/{chain_id}',
      '/stream/{chain_id}',
      '/simulate/{chain_id}',
      '/prices/{chain_id}',
      '/prices/current/{coins}',
      '/liquidity/{chain_id}',
      '/history/{chain_id}',
      '/permit/{chain_id}',
      '/tokens/{chain_id}',
      '/tokenlist/{chain_id}',
      '/status/{chain_id}/{hash}',
      '/referee/{chain_id}/{hash}',
      '/stats/{chain_id}',
      '/chains',
      '/health',
      '/ready',
      '/ready/{chain_id}',
      '/metrics',
    ])
    const { parameters } = document.paths['/aggregator/{chain_id}'].get
    const required = parameters.filter(({ required }: { required: boolean }) => required)
    expect(required.map(({ name }: { name: string }) => name)).toEqual(['chain_id', 'src', 'dst', 'from'])
    expect(parameters.find(({ name }: { name: string }) => name === 'slippage').schema.default).toBe('0.5')
  })

  test('integers that 32 bits may not hold, such as chain ids, are of format int64', () => {
    const formats = new Set<string>()
    let checkedCount = 0
    JSON.stringify(document.components.schemas, (_, value) => {
      if (value?.type === 'integer' && !(value.maximum < 2 ** 31)) {
        formats.add(value.format)
        checkedCount++
      }
      return value
    })
    expect(checkedCount).toBeGreaterThan(20)
    expect([...formats]).toEqual(['int64'])
  })

  test('llms.txt has working links and contains the whole reference', async () => {
    const index = await ask(`${server.url}/llms.txt`)
    expect([index.status, index.type]).toEqual([200, 'text/plain'])
    expect(index.text).toMatch(/^# Sluice\n\n> /)
    const links = [...index.text.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link!)
    expect(links.length).toBeGreaterThan(40)
    for (const link of links) expect((await ask(new URL(link, `${server.url}/llms.txt`).href)).status, link).toBe(200)
    const whole = (await ask(`${server.url}/llms-full.txt`)).text
    for (const path of Object.keys(document.paths)) {
      expect(index.text, path).toContain(path)
      expect(whole, path).toContain(path)
    }
    const { parameters } = document.paths['/aggregator/{chain_id}'].get
    for (const { name } of parameters.filter((of: { in: string }) => of.in === 'query'))
      expect(whole).toContain(`| \`${name}\` |`)
  })

  test('the site is served under a policy that allows its own files alone', async () => {
    const { text, type, headers, status } = await ask(`${server.url}/docs`)
    expect([status, type]).toEqual([200, 'text/html'])
    const policy = headers.get('content-security-policy')!
    expect(policy).toMatch(/^default-src 'none'/)
    expect(policy).not.toMatch(/unsafe|https?:|data:|\*/)
    expect(policy).toContain("require-trusted-types-for 'script'")
    const loaded = [...text.matchAll(/(?:src|<link rel="(?:stylesheet|icon)"[^>]* href)="([^"]+)"/g)].map(
      ([, path]) => path!,
    )
    expect(loaded).toHaveLength(3)
    for (const path of loaded) {
      const asset = await ask(new URL(path, `${server.url}/docs/`).href)
      expect([asset.status, asset.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable'])
    }
  })

  test('a page supports ETag validation, and is Markdown if Accept prefers it', async () => {
    const address = `${server.url}/docs/guides/quote.html`
    const page = await ask(address)
    expect(page.headers.get('cache-control')).toBe('no-cache')
    const again = await ask(address, { headers: { 'if-none-match': page.headers.get('etag')! } })
    expect([again.status, again.text]).toEqual([304, ''])
    const twin = await ask(`${server.url}/docs/guides/quote.md`)
    const preferred = await ask(address, { headers: { accept: 'text/markdown, text/html;q=0.5' } })
    expect([twin.type, preferred.type]).toEqual(['text/markdown', 'text/markdown'])
    expect(preferred.text).toBe(twin.text)
    expect(preferred.headers.get('vary')).toContain('Accept')
    expect((await ask(address, { headers: { accept: '*/*' } })).type).toBe('text/html')
    expect((await ask(`${server.url}/docs/guides/nothing.html`)).status).toBe(404)
    expect((await ask(`${server.url}/docs/%2e%2e/package.json`)).status).toBe(404)
  })
})

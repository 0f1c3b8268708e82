/** Tests of the playground's page and of the preview pictures of links, with a small build output. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NATIVE } from '@sluice/chains'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { account, ONE, served, TWO } from '../../test/src/in-memory.ts'

const root = join(import.meta.dirname, '../../../..')
const dir = mkdtempSync(join(tmpdir(), 'sluice-page-'))
const localFile = join(dir, 'local.json')

beforeAll(() => {
  mkdirSync(join(dir, 'app/assets'), { recursive: true })
  writeFileSync(join(dir, 'index.html'), '<!doctype html><!--card--><title>page</title>')
  writeFileSync(join(dir, 'app/plain.html'), '<p>plain</p>')
  writeFileSync(join(dir, 'app/assets/main-4f3a.js'), '// script')
  for (const weight of [400, 600])
    cpSync(
      join(root, `node_modules/@fontsource/ibm-plex-sans/files/ibm-plex-sans-latin-${weight}-normal.woff`),
      join(dir, `app/card-${weight}.woff`),
    )
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const app = (liveChain: object = {}) => served(liveChain, { WEB_DIR: dir, LOCAL_CHAIN_FILE: localFile })
const swapLink = `chain=1&src=${ONE}&dst=${TWO}&amount=1.5`

describe('the local chain', () => {
  const contracts = { guard: '0x1', executors: [] }
  const local = { chainId: 31_337, rpcUrl: 'http://127.0.0.1:9/x', accounts: [{ address: '0x2' }], contracts }
  const answerTo = async (content: string) => {
    writeFileSync(localFile, content)
    const { ask } = app()
    const { headers, body } = await ask('/app/local-chain.json')
    const policy = (await ask('/')).headers['content-security-policy']!
    rmSync(localFile)
    return { local: JSON.parse(body).local, cache: headers['cache-control'], policy }
  }

  test('is described without the keys of its accounts, and its node may be connected to', async () => {
    const accounts = [{ address: '0x2', privateKey: '0x3' }, { address: '0x4' }]
    const answer = await answerTo(JSON.stringify({ ...local, accounts }))
    expect(answer.local).toEqual({ ...local, accounts: [{ address: '0x2' }, { address: '0x4' }] })
    expect(answer.cache).toBe('no-store')
    expect(answer.policy).toContain("connect-src 'self' http://127.0.0.1:9;")
  })

  test.each([
    { accounts: [] },
    { chainId: 0 },
    { rpcUrl: 'ftp://127.0.0.1' },
    { rpcUrl: 'javascript:alert(1)' },
    { contracts: {} },
  ])('with %o is none', async (change) => {
    const { local: answer, policy } = await answerTo(JSON.stringify({ ...local, ...change }))
    expect(answer).toBeNull()
    expect(policy).toContain("connect-src 'self';")
  })
})

describe('a path of the playground', () => {
  test.each([
    ['/', 'page', 'no-cache'],
    ['/app/explain', 'page', 'no-cache'],
    ['/app/plain', 'plain', 'no-cache'],
    ['/app/plain.html', 'plain', 'no-cache'],
    ['/app/assets/main-4f3a.js', 'script', 'public, max-age=31536000, immutable'],
  ])('%s is answered from the build', async (path, content, cache) => {
    const { status, body, headers } = await app().ask(path)
    expect([status, headers['cache-control']]).toEqual([200, cache])
    expect(body).toContain(content)
  })

  test.each(['/app/missing.js', '/app/assets/missing', '/app/assets/'])('%s is none', async (path) => {
    expect((await app().ask(path)).status).toBe(404)
  })

  test('is a page alone if nothing was built', async () => {
    expect((await served().ask('/')).status).toBe(404)
    expect((await served().ask('/app/card.png')).status).toBe(404)
  })
})

describe('the page of a link to a swap', () => {
  const page = async (query: string, headers: Readonly<Record<string, string>> = {}) =>
    (await app().ask(`/?${query}`, { headers: { host: 'dex.example:8080', ...headers } })).body

  test('names its picture by the host of the request', async () => {
    const url = `http://dex.example:8080/app/card.png?chain=1&amp;src=${ONE}&amp;dst=${TWO}&amp;amount=1.5&amp;exact=in`
    expect(await page(swapLink)).toContain(`<meta property="og:image" content="${url}" />`)
    expect(await page(`${swapLink}&exact=out&other=%22%3E`)).toContain('amount=1.5&amp;exact=out"')
  })

  test.each([
    ['', {}],
    ['chain=1', {}],
    [swapLink, { host: 'a"b' }],
    [swapLink, { host: 'a'.repeat(254) }],
    [swapLink, { host: 'dex.example:808080' }],
  ])('is the plain page for %j with %o', async (query, headers) => {
    expect(await page(query, headers)).toContain('<!--card-->')
  })
})

describe('the picture of a link', () => {
  const token = (address: string, symbol: string, decimals: number) => ({ address, symbol, decimals })
  const leg = (id: string, amountIn: bigint, share: [string, string] = [ONE, TWO]) => ({
    pool: { id, family: 'uniswap-v2', dex: `Dex ${id}` },
    ...{ tokenIn: share[0], tokenOut: share[1], amountIn, amountOut: amountIn, gas: 1 },
  })
  const quoted: unknown[] = []
  const liveChain = {
    listTokens: async (address: string) => ({
      tokens: [token(ONE, 'ONE', 6), token(TWO, 'TWO', 18)].filter((listed) => listed.address === address),
    }),
    quote: async (request: { readonly amountIn: bigint }) => {
      quoted.push(request)
      return {
        route: {
          ...{ tokenIn: ONE, tokenOut: TWO, amountIn: 100n, optimalityGapBps: null, optimalityGapNetBps: null },
          legs: [leg('a', 25n), leg('b', 75n)],
        },
        ...{ amountOut: 1_234_567_891_234_567_891_234n, minOutput: 1n, gasEstimate: 1n, gasCharged: 1n },
        ...{ gasChargedAtDeadline: 1n, block: { number: 7, hash: '0x07' }, id: 'x', expiresAtBlock: 9 },
        ...{ priceImpactPpm: 0n, gasCostWei: 1n, gasCostUsd: null, l1FeeWei: null, netAmountOut: null },
        ...{ poolsPending: false, warnings: [], swap: { to: ONE, data: '0x', value: 0n } },
      }
    },
  }
  const picture = async (query: string, { ask } = app(liveChain)) => {
    const answer = await ask(`/app/card.png?${query}`)
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'image/png'])
    return { size: Number(answer.headers['content-length']), cache: answer.headers['cache-control'] }
  }

  test('quotes the amount of the link in base units, once for all requests of a link', async () => {
    quoted.length = 0
    const running = app(liveChain)
    const first = await picture(swapLink, running)
    expect(first.cache).toBe('public, max-age=600')
    expect(await picture(swapLink, running)).toEqual(first)
    expect(quoted).toMatchObject([{ tokenIn: ONE, tokenOut: TWO, amountIn: 1_500_000n, maxPriceImpactPpm: 1_000_000n }])
    await picture(`${swapLink}&exact=out`, running)
    expect(quoted[1]).toMatchObject({ amountIn: undefined, amountOut: 1_500_000_000_000_000_000n })
  })

  test('is the plain one without a swap, a token, or a route, and kept for a minute', async () => {
    const plain = await picture('')
    expect(plain.cache).toBe('public, max-age=60')
    expect(await picture(`chain=1&src=${ONE}&dst=${account('9')}&amount=1`)).toEqual(plain)
    expect(await picture(`chain=5&src=${ONE}&dst=${TWO}&amount=1`)).toEqual(plain)
    const refusing = app({ ...liveChain, quote: () => Promise.reject(new Error('none')) })
    expect(await picture(swapLink, refusing)).toEqual(plain)
    expect((await picture(swapLink)).size).not.toBe(plain.size)
  })

  test('is the plain one for a third link at a time', async () => {
    const { promise: gate, resolve } = Promise.withResolvers<void>()
    const waiting = { ...liveChain, quote: async (request: never) => gate.then(() => liveChain.quote(request)) }
    const running = app(waiting)
    const [first, second] = [picture(`${swapLink}1`, running), picture(`${swapLink}2`, running)]
    await new Promise((done) => setTimeout(done, 50))
    const plain = await picture('', running)
    expect(await picture(`${swapLink}3`, running)).toEqual(plain)
    resolve()
    for (const { size } of [await first, await second]) expect(size).not.toBe(plain.size)
    expect((await picture(`${swapLink}3`, running)).size).not.toBe(plain.size)
  })

  test('takes symbol and decimals of the native token from the chain', async () => {
    quoted.length = 0
    const native = app(liveChain)
    const { chain } = native.services.chain(1) as unknown as { chain: Record<string, unknown> }
    Object.assign(chain, { nativeCurrency: { symbol: 'ETH', decimals: 2 } })
    await picture(`chain=1&src=${NATIVE}&dst=${TWO}&amount=1.5`, native)
    expect(quoted).toMatchObject([{ amountIn: 150n }])
  })
})

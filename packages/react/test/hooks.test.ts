/** Tests the hooks in a real browser, against a real service of another origin and a real node. */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, request as httpRequest, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunningServer } from '@sluice/api'
import { BROWSER_ARGS, findBrowser, startChain, startOver, warmUp } from '@sluice/api/testing'
import { SluiceClient } from '@sluice/client'
import { type Devnet, request, swapContracts } from '@sluice/devnet'
import { type Browser, chromium, type Page } from 'playwright-core'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const CHAIN = 31337
const executablePath = findBrowser()
/** Path that the site forwards to the service, and the page that uses this path. */
const PROXIED = '/api'
const SAME_ORIGIN = '/same-origin'
/** Path of a page that sends no request because of the time, so that all requests have another reason. */
const WITHOUT_INTERVAL = '/without-interval'

function forward(request: IncomingMessage, response: ServerResponse, url: string): void {
  const { method, headers } = request
  const passed = httpRequest(url, { method, headers }, (answer) => {
    response.writeHead(answer.statusCode!, answer.headers)
    answer.pipe(response)
  })
  passed.on('error', () => response.destroy())
  response.on('close', () => passed.destroy())
  request.pipe(passed)
}

type Shown = {
  readonly isDeciding: boolean
  readonly hasSettled: boolean
  readonly tokens?: readonly string[]
  readonly single: { readonly toAmount?: string; readonly error?: string }
  readonly live: {
    readonly toAmount?: string
    readonly block?: number
    readonly error?: string
    readonly transport: string
    readonly isFetching: boolean
  }
  readonly run: {
    readonly status: string
    readonly hash?: string
    readonly error?: string
    readonly hasQuestion: boolean
    readonly stages: readonly string[]
    readonly isPrompted: boolean
  }
}

describe.skipIf(!executablePath)('hooks', () => {
  let devnet: Devnet
  let server: RunningServer
  let site: Server
  let browser: Browser
  let dir: string
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'sluice-react-'))
    devnet = await startChain()
    server = await startOver(devnet.url)
    const bundle = await rolldown({
      input: join(import.meta.dirname, 'page.tsx'),
      platform: 'browser',
      transform: { define: { 'process.env.NODE_ENV': '"development"' } },
      logLevel: 'silent',
    })
    const { output } = await bundle.generate({ format: 'esm' })
    await bundle.close()
    const setup = {
      ...{ baseUrl: server.url, rpcUrl: devnet.url, chainId: CHAIN, owner: devnet.info.accounts[2]!.address },
      ...{ src: token('UNI'), dst: token('USDC'), contracts: swapContracts(devnet.info), pollMs: 500 },
    }
    const changes: Readonly<Record<string, object>> = {
      [SAME_ORIGIN]: { baseUrl: PROXIED },
      [WITHOUT_INTERVAL]: { pollMs: 3_600_000 },
    }
    const files = new Map(output.map((file) => [`/${file.fileName}`, file.type === 'chunk' ? file.code : '']))
    site = createServer((request, response) => {
      const { url = '/' } = request
      if (url.startsWith(PROXIED)) return forward(request, response, `${server.url}${url.slice(PROXIED.length)}`)
      const code = files.get(url)
      response.setHeader('content-type', code === undefined ? 'text/html' : 'text/javascript')
      const shown = { ...setup, ...changes[url] }
      const page = `<div id="root"></div><script>globalThis.setup = ${JSON.stringify(shown)}</script>`
      return response.end(code ?? `${page}<script type="module" src="/${output[0].fileName}"></script>`)
    })
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
    browser = await chromium.launch({ executablePath: executablePath!, args: BROWSER_ARGS })
    for (const amount of [1n, 2n])
      await warmUp(server.url, `/quote/${CHAIN}?src=${token('UNI')}&dst=${token('USDC')}&amount=${amount * 10n ** 18n}`)
  })
  afterAll(async () => {
    await browser?.close()
    site?.close()
    await server?.close()
    await devnet?.stop()
    rmSync(dir, { recursive: true, force: true })
  })

  const token = (symbol: string) => devnet.info.tokens[symbol]!.address
  const mine = () => request(devnet.url, 'evm_mine', [])
  const shownOn = async (page: Page): Promise<Shown> => JSON.parse((await page.locator('pre').textContent()) ?? '')
  /** Waits until the page's state fulfills the condition, and returns the state. */
  async function until(page: Page, isThere: (shown: Shown) => boolean): Promise<Shown> {
    await expect.poll(async () => isThere(await shownOn(page)), { timeout: 30_000 }).toBe(true)
    return shownOn(page)
  }
  async function open(prepare?: (page: Page) => Promise<unknown>, path = '/') {
    const page = await (await browser.newContext()).newPage()
    const complaints: string[] = []
    page.on('pageerror', ({ message }) => complaints.push(message))
    await prepare?.(page)
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}${path}`)
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
    return { page, complaints, press }
  }
  const quoted = async (amount: bigint) => {
    const client = new SluiceClient({ baseUrl: server.url })
    return (await client.getQuote(CHAIN, { src: token('UNI'), dst: token('USDC'), amount })).toAmount
  }
  test('list tokens, quote once, and follow the chain', async () => {
    const { page, complaints, press } = await open()
    const before = await until(page, ({ tokens }) => tokens !== undefined)
    expect(before.tokens).toContain('USDC')
    expect(before).toMatchObject({ single: {}, live: { transport: 'stream', isFetching: false } })
    expect(before.live.toAmount).toBeUndefined()
    await press('one')
    const first = await until(page, ({ single, live }) => single.toAmount !== undefined && live.block !== undefined)
    expect(first.single.toAmount).toBe(await quoted(10n ** 18n))
    expect(first.live).toMatchObject({ toAmount: first.single.toAmount, transport: 'stream' })
    await mine()
    await until(page, ({ live }) => live.block! > first.live.block!)
    await press('two')
    const larger = await until(page, ({ live }) => !live.isFetching && live.toAmount !== first.live.toAmount)
    expect(larger.live.toAmount).toBe(await quoted(2n * 10n ** 18n))
    await press('pause')
    await mine()
    await mine()
    expect((await shownOn(page)).live.toAmount).toBe(larger.live.toAmount)
    await press('pause')
    await until(page, ({ live }) => live.block! >= larger.live.block! + 2)
    await press('nothing')
    await until(page, ({ live }) => live.toAmount === undefined && !live.isFetching)
    expect(complaints).toEqual([])
  })

  test('work over a path of the page’s own origin', { tags: 'long' }, async () => {
    const requestedUrls = new Set<string>()
    const watch = async (page: Page) => page.on('request', (sent) => requestedUrls.add(sent.url()))
    const { page, complaints, press } = await open(watch, SAME_ORIGIN)
    await press('one')
    const first = await until(page, ({ single, live }) => single.toAmount !== undefined && live.block !== undefined)
    expect(first.single.toAmount).toBe(await quoted(10n ** 18n))
    expect(first.live).toMatchObject({ toAmount: first.single.toAmount, transport: 'stream' })
    expect([...requestedUrls].filter((url) => url.includes(PROXIED)).length).toBeGreaterThan(2)
    expect([...requestedUrls].filter((url) => url.startsWith(server.url))).toEqual([])
    expect(complaints).toEqual([])
  })

  test('poll if there is no stream, and report refusals', { tags: 'long' }, async () => {
    const { page, press } = await open((page) => page.route('**/stream/**', (route) => route.abort()))
    await press('one')
    const first = await until(page, ({ live }) => live.transport === 'poll' && live.toAmount !== undefined)
    expect(first.live.toAmount).toBe(await quoted(10n ** 18n))
    await mine()
    await until(page, ({ live }) => live.block! > first.live.block!)
    await press('too much')
    const refused = await until(page, ({ live, single }) => live.error !== undefined && single.error !== undefined)
    expect(refused).toMatchObject({ single: { error: 'NO_ROUTE' }, live: { error: 'NO_ROUTE' } })
    expect(refused.live.toAmount).toBeUndefined()
    await press('two')
    await until(page, ({ live }) => live.error === undefined && live.toAmount !== undefined)
  })

  test('keep a refusal that still holds at the next block', async () => {
    const { page, press } = await open()
    await press('too much')
    const refused = await until(page, ({ live }) => live.error !== undefined && live.transport === 'stream')
    expect(refused.live.error).toBe('NO_ROUTE')
    for (let k = 0; k < 3; k++) {
      const before = (await shownOn(page)).live.block ?? 0
      await mine()
      const { live } = await until(page, ({ live }) => (live.block ?? 0) > before)
      expect(live).toMatchObject({ error: 'NO_ROUTE', transport: 'stream' })
    }
  })

  test('request a quote once per head, even if the service is behind', async () => {
    const { page, press } = await open((page) => page.route('**/stream/**', (route) => route.abort()), WITHOUT_INTERVAL)
    await press('one')
    await until(page, ({ live }) => live.transport === 'poll' && live.toAmount !== undefined)
    const amounts: (string | null)[] = []
    page.on('request', (sent) => {
      const { pathname, searchParams } = new URL(sent.url())
      if (pathname.startsWith('/quote/')) amounts.push(searchParams.get('amount'))
    })
    const answered = page.waitForResponse('**/quote/**')
    await press('ahead')
    await answered
    await until(page, ({ live }) => !live.isFetching)
    const larger = page.waitForResponse((response) => response.url().includes(`amount=${2n * 10n ** 18n}`))
    await press('two')
    await larger
    // The last request may be of the single quote or of the followed one.
    expect(amounts.filter((amount) => amount === String(10n ** 18n))).toHaveLength(1)
  })

  test('abort a request in flight when they are paused, so that it cannot replace the quote', async () => {
    const { page, press } = await open((page) => page.route('**/stream/**', (route) => route.abort()), WITHOUT_INTERVAL)
    await press('one')
    const { live } = await until(page, ({ live }) => live.transport === 'poll' && live.toAmount !== undefined)
    const { promise: paused, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/quote/**', async (route) => {
      const response = await route.fetch()
      await paused
      // Fails if the page has aborted the request.
      await route.fulfill({ response, json: { ...(await response.json()), toAmount: '1' } }).catch(() => {})
    })
    const outcome = new Promise<string>((resolve) => {
      for (const event of ['requestfailed', 'requestfinished'] as const)
        page.on(event as 'requestfailed', (sent) => sent.url().includes('/quote/') && resolve(event))
    })
    await press('ahead')
    await until(page, ({ live }) => live.isFetching)
    await press('pause')
    release()
    expect(await outcome).toBe('requestfailed')
    expect((await until(page, ({ live }) => !live.isFetching)).live.toAmount).toBe(live.toAmount)
  })

  test('settle a swap that is canceled while its confirmation is decided', async () => {
    const { page, press } = await open()
    await press('one')
    await until(page, ({ live }) => live.toAmount !== undefined)
    await press('wait')
    await until(page, ({ isDeciding }) => isDeciding)
    await press('cancel')
    await press('release')
    await until(page, ({ hasSettled }) => hasSettled)
  })

  test('swap, request a confirmation, resume after a reload, and abort', async () => {
    const { page, complaints, press } = await open()
    await press('one')
    await until(page, ({ live }) => live.toAmount !== undefined)
    await press('refuse')
    await until(page, ({ run }) => run.error === 'WALLET')
    await press('cancel')
    await press('locked')
    await until(page, ({ run }) => run.error === 'WALLET')
    await press('ask')
    await until(page, ({ run }) => run.hasQuestion)
    await press('no')
    expect((await until(page, ({ run }) => run.status === 'error')).run.stages).toEqual([])
    await press('ask')
    await until(page, ({ run }) => run.hasQuestion)
    await press('yes')
    const done = await until(page, ({ run }) => run.status !== 'pending')
    expect(done.run).toMatchObject({ status: 'success', hasQuestion: false, isPrompted: false })
    expect(done.run.stages).toEqual([
      ...['quoted', 'prompted', 'approving', 'approved', 'signing', 'prompted', 'sent', 'done'],
    ])
    const receipt = await request<{ status: string }>(devnet.url, 'eth_getTransactionReceipt', [done.run.hash])
    expect(receipt.status).toBe('0x1')
    await press('resume')
    const resumed = await until(page, ({ run }) => run.status === 'success' && run.stages.length === 1)
    expect(resumed.run).toMatchObject({ hash: done.run.hash, stages: ['done'] })
    await press('silent')
    await press('swap')
    await until(page, ({ run }) => run.isPrompted)
    await press('cancel')
    expect((await shownOn(page)).run).toMatchObject({ status: 'idle', stages: [], isPrompted: false })
    expect(complaints).toEqual([])
  })
})

/**
 * Browser tests of the Referee page.
 *
 * @module-tag long
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findBrowser } from './src/browser.ts'
import { type MinedSwap, mined } from './src/mined.ts'
import { type Stage, startStage } from './src/stage.ts'

const browser = findBrowser()
// The first verdict of a chain reads all pools of a past block.
const WAIT = { timeout: 50_000 }
const WHOLE = 10n ** 18n
const PATH = '/app/referee?chain=31337&hash='

type Answer = {
  readonly trades: readonly {
    readonly toAmount: string
    readonly comparisons: readonly {
      readonly toAmount: string
      readonly bound: string
      readonly leftNetBps: number
      readonly pools: readonly string[]
      readonly poolsPending?: true
    }[]
  }[]
}

describe.skipIf(!browser)('the page of the referee', () => {
  let stage: Stage
  let chain: MinedSwap
  beforeAll(async () => {
    stage = await startStage(browser!, { RPC_TIMEOUT_MS: '30000', REQUEST_TIMEOUT_MS: '60000' })
    chain = await mined(stage)
    await fetch(`${stage.server.url}/quote/31337?src=${stage.token('WETH')}&dst=${stage.token('USDC')}&amount=${WHOLE}`)
  })
  afterAll(() => stage?.stop())

  /** Returns the service's final response, after the background search for pools. */
  async function judged(hash: string): Promise<Answer> {
    for (let round = 0; ; round++) {
      const response = await fetch(`${stage.server.url}/referee/31337/${hash}`)
      // A request may time out on a busy machine. The service keeps the data read so far.
      if (response.status === 200 || round === 20) {
        expect(response.status).toBe(200)
        const answer = (await response.json()) as Answer
        const isPending = answer.trades.some(({ comparisons }) => comparisons.some(({ poolsPending }) => poolsPending))
        if (!isPending || round === 20) return answer
      }
      await new Promise((resolve) => setTimeout(resolve, 1_000))
    }
  }
  const usdc = (units: string) => `${units.slice(0, -6)}.${units.slice(-6).replace(/0+$/, '')}`

  test('reports a swap of the service as optimal, and its URL keeps the verdict', async () => {
    const hash = await chain.byService(5n * WHOLE)
    await judged(hash)
    const { page, complaints } = await stage.open('/app/referee')
    await page.getByText('Nothing to judge yet.').waitFor(WAIT)
    await page.getByLabel('Hash of a transaction').fill(`  ${hash} `)
    await page.keyboard.press('Enter')
    await page.getByText('As good as the best known route').waitFor(WAIT)
    await page.getByText('No sandwich seen.').waitFor()
    const { searchParams } = new URL(page.url())
    expect([searchParams.get('hash'), searchParams.get('chain')]).toEqual([hash, '31337'])
    await page.getByRole('link', { name: 'Explain the transaction' }).click()
    await page.getByText('This transaction is in a block, and succeeded.').waitFor(WAIT)
    expect(complaints).toEqual([])
  })

  test('shows what a worse route left on the table, and the route that would have been better', async () => {
    const hash = await chain.byRouter(40n * WHOLE)
    const { trades } = await judged(hash)
    const [{ toAmount, comparisons }] = trades as [Answer['trades'][number]]
    const [best] = comparisons
    const { page, complaints } = await stage.open(PATH + hash)
    await page.getByText(/Left [\d.]+ bps \([\d.]+ %\) on the table, net of gas\./).waitFor(WAIT)
    const owner = stage.devnet.info.accounts[1]!.address
    const { blockNumber } = await chain.receipt(hash)
    // Calls `balanceOf(address)` at the end of a block.
    const balanceAt = async (block: number) => {
      const data = `0x70a08231${owner.slice(2).toLowerCase().padStart(64, '0')}`
      const call = { to: stage.token('USDC'), data }
      return BigInt(await stage.rpc<string>('eth_call', call, `0x${block.toString(16)}`))
    }
    const paid = (await balanceAt(Number(blockNumber))) - (await balanceAt(Number(blockNumber) - 1))
    expect(String(paid)).toBe(toAmount)
    const titleOf = (name: string) =>
      page.locator('.rows > div', { has: page.locator('dt', { hasText: name }) }).locator('.num')
    expect(await titleOf('Paid').first().getAttribute('title')).toBe(usdc(String(paid)))
    expect(await titleOf('Best simulated').getAttribute('title')).toBe(usdc(best!.toAmount))
    expect(await titleOf('Proven bound').getAttribute('title')).toBe(usdc(best!.bound))
    const net = (await titleOf('net of gas').textContent())!
    expect(Number(net.replace(/ bps$/, '').replace(/\s/g, ''))).toBeCloseTo(best!.leftNetBps, 1)
    await page.getByRole('heading', { name: 'The route that would have been better' }).waitFor()
    await page.locator('.gt').first().waitFor({ state: 'attached' })
    expect(await page.locator('.legs tbody tr').count()).toBe(best!.pools.length)
    const drawn = (await page.locator('.scale').getAttribute('aria-label'))!
    expect(drawn).toMatch(/paid: [\d.]+ bps less; bound: .* more at most/)
    expect(complaints).toEqual([])
  })

  test('names a sandwich, and compares with both states', async () => {
    const hash = await chain.sandwiched()
    await judged(hash)
    const { page, complaints } = await stage.open(PATH + hash)
    await page.getByText('Looks like a sandwich.').waitFor(WAIT)
    const best = () =>
      page
        .locator('.rows > div', { has: page.locator('dt', { hasText: 'Best simulated' }) })
        .locator('.num')
        .getAttribute('title')
    const inPosition = Number(await best())
    await page.getByRole('button', { name: 'End of the block before' }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('at')).toBe('parent')
    await expect.poll(async () => Number(await best())).toBeGreaterThan(inPosition)
    await page.reload()
    await page.getByRole('button', { name: 'End of the block before', pressed: true }).waitFor(WAIT)
    expect(complaints).toEqual([])
  })

  test('reports why there is nothing to judge', async () => {
    const { page } = await stage.open(`${PATH}0x${'ab'.repeat(32)}`)
    await page.getByText('No transaction with this hash on Devnet.').waitFor(WAIT)
    const ask = async (text: string) => {
      await page.getByLabel('Hash of a transaction').fill(text)
      await page.getByRole('button', { name: 'Judge' }).click()
    }
    await ask(await chain.transfer())
    await page.getByText('Not a swap.').waitFor(WAIT)
    await ask(await chain.byRouter(WHOLE, 2n ** 200n))
    await page.getByText('it cost gas and swapped nothing').waitFor(WAIT)
    await ask('0x1234')
    await page.getByRole('alert').filter({ hasText: 'That isn’t a transaction hash.' }).waitFor(WAIT)
  })

  test('reports that the node has no state of the block before', async () => {
    const hash = await chain.byRouter(2n * WHOLE)
    const parent = Number((await chain.receipt(hash)).blockNumber) - 1
    const pruned = `0x${parent.toString(16)}`
    const ofState = /^(eth_call|eth_get(Code|Balance|StorageAt|Proof)|eth_simulateV1|debug_traceCall)$/
    stage.proxy.intercept = ({ method, params }) =>
      ofState.test(method) && params.includes(pruned)
        ? { error: { code: -32000, message: 'missing trie node 0x00 (path ) state is not available' } }
        : undefined
    try {
      const { page } = await stage.open(PATH + hash)
      await page.getByText(`The service’s node has no state of block ${parent}.`).waitFor(WAIT)
      await page.getByText('archive node').waitFor()
    } finally {
      stage.proxy.intercept = () => undefined
    }
  })

  const answered = async (body: unknown) => {
    const { page, complaints } = await stage.open('/health')
    page.on('dialog', () => complaints.push('a dialog'))
    await page.route('**/referee/31337/*', (route) =>
      route.fulfill({ status: 200, contentType: 'application/json', body: JSON.stringify(body) }),
    )
    await page.goto(`${stage.server.url}${PATH}0x${'cd'.repeat(32)}`)
    return { page, complaints }
  }

  test('reports what is not comparable, and why', async () => {
    const { page } = await answered({ outcome: 'several', reason: 'two tokens went out', trades: [], gaps: [] })
    await page.getByText('Not comparable.').waitFor(WAIT)
    await page.getByText('Two tokens went out.').waitFor()
  })

  test('draws no malformed response, and sanitizes names', async () => {
    const evil = '\u202e<img src=x onerror=alert(1)>\u0000\u200b'
    const at = `0x${'1'.repeat(40)}`
    const comparison = {
      ...{ state: 'position', toAmount: '9'.repeat(70), bound: '-1', leftBps: 1e300, leftAtMostBps: 'x' },
      swaps: [null, { pool: evil, protocol: '__proto__', dex: evil, tokenIn: at, tokenOut: 'javascript:alert(1)' }],
    }
    const trade = {
      trader: at,
      recipient: at,
      src: at,
      dst: at,
      fromAmount: '1',
      toAmount: '2',
      comparisons: [comparison],
    }
    const body = {
      ...{ outcome: 'swap', block: 1e300, index: -1, trades: [null, { ...trade, src: evil }, trade] },
      ...{
        sandwich: { pool: evil, front: null, back: 7, gain: 'x' },
        gaps: [evil, 7, { a: 1 }, { code: evil, message: evil.repeat(200) }],
      },
    }
    const { page, complaints } = await answered(body)
    await page.getByRole('heading', { name: 'Figures' }).waitFor(WAIT)
    const text = (await page.locator('main').textContent()) ?? ''
    expect([...text].filter((character) => /[\p{Cc}\p{Cf}\p{Mn}]/u.test(character))).toEqual([])
    expect(await page.locator('main img').count()).toBe(0)
    expect(text).not.toMatch(/NaN|Infinity|undefined/)
    await page.setViewportSize({ width: 320, height: 800 })
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
    expect(complaints).toEqual([])
  })

  test('reports a malformed response, and a failure of the service', async () => {
    const { page } = await answered({ outcome: 'guilty' })
    await page.getByRole('alert').waitFor(WAIT)
    const { page: other } = await stage.open(`/app/referee?chain=999999&hash=0x${'ab'.repeat(32)}`)
    await other.getByRole('alert').waitFor(WAIT)
  })
})

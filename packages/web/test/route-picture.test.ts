/**
 * Browser tests of the picture of a route, its comparison with other routes, the pair's chart, and the picture of a link.
 *
 * @module-tag long
 */
import { readFileSync } from 'node:fs'
import { inflateSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findBrowser } from './src/browser.ts'
import { type Stage, startStage } from './src/stage.ts'

const browser = findBrowser()
const WAIT = { timeout: 50_000 }

describe.skipIf(!browser)('the picture of a route', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await startStage(browser!, { RPC_TIMEOUT_MS: '30000', REQUEST_TIMEOUT_MS: '60000' })
    await fetch(`${stage.server.url}/prices/31337?token=${stage.token('WETH')}`)
  })
  afterAll(() => stage?.stop())

  const pair = (src: string, dst: string, amount: string) =>
    `/?chain=31337&src=${stage.token(src)}&dst=${stage.token(dst)}&amount=${amount}`
  const open = async (path: string, options?: Parameters<Stage['open']>[1]) => {
    const { page } = await stage.open(path, options)
    await page.locator('.gt').first().waitFor(WAIT)
    return page
  }

  test('a route is compared with the same order over fewer pools, as the service quotes it', async () => {
    const page = await open(pair('WETH', 'DAI', '500'))
    await page.getByRole('button', { name: 'Compare with other routes' }).click()
    const row = page.locator('.why-route tbody tr', { hasText: 'No split: the best single pool' })
    const shown = await row.locator('.num').nth(0).getAttribute('title', WAIT)
    const query = `src=${stage.token('WETH')}&dst=${stage.token('DAI')}&amount=${500n * 10n ** 18n}&maxSplits=1`
    const answer = (await (await fetch(`${stage.server.url}/quote/31337?${query}`)).json()) as { toAmount: string }
    expect(baseOf(shown!, 18)).toBe(BigInt(answer.toAmount))
    const losses = await page.locator('.why-route tbody tr td:last-child').allTextContents()
    expect(losses.length).toBe(5)
    // The service takes the best route, so no restriction pays more.
    for (const loss of losses) expect(loss).not.toContain('\u2212')
  })

  test('a route of one pool is a low band, with the losing pools and their differences', async () => {
    const page = await open(pair('USDC', 'DAI', '20'))
    const box = (await page.locator('.flow > svg').boundingBox())!
    expect(box.height).toBeLessThan(120)
    await page
      .locator('.why-route tbody tr', { hasText: /^Only / })
      .first()
      .waitFor(WAIT)
    expect(await page.locator('.why-route tbody tr').count()).toBeGreaterThan(2)
  })

  test.each(['SVG', 'PNG'] as const)(
    'the drawing is saved as %s, with its order and without a script',
    async (format) => {
      const page = await open(pair('WETH', 'DAI', '500'))
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: `Save ${format}` }).click(),
      ])
      const bytes = readFileSync(await download.path())
      if (format === 'SVG') {
        const text = bytes.toString('utf8')
        expect(text).toMatch(/^<svg/)
        expect(text).toContain('500 WETH → ')
        expect(text.match(/<path/g)!.length).toBeGreaterThan(5)
        expect(text).not.toMatch(/<script|onload|href|class=|var\(/)
      } else expect(distinctColors(bytes)).toBeGreaterThan(20)
    },
  )

  test('the chart of the pair draws the blocks that the service has seen', async () => {
    const page = await open(pair('WETH', 'DAI', '5'))
    await page.getByText(/It starts with the first visit|Blocks/).waitFor(WAIT)
    const deadline = Date.now() + WAIT.timeout
    // Each block needs a request, since the service follows the chain only while somebody asks.
    while (Date.now() < deadline && !(await page.locator('.pair__line').count())) {
      await stage.rpc('evm_mine')
      await page.waitForTimeout(1_500)
    }
    // A line without changes has no height, which counts as not visible.
    await page.locator('.pair__line').waitFor({ ...WAIT, state: 'attached' })
    expect(await page.locator('.pair .note').last().textContent()).toBeTruthy()
    expect(await page.locator('.pair__depth dd').allTextContents()).toEqual([
      expect.stringMatching(/^\$|any amount/),
      expect.stringMatching(/^\$|any amount/),
    ])
  })

  test('a link has a preview image of its order, which is cached, and text of the link is escaped', async () => {
    const { server } = stage
    const path = pair('WETH', 'DAI', '%22500%22')
    const html = await (await fetch(`${server.url}${path}`)).text()
    const url = /<meta property="og:image" content="([^"]+)"/.exec(html)![1]!.replaceAll('&amp;', '&')
    expect(new URL(url).origin).toBe(server.url)
    const first = await fetch(url)
    expect(first.headers.get('content-type')).toBe('image/png')
    const png = Buffer.from(await first.arrayBuffer())
    expect(distinctColors(png)).toBeGreaterThan(20)
    const plain = Buffer.from(await (await fetch(`${server.url}/app/card.png`)).arrayBuffer())
    expect(png.equals(plain)).toBe(false)
    expect(Buffer.from(await (await fetch(url)).arrayBuffer()).equals(png)).toBe(true)
    for (const hostile of ['"><script>alert(1)</script>', '1e9', '-1', '9'.repeat(99)]) {
      const query = path.replace('%22500%22', encodeURIComponent(hostile))
      const page = await (await fetch(`${server.url}${query}`)).text()
      expect(page).not.toContain('og:image')
      expect(page).not.toContain('alert(1)')
      const card = await fetch(`${server.url}/app/card.png${query.slice(1)}`)
      expect(Buffer.from(await card.arrayBuffer()).equals(plain)).toBe(true)
    }
    const other = await fetch(
      `${server.url}/app/card.png?chain=99999999&src=${stage.token('WETH')}&dst=${stage.token('DAI')}&amount=1`,
    )
    expect(other.status).toBe(200)
  })

  test('figures of the previous amount disappear if the new quote is late', async () => {
    const page = await open(pair('WETH', 'DAI', '5'))
    await page.locator('.least__v .num').waitFor(WAIT)
    await page.route(/\/(stream|quote|aggregator)\//, () => {
      // Never answers, as a service that hangs.
    })
    await page.getByRole('textbox', { name: /^Amount to pay/ }).fill('7')
    await expect.poll(() => page.locator('.least__v .num').count(), WAIT).toBe(0)
    // The route follows the order after the next paint.
    await expect.poll(() => page.locator('.gt').count(), WAIT).toBe(0)
  })

  test('marks are visible in forced colors, and a printed page cuts no column', async () => {
    const page = await open(pair('WETH', 'DAI', '500'), { forcedColors: 'active' })
    const fills = await page.locator('.gt__b').evaluateAll((gates) => gates.map((gate) => getComputedStyle(gate).fill))
    const ground = await page.locator('.route').evaluate((panel) => getComputedStyle(panel).backgroundColor)
    for (const fill of fills) expect(fill).not.toBe(ground)
    await page.emulateMedia({ media: 'print', forcedColors: 'none' })
    await page.setViewportSize({ width: 794, height: 1123 })
    const cut = await page
      .locator('.legs .scroll, .why-route .scroll')
      .evaluateAll((boxes) => boxes.map((box) => box.scrollWidth - box.clientWidth))
    for (const hidden of cut) expect(hidden).toBeLessThanOrEqual(1)
  })

  test('a chain without a node shows a reason and a retry', async () => {
    const { page } = await stage.open('/?chain=1')
    await page.locator('.btn--go', { hasText: 'Try again' }).waitFor(WAIT)
    await page.getByText('Couldn’t load the token list.').waitFor(WAIT)
  })
})

/** Base units of a decimal text. */
function baseOf(text: string, decimals: number): bigint {
  const [coins = '0', fraction = ''] = text.split('.')
  return BigInt(coins + fraction.padEnd(decimals, '0'))
}

/** Number of different pixels of the first rows of unfiltered data, which is enough to distinguish a drawing from an empty picture. */
function distinctColors(png: Buffer): number {
  expect(png.subarray(1, 4).toString('latin1')).toBe('PNG')
  const parts: Buffer[] = []
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at)
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') parts.push(png.subarray(at + 8, at + 8 + length))
    at += length + 12
  }
  const data = inflateSync(Buffer.concat(parts))
  const colors = new Set<number>()
  for (let at = 0; at + 3 < data.length; at += 3) colors.add(data.readUIntBE(at, 3))
  return colors.size
}

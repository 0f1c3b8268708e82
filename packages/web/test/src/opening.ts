/**
 * Tests that each page opens, and that the security policy holds. They share the chain and the service of the Swap page's
 * other tests.
 */
import { expect, test } from 'vitest'
import type { Stage } from './stage.ts'

const WAIT = { timeout: 50_000 }
const PHONE = { width: 390, height: 844 }

/** Every page with its path and a selector that appears once the page is complete. */
const PAGES = [
  ['swap', '/', '.gt'],
  ['simulate', '/app/simulate', '.form'],
  ['referee', '/app/referee', 'main form'],
  ['prices', '/app/prices', '.plot__line'],
  ['accuracy', '/app/honesty', 'main h1'],
  ['chains', '/app/chains', '.tile--following'],
  ['api', '/app/api', 'main h1'],
] as const

/** Registers the tests. */
export function openingTests(stageOf: () => Stage): void {
  async function expectOpens(path: string, selector: string): Promise<void> {
    const { page, complaints } = await stageOf().open(path, { viewport: PHONE })
    await page
      .locator(selector)
      .first()
      .waitFor({ ...WAIT, state: 'attached' })
    expect(await page.getByText('Something broke').count()).toBe(0)
    expect(await page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - innerWidth))).toBe(0)
    expect(complaints).toEqual([])
  }

  test.each(PAGES)('opens on a phone without an error, and scrolls only vertically: %s', (_, path, selector) =>
    expectOpens(path, selector),
  )

  test('the Explain page decodes calldata of the service, and warns of another Executor', async () => {
    const { devnet, server, token } = stageOf()
    const query = { src: token('WETH'), dst: token('USDC'), amount: String(10n ** 18n) }
    const from = devnet.info.accounts[0]!.address
    const answer = await (
      await fetch(`${server.url}/aggregator/31337?${new URLSearchParams({ ...query, from })}`)
    ).json()
    const { data } = (answer as { tx: { data: string } }).tx
    const executor = devnet.info.executor.slice(2).toLowerCase()
    await expectOpens(`/app/explain?chain=31337#${data}`, '.verdict:not(.verdict--bad)')
    const tampered = data.replace(executor, `${executor.slice(0, -2)}00`)
    await expectOpens(`/app/explain?chain=31337#${tampered}`, '.verdict--bad')
  })

  test('injected markup runs, loads, and sends nothing, and is reported', async () => {
    const { page } = await stageOf().open('/health', { isOwn: true })
    const other = stageOf().devnet.url.replace('127.0.0.1', 'localhost')
    const injected = `<base href="${other}/"><style>.gt{display:none}</style><script>globalThis.ran='inline'</script>
      <script src="${other}/x.js"></script><script src="data:text/javascript,globalThis.ran='data'"></script>
      <img src="x" onerror="globalThis.ran='handler'"><img src="${other}/x.png"><object data="${stageOf().server.url}/"></object>
      <iframe src="${stageOf().server.url}/"></iframe><form id="f" action="${other}/"><input name="a"></form>`
    await page.addInitScript(() => {
      const refused: string[] = []
      Object.assign(globalThis, { refused })
      addEventListener('securitypolicyviolation', ({ effectiveDirective }) => refused.push(effectiveDirective))
    })
    // The headers are the service's own.
    await page.route(stageOf().server.url, async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, body: (await response.text()).replace('<div id="root">', `${injected}$&`) })
    })
    await page.goto(`${stageOf().server.url}/`)
    await page.locator('.gt').first().waitFor(WAIT)
    const answer = await page.evaluate(async (url) => {
      ;(document.getElementById('f') as HTMLFormElement).submit()
      const sent = await fetch(`${url}/elsewhere`).then(
        () => 'sent',
        () => 'refused',
      )
      const text = (() => {
        try {
          document.createElement('div').innerHTML = '<img src=x onerror=alert(1)>'
          return 'taken'
        } catch {
          return 'refused'
        }
      })()
      const { ran } = globalThis as unknown as { ran: string | undefined }
      return { ran, sent, text, base: document.baseURI }
    }, other)
    expect(answer).toEqual({ ran: undefined, sent: 'refused', text: 'refused', base: `${stageOf().server.url}/` })
    const refused = () => page.evaluate(() => (globalThis as unknown as { refused: string[] }).refused)
    const all = 'base-uri connect-src form-action frame-src img-src object-src require-trusted-types-for'.split(' ')
    const expected = [...all, 'script-src-attr', 'script-src-elem', 'style-src-elem']
    await expect.poll(async () => [...new Set(await refused())].sort(), WAIT).toEqual(expected)
  })

  test('no other page can frame this one', async () => {
    const { page } = await stageOf().open('/health')
    await page.goto('about:blank')
    await page.setContent(`<iframe src="${stageOf().server.url}/"></iframe>`)
    await expect.poll(() => page.frames()[1]?.url()).toMatch(/^chrome-error:/)
  })
}

/** Pages of the browser that several tests use one after the other. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

export type Options = BrowserContextOptions & {
  /** Script that runs in the page before all others. */
  readonly before?: string
  /** True for a page with an empty cache that no other test uses, and for tests that change it beyond `reset`. */
  readonly isOwn?: boolean
}

const VIEWPORT = { width: 1440, height: 960 }
/** Maximum milliseconds to reset a page. A page that takes longer is closed. */
const RESET_MS = 10_000
/** Events of pages that tests listen to. */
const EVENTS = ['pageerror', 'console', 'dialog', 'request', 'requestfinished'] as const

export class Pages {
  /** Pages without a test, by their options. */
  private readonly idle = new Map<string, Page>()
  private readonly browser: Browser
  private readonly plainUrl: string

  /** @param plainUrl - URL of the tested origin that loads no scripts */
  constructor(browser: Browser, plainUrl: string) {
    this.browser = browser
    this.plainUrl = plainUrl
  }

  /** Returns a page without stored data: one that an earlier test gave back, or a new one. */
  async take({ before, isOwn = false, ...options }: Options): Promise<Page> {
    const key = JSON.stringify([before, options])
    const keptPage = isOwn ? undefined : this.idle.get(key)
    if (keptPage) {
      this.idle.delete(key)
      return keptPage
    }
    const context = await this.browser.newContext({ viewport: VIEWPORT, reducedMotion: 'reduce', ...options })
    context.setDefaultTimeout(60_000)
    const page = await context.newPage()
    if (before) await page.addInitScript(before)
    return page
  }

  /** Keeps the page for the next test with the same options. Closes it if it cannot be reset. */
  async giveBack(page: Page, { before, isOwn = false, ...options }: Options): Promise<void> {
    const key = JSON.stringify([before, options])
    // Listeners and routes that outlive their test would fail with the page, as an error of no test.
    for (const event of EVENTS) page.removeAllListeners(event)
    if (!page.isClosed()) await page.unrouteAll({ behavior: 'ignoreErrors' }).catch(() => undefined)
    const isReset = !isOwn && !this.idle.has(key) && (await this.reset(page, options))
    if (isReset) this.idle.set(key, page)
    else await page.context().close()
  }

  private async reset(page: Page, { viewport = VIEWPORT, colorScheme, forcedColors }: Options): Promise<boolean> {
    // A second page of the context could keep its own state.
    if (page.isClosed() || page.context().pages().length > 1) return false
    try {
      await page.context().setOffline(false)
      if (viewport) await page.setViewportSize(viewport)
      const media = { media: null, colorScheme: colorScheme ?? 'light', forcedColors: forcedColors ?? 'none' } as const
      await page.emulateMedia({ ...media, reducedMotion: 'reduce' })
      await page.goto(this.plainUrl, { timeout: RESET_MS })
      await page.evaluate(() => {
        localStorage.clear()
        sessionStorage.clear()
      })
      return true
    } catch {
      return false
    }
  }
}

/** Serves the site from a real service, behind a proxy with a path prefix, in a real browser. */
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { loadConfig, type RunningServer, startServer } from '@sluice/api'
import { BROWSER_ARGS } from '@sluice/api/testing'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

export type ServedSite = {
  /** Address of the documentation, without trailing slash. */
  readonly docs: string
  readonly open: (
    path: string,
    options?: BrowserContextOptions,
  ) => Promise<{ readonly page: Page; readonly complaints: string[] }>
  readonly stop: () => Promise<void>
}

/**
 * Starts the service, the proxy, and the browser.
 *
 * @param prefix - path under which the proxy serves the whole service, unknown to the service
 */
export async function serveSite(executablePath: string, prefix: string): Promise<ServedSite> {
  // No test requests a chain, so no node is needed.
  const service = await startServer(
    loadConfig({ PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'silent', DATA_DIR: '', RPC_URL_1: 'http://127.0.0.1:9' }),
  )
  const proxy = await startProxy(service, prefix)
  const browser: Browser = await chromium.launch({ executablePath, args: BROWSER_ARGS })
  const docs = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${prefix}/docs`
  return {
    docs,
    async open(path, options = {}) {
      const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
      context.setDefaultTimeout(60_000)
      const page = await context.newPage()
      const pageErrors: string[] = []
      page.on('pageerror', ({ message }) => pageErrors.push(message))
      page.on('console', (message) => message.type() === 'error' && pageErrors.push(message.text()))
      page.on(
        'response',
        (response) => response.status() >= 400 && pageErrors.push(`${response.status()} ${response.url()}`),
      )
      await page.goto(docs + path)
      return { page, complaints: pageErrors }
    },
    async stop() {
      await browser.close()
      proxy.closeAllConnections()
      await new Promise((resolve) => proxy.close(resolve))
      await service.close()
    },
  }
}

function startProxy({ url }: RunningServer, prefix: string): Promise<Server> {
  const server = createServer((incoming, response) => {
    if (!incoming.url!.startsWith(`${prefix}/`)) {
      response.writeHead(404).end()
      return
    }
    const target = new URL(url + incoming.url!.slice(prefix.length))
    const forwarded = request(
      target,
      { method: incoming.method, headers: { ...incoming.headers, host: target.host } },
      (proxied) => {
        response.writeHead(proxied.statusCode!, proxied.headers)
        proxied.pipe(response)
      },
    )
    forwarded.on('error', () => response.destroy())
    incoming.pipe(forwarded)
  })
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}

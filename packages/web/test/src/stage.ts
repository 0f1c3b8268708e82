/** Test environment of the page: a real service, a real local chain, and a real browser. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunningServer } from '@sluice/api'
import { startChain, startOver } from '@sluice/api/testing'
import { type Devnet, NodeProxy, request, writeDevnetJson } from '@sluice/devnet'
import type { Browser, Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { launch } from './browser.ts'
import { type Options, Pages } from './pages.ts'

export type Stage = {
  readonly devnet: Devnet
  /** Proxy between the service and the node. The wallet of the page connects to the node directly. */
  readonly proxy: NodeProxy
  readonly server: RunningServer
  readonly token: (symbol: string) => string
  readonly rpc: <T>(method: string, ...params: readonly unknown[]) => Promise<T>
  readonly balance: (token: string, owner: string) => Promise<bigint>
  /**
   * Opens a page and collects its errors. After the test, the page is kept for a later one with the same options: a page
   * in a new context costs more than twice the CPU time of a page that navigates.
   */
  readonly open: (path: string, options?: Options) => Promise<{ readonly page: Page; readonly complaints: string[] }>
  readonly stop: () => Promise<void>
}

/** Waits until the service has measured the drift of some quotes, so that statistics exist. */
export async function measure({ server, token, rpc }: Stage): Promise<void> {
  const url = `${server.url}/stats/31337`
  const deadline = Date.now() + 20_000
  for (let samples = 0; samples < 6 && Date.now() < deadline; ) {
    const pairs = [
      ['WETH', 'USDC'],
      ['USDC', 'DAI'],
      ['WBTC', 'WETH'],
    ] as const
    const one = (src: string, dst: string) =>
      fetch(`${server.url}/quote/31337?src=${token(src)}&dst=${token(dst)}&amount=${10 ** 9}`)
    await Promise.all(pairs.map(([src, dst]) => one(src, dst)))
    for (const _ of [1, 2]) {
      await rpc('evm_mine')
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
    samples = ((await (await fetch(url)).json()) as { readonly samples: number }).samples
  }
}

/** @param env - additional settings of the service */
export async function startStage(executablePath: string, env: Readonly<Record<string, string>> = {}): Promise<Stage> {
  const dir = mkdtempSync(join(tmpdir(), 'sluice-web-'))
  const devnet = await startChain()
  const proxy = await NodeProxy.start(devnet.url)
  const server = await startOver(proxy.url, {
    LOCAL_CHAIN_FILE: join(dir, 'devnet.json'),
    RPC_TIMEOUT_MS: '5000',
    // Tests another build of the web app than the package's.
    ...(process.env.WEB_DIR && { WEB_DIR: process.env.WEB_DIR }),
    ...env,
  })
  await writeDevnetJson({ dir, devnet, apiUrl: server.url })
  const browser: Browser = await launch(executablePath)
  const pages = new Pages(browser, `${server.url}/health`)
  const rpc = <T>(method: string, ...params: readonly unknown[]) => request<T>(devnet.url, method, params)
  return {
    ...{ devnet, proxy, server, rpc },
    token: (symbol) => devnet.info.tokens[symbol as keyof typeof devnet.info.tokens]!.address,
    async balance(token, owner) {
      // Selector of `balanceOf(address)`.
      const data = `0x70a08231${owner.slice(2).toLowerCase().padStart(64, '0')}`
      return BigInt(await rpc<string>('eth_call', { to: token, data }, 'latest'))
    },
    async open(path, options = {}) {
      const page = await pages.take(options)
      onTestFinished(() => pages.giveBack(page, options))
      const complaints: string[] = []
      page.on('pageerror', ({ message }) => complaints.push(message))
      // Browsers log error responses of the service as errors, but they are no faults of the page.
      page.on('console', (message) => {
        if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
          complaints.push(message.text())
      })
      await page.goto(`${server.url}${path}`)
      return { page, complaints }
    },
    async stop() {
      await browser.close()
      await server.close()
      await proxy.stop()
      await devnet.stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/**
 * Browser tests of the pool scan's progress.
 *
 * @module-tag long
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findBrowser } from './src/browser.ts'
import { type Stage, startStage } from './src/stage.ts'

const browser = findBrowser()
const WAIT = { timeout: 60_000 }

describe.skipIf(!browser)('the page of chains, while past logs cannot be searched', () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await startStage(browser!)
    stage.proxy.intercept = ({ method, params }) => {
      const isRange = method === 'eth_getLogs' && (params[0] as { fromBlock?: string }).fromBlock !== undefined
      return isRange ? { error: { code: -32005, message: 'limit exceeded' } } : undefined
    }
    await fetch(`${stage.server.url}/prices/31337?token=${stage.token('WETH')}`)
  })
  afterAll(() => stage?.stop())

  test('reports which pools are missing and why', async () => {
    const { page, complaints } = await stage.open('/app/chains?chain=31337')
    await page.getByText('Some pools cannot be found.').waitFor(WAIT)
    const text = (await page.locator('.cd').textContent())!
    expect(text).toContain('The node refuses logs of even one block')
    expect(text).toMatch(/Missing: .*uniswap-v4/)
    expect(text).toMatch(/Past logs searched\s*0\s*%/)
    expect(complaints).toEqual([])
  })
})

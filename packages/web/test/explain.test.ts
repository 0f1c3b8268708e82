import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findBrowser } from './src/browser.ts'
import { type Stage, startStage } from './src/stage.ts'

const browser = findBrowser()
const WAIT = { timeout: 20_000 }

describe.skipIf(!browser)('the Explain page', () => {
  let stage: Stage
  let tx: { readonly to: string; readonly data: string }
  beforeAll(async () => {
    stage = await startStage(browser!)
    const query = `src=${stage.token('WETH')}&dst=${stage.token('USDC')}&amount=${50n * 10n ** 18n}&from=${stage.devnet.info.accounts[0]!.address}`
    const response = await fetch(`${stage.server.url}/aggregator/31337?${query}`)
    tx = ((await response.json()) as { tx: typeof tx }).tx
  })
  afterAll(() => stage?.stop())

  const open = (fragment: string) => stage.open(`/app/explain?chain=31337#${fragment}`)

  test('reads what the service made, and proves every contract that value goes through', async () => {
    const { page, complaints } = await open(`data=${tx.data}&to=${tx.to}`)
    await page.getByRole('status').filter({ hasText: 'Takes 50' }).waitFor(WAIT)
    expect(await page.locator('.mark--off').count()).toBe(0)
    // All bytes stand there, in order.
    const shown = await page.locator('.bytes').textContent()
    expect(shown).toBe(tx.data)
    const steps = await page.locator('.bytes .st').count()
    expect(await page.locator('.lane').count()).toBe(steps + 2)
    expect(complaints).toEqual([])
  })

  test('opens and explains without a connection, once any page was open for some seconds', async () => {
    const { page } = await stage.open('/app/chains')
    const loaded = () =>
      page.evaluate(() =>
        performance
          .getEntriesByType('resource')
          .map(({ name }) => name)
          .join(),
      )
    await expect.poll(loaded, { timeout: 40_000 }).toMatch(/ExplainPage-/)
    await page.waitForLoadState('networkidle').catch(() => {})
    await page.context().setOffline(true)
    await page.getByRole('link', { name: 'Explain' }).click()
    await page.getByRole('textbox').first().fill(tx.data)
    await page.getByRole('button', { name: 'Explain', exact: true }).click()
    // Names of tokens are the service's; what the bytes prove is not.
    await page.locator('.verdict').waitFor(WAIT)
    expect(await page.locator('.bytes').textContent()).toBe(tx.data)
    expect(await page.locator('.mark--off').count()).toBe(0)
  })

  test('a fact lights its bytes', async () => {
    const { page } = await open(tx.data)
    await page.getByRole('row', { name: /Pays at least/ }).focus()
    const lit = await page.locator('.bytes .hot').textContent()
    // Word 4 behind the selector: amountIn, tokenIn, tokenOut, minOutput.
    expect(lit).toBe(tx.data.slice(2 + 8 + 3 * 64, 2 + 8 + 4 * 64))
  })

  test('one changed byte of the Executor is loud', async () => {
    const executor = stage.devnet.info.executor.slice(2).toLowerCase()
    const other = `${executor.slice(0, -2)}${executor.endsWith('ee') ? 'aa' : 'ee'}`
    expect(tx.data).toContain(executor)
    const { page } = await open(tx.data.replace(executor, other))
    await page
      .getByRole('alert')
      .filter({ hasText: 'Do not sign: the Executor is not the one of the deployment.' })
      .waitFor(WAIT)
    expect(await page.locator('.bytes .off').textContent()).toBe(other)
  })

  test('a call of another contract than the Guard is loud too', async () => {
    const { page } = await open(`data=${tx.data}&to=${stage.token('WETH')}`)
    await page.getByRole('alert').filter({ hasText: 'Do not sign: it calls another contract' }).waitFor(WAIT)
  })

  test('what is no swap of the Guard is not taken for one, pasted or linked', async () => {
    const { page } = await stage.open('/app/explain?chain=31337')
    const transfer = `0xa9059cbb${tx.data.slice(10, 138)}`
    await page.getByRole('textbox').fill(transfer)
    await page.getByRole('button', { name: 'Explain', exact: true }).click()
    await page.getByRole('alert').filter({ hasText: 'This is no swap of the Guard.' }).waitFor(WAIT)
    expect(page.url()).toContain(`#${transfer}`)
    await page.getByRole('textbox').fill('0x12345')
    await page.getByRole('button', { name: 'Explain', exact: true }).click()
    await page.getByRole('alert').filter({ hasText: 'This cannot be read.' }).waitFor(WAIT)
  })

  test('a cut program is refused, not guessed at', async () => {
    const { page } = await open(tx.data.slice(0, -64))
    await page.getByRole('alert').filter({ hasText: 'This is no swap of the Guard.' }).waitFor(WAIT)
  })
})

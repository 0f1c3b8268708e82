/**
 * Browser tests of the Explain page.
 *
 * @module-tag long
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findBrowser } from './src/browser.ts'
import { mined } from './src/mined.ts'
import { type Stage, startStage } from './src/stage.ts'

const browser = findBrowser()
const WAIT = { timeout: 60_000 }

describe.skipIf(!browser)('the Explain page', () => {
  let stage: Stage
  let tx: { readonly to: string; readonly data: string; readonly from: string }
  let pools: readonly string[]
  beforeAll(async () => {
    stage = await startStage(browser!)
    // The saved chain is old. A new block has the current time, which deadlines depend on.
    await stage.rpc('evm_mine')
    const route = await swap('')
    tx = route.tx
    pools = route.swaps.map(({ pool }) => pool)
    // The first response omits prices that the service is still loading.
    await fetch(`${stage.server.url}/prices/31337?token=${stage.token('WETH')},${stage.token('USDC')}`)
  })
  afterAll(() => stage?.stop())

  type Route = { readonly tx: typeof tx; readonly swaps: readonly { readonly pool: string }[] }

  async function swap(terms: string): Promise<Route> {
    const from = stage.devnet.info.accounts[0]!.address
    const query = `src=${stage.token('WETH')}&dst=${stage.token('USDC')}&amount=${50n * 10n ** 18n}&from=${from}${terms}`
    const response = await fetch(`${stage.server.url}/aggregator/31337?${query}`)
    return (await response.json()) as Route
  }

  /** Returns the calldata with the word at index `place` after the selector replaced. */
  const withWord = (data: string, place: number, value: bigint): string =>
    data.slice(0, 10 + 64 * place) + value.toString(16).padStart(64, '0') + data.slice(10 + 64 * (place + 1))

  const open = (fragment: string) => stage.open(`/app/explain?chain=31337#${fragment}`)

  test('decodes calldata of the service, and proves every contract that receives value', async () => {
    const { page, complaints } = await open(`data=${tx.data}&to=${tx.to}`)
    await page.getByRole('status').filter({ hasText: 'Takes 50' }).waitFor(WAIT)
    expect(await page.locator('.mark--off').count()).toBe(0)
    // The page shows all bytes in order.
    const shown = await page.locator('.bytes').textContent()
    expect(shown).toBe(tx.data)
    const steps = await page.locator('.bytes .st').count()
    expect(await page.locator('.lane').count()).toBe(steps + 2)
    expect(complaints).toEqual([])
  })

  test('works offline once any page was open for some seconds', async () => {
    const { page } = await stage.open('/app/chains', { isOwn: true })
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
    // Token names come from the service, but the proofs need only the calldata.
    await page.locator('.verdict').waitFor(WAIT)
    expect(await page.locator('.bytes').textContent()).toBe(tx.data)
    expect(await page.locator('.mark--off').count()).toBe(0)
    const missing = 'names and decimals of the tokens; prices of the tokens'
    await page.getByText(`Not known here: the contract that it is sent to; ${missing}.`).waitFor(WAIT)
    expect(await page.locator('.verdict--good').count()).toBe(0)
  })

  test('a focused fact highlights its bytes', async () => {
    const { page } = await open(tx.data)
    await page.getByRole('row', { name: /Pays at least/ }).focus()
    const lit = await page.locator('.bytes .hot').textContent()
    // Words after the selector: amountIn, tokenIn, tokenOut, minOutput. This is the fourth.
    expect(lit).toBe(tx.data.slice(2 + 8 + 3 * 64, 2 + 8 + 4 * 64))
  })

  test('one changed byte of the Executor shows a warning', async () => {
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

  test('a call of another contract than the Guard shows a warning too', async () => {
    const { page } = await open(`data=${tx.data}&to=${stage.token('WETH')}`)
    await page.getByRole('alert').filter({ hasText: 'Do not sign: it calls another contract' }).waitFor(WAIT)
  })

  test('other calldata is not explained as a swap of the Guard, pasted or linked', async () => {
    const { page } = await stage.open('/app/explain?chain=31337')
    const transfer = `0xa9059cbb${tx.data.slice(10, 138)}`
    await page.getByRole('textbox').fill(transfer)
    await page.getByRole('button', { name: 'Explain', exact: true }).click()
    await page.getByRole('alert').filter({ hasText: 'This isn’t a Sluice swap.' }).waitFor(WAIT)
    expect(page.url()).toContain(`#${transfer}`)
    await page.getByRole('textbox').fill('0x12345')
    await page.getByRole('button', { name: 'Explain', exact: true }).click()
    await page.getByRole('alert').filter({ hasText: 'This cannot be read.' }).waitFor(WAIT)
  })

  test('a truncated program is refused', async () => {
    const { page } = await open(tx.data.slice(0, -64))
    await page.getByRole('alert').filter({ hasText: 'The calldata is malformed or truncated.' }).waitFor(WAIT)
  })

  const full = (data: string, from = tx.from) => `data=${data}&to=${tx.to}&from=${from}`

  test('reports usual terms as safe, with prices, fee, pools, and deadline', async () => {
    const { page, complaints } = await open(full(tx.data))
    const verdict = page.getByRole('status').filter({ hasText: 'Safe terms.' })
    await verdict.waitFor(WAIT)
    const text = (await verdict.textContent())!
    expect(text).toMatch(/Takes 50.* WETH \(\$1\d{5}\.\d\d\).* at least .* USDC \(\$1\d{5}\.\d\d\), or it reverts/)
    expect(text).toMatch(
      /minimum \d\.\d\d % below the value of the input · no fee · \d+ pools?, all known · valid until 20\d\d-/,
    )
    expect(complaints).toEqual([])
  })

  test.each([
    [
      'a minimum of 1 wei',
      () => full(withWord(tx.data, 3, 1n)),
      /the minimum is worth < \$0\.01, (100|99)\.\d\d % less than the \$/,
    ],
    [
      'a deadline of 1970',
      () => full(withWord(tx.data, 4, 60n)),
      /its deadline has passed \(1970-01-01 00:01:00 UTC\): it would revert/,
    ],
    [
      'a pool that nobody knows',
      () => {
        const pool = pools.find((address) => address.length === 42 && tx.data.includes(address.slice(2).toLowerCase()))!
        return full(tx.data.replace(pool.slice(2).toLowerCase(), 'badbadbadbadbadbadbadbadbadbadbadbadbad0'))
      },
      /1 pool isn’t from a known factory \(0xbadb…bad0\)/,
    ],
    [
      'another signer than the one who is paid',
      async () => {
        const other = `0x${'12'.repeat(20)}`
        return full((await swap(`&recipient=${other}`)).tx.data)
      },
      /it pays 0x1212…1212, not the signer/,
    ],
  ] as const)('reports %s as unusual, without a check mark', async (_, fragment, expected) => {
    const { page } = await open(await fragment())
    await page.getByRole('status').filter({ hasText: expected }).waitFor(WAIT)
    expect(await page.locator('.verdict--warn').count()).toBe(1)
    expect(await page.locator('.verdict--good').count()).toBe(0)
    await page.locator('.facts tr.odd').first().waitFor()
  })

  test('reports a fee of 10 % and a slippage of 50 %, which the service itself encodes', async () => {
    const fee = `&convenienceFee=10&convenienceFeeRecipient=0x${'34'.repeat(20)}&slippage=50`
    const { page } = await open(full((await swap(fee)).tx.data))
    const verdict = page.getByRole('status').filter({ hasText: /5\d\.\d\d % less than the \$/ })
    await verdict.waitFor(WAIT)
    await verdict.filter({ hasText: 'a fee of 10 % goes to 0x3434…3434' }).waitFor()
    expect(await page.locator('.facts tr.odd').count()).toBe(2)
  })

  test('lists the unknown facts of bare calldata, and does not report it as safe', async () => {
    const { page } = await open(tx.data)
    await page.getByText('Not known here: the contract that it is sent to.').waitFor(WAIT)
    expect(await page.locator('.verdict--good').count()).toBe(0)
  })

  test('explains an example, and a transaction that is in a block', async () => {
    const { page } = await stage.open('/app/explain?chain=31337')
    await page.getByRole('button', { name: 'try an example' }).click()
    await page.getByRole('status').filter({ hasText: 'Safe terms.' }).waitFor(WAIT)
    expect(new URL(page.url()).hash).toContain('0x')
    const hash = await (await mined(stage)).byService(10n ** 18n)
    const { page: other } = await open(hash)
    await other.getByText('This transaction is in a block, and succeeded.').waitFor(WAIT)
    await other.getByRole('status').filter({ hasText: 'Safe terms.' }).waitFor(WAIT)
  })

  test('reports an unknown hash', async () => {
    const { page } = await open(`0x${'ab'.repeat(32)}`)
    await page.getByRole('alert').filter({ hasText: 'No transaction with this hash on Devnet.' }).waitFor(WAIT)
    expect(await page.getByText('failed').count()).toBe(0)
  })
})

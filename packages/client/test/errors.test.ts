/** Tests the client's errors for both error versions of real services. */
import type { RunningServer } from '@sluice/api'
import { startOver, warmUp } from '@sluice/api/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SluiceClient } from '../src/index.ts'
import { CHAIN, type Stage, startStage } from './service.ts'

const NOBODY = `0x${'ab'.repeat(20)}`
let stage: Stage
beforeAll(async () => {
  stage = await startStage()
})
afterAll(() => stage?.stop())

const wanted = () => ({
  src: stage.token('WETH'),
  dst: stage.token('USDC'),
  amount: 10n ** 16n,
  from: stage.devnet.info.accounts[0]!.address,
})

describe.each(['A', 'B'] as const)('version %s', (version) => {
  let server: RunningServer
  let client: SluiceClient
  beforeAll(async () => {
    server = await startOver(stage.devnet.url, { ERROR_VERSION: version })
    client = new SluiceClient({ baseUrl: `${server.url}/`, timeoutMs: 30_000 })
    // Quotes before the end of the search for pools differ from later ones.
    const { amount, ...terms } = wanted()
    await warmUp(server.url, `/aggregator/${CHAIN}?${new URLSearchParams({ ...terms, amount: `${amount}` })}`)
  })
  afterAll(() => server?.close())

  test('responses of every endpoint are typed', async () => {
    const request = wanted()
    const route = await client.getSwap(CHAIN, request)
    expect(route.tx.to).toBe(stage.guard)
    const { from: _, ...walletless } = request
    expect((await client.getQuote(CHAIN, walletless)).toAmount).toBe(route.toAmount)
    const { from, to, data } = route.tx
    const simulation = { from, to, data, tokenIn: request.src, amountIn: request.amount, tokenOut: request.dst }
    expect(await client.simulate(CHAIN, simulation)).toMatchObject({ success: true, amountOut: route.toAmount })
    expect(await client.simulate(CHAIN, { ...simulation, data: '0xdeadbeef' })).toMatchObject({ success: false })
    expect((await client.prices(CHAIN, [request.src, request.dst]))[request.src]).toBeGreaterThan(0)
    expect((await client.liquidity(CHAIN, [request.src]))[request.src]).toBeGreaterThan(0)
    const exact = { src: request.src, dst: request.dst, amountOut: 10n ** 6n }
    expect((await client.getQuote(CHAIN, exact)).minToAmount).toBe(`${10n ** 6n}`)
    const [first, second] = await client.getQuotes(CHAIN, [walletless, { ...walletless, amount: '1e18' }])
    expect(first).toMatchObject({ toAmount: route.toAmount })
    expect(second).toMatchObject({ code: 'HTTP', details: { serviceCode: 'INVALID_PARAMETER' } })
    expect((await client.tokenList(CHAIN, { q: 'usd coin' }))[0]?.symbol).toBe('USDC')
    expect((await client.stats(CHAIN)).blocks.map(({ after }) => after)).toEqual([1, 2])
    expect((await client.chains())[CHAIN]?.RouterAddress).toBe(stage.guard)
  })

  test('a missing route is NO_ROUTE, for status 200 and 422', async () => {
    const none = client.getSwap(CHAIN, { ...wanted(), includeSources: ['nothing'] })
    await expect(none).rejects.toMatchObject({ code: 'NO_ROUTE', retryable: false })
    const priceless = client.getQuote(CHAIN, { ...wanted(), includeSources: ['nothing'] })
    await expect(priceless).rejects.toMatchObject({ code: 'NO_ROUTE', retryable: false })
  })

  test('a bad request has its message, and an unknown chain its status', async () => {
    await expect(client.getSwap(CHAIN, { ...wanted(), amount: '1e18' })).rejects.toMatchObject({
      code: 'HTTP',
      message: 'amount must be a base-10 integer',
      details: { status: 400 },
      retryable: false,
    })
    await expect(client.prices(999_999, [NOBODY])).rejects.toMatchObject({ code: 'HTTP', details: { status: 404 } })
  })

  test('a temporary error is retryable, with the time to wait', async () => {
    const ahead = client.getSwap(CHAIN, { ...wanted(), minimumBlock: 10 ** 9 })
    await expect(ahead).rejects.toMatchObject({ retryable: true, details: { status: 503, retryAfter: 1 } })
    const deaf = await startOver('http://127.0.0.1:9', { ERROR_VERSION: version })
    try {
      const failed = new SluiceClient({ baseUrl: deaf.url }).prices(CHAIN, [NOBODY])
      await expect(failed).rejects.toMatchObject({ retryable: true, details: { status: 502 } })
    } finally {
      await deaf.close()
    }
    const gone = new SluiceClient({ baseUrl: deaf.url }).chains()
    await expect(gone).rejects.toMatchObject({ code: 'NETWORK', retryable: true })
  })
})

/** Tests that quotes without a wallet have the amounts of the later transaction. */
import { NATIVE } from '@sluice/chains'
import { NEUTRAL_SENDER } from '@sluice/quoting'
import { expect, test, vi } from 'vitest'
import { localService, startOver } from './src/devnet.ts'
import { ask } from './src/service.ts'
import { deployToken } from './src/tokens.ts'

const local = localService()

/** Account that was never used on the local chain, like the neutral sender. */
const UNTRUSTED = `0x${'5a'.repeat(20)}`

async function get(endpoint: 'aggregator' | 'quote', query: Readonly<Record<string, string>>) {
  const answer = await ask(`${local.server.url}/${endpoint}/31337?${new URLSearchParams(query)}`)
  return { status: answer.status, body: JSON.parse(answer.text) }
}

/** Returns a deadline. Compared requests need the same one, because each zero byte of calldata costs 12 gas less. */
const nextHour = () => `${Math.floor(Date.now() / 1000) + 3600}`

const LONG = process.env.LONG === '1'

test('a quote without a sender equals the swap of an account without funds and of a holder, for all pairs', async () => {
  const tokens = [NATIVE, ...Object.values(local.devnet.info.tokens).map(({ address }) => address)]
  const holder = local.devnet.info.accounts[0]!.address
  const decimalsOf = new Map(
    Object.values(local.devnet.info.tokens).map(({ address, decimals }) => [address, decimals]),
  )
  const deadline = nextHour()
  let priced = 0
  let requestCount = 0
  for (const [i, src] of tokens.entries())
    for (const [j, dst] of tokens.entries()) {
      // The daily profile tests a thirtieth of the pairs.
      if (src === dst || (!LONG && (i + j) % 30 !== 0)) continue
      requestCount++
      const amount = `${10n ** BigInt(decimalsOf.get(src as never) ?? 18)}`
      const query = { src, dst, amount, slippage: '1', maxPriceImpact: '100', deadline }
      // Background work may change pools, gas or prices between the requests, so repeat the comparison.
      const { quoted, tx } = await vi.waitFor(async () => {
        const quoted = await get('quote', query)
        const untrusted = await get('aggregator', { ...query, from: UNTRUSTED })
        const { tx, requestId: _, ...same } = untrusted.body
        const { requestId: __, ...figures } = quoted.body
        expect({ ...figures, status: quoted.status }, `${src} ${dst}`).toEqual({ ...same, status: untrusted.status })
        if (quoted.status !== 200) return { quoted, tx }
        const withHoldings = await get('aggregator', { ...query, from: holder })
        const extraAmount = BigInt(withHoldings.body.toAmount) - BigInt(quoted.body.toAmount)
        // A holder's gas differs, which decides between routes of nearly equal output. Rebasing shares also round differently.
        const gasCost = BigInt(quoted.body.toAmount) - BigInt(quoted.body.netToAmount ?? quoted.body.toAmount)
        const maxGasCost = gasCost / 100n
        expect(extraAmount < 0n ? -extraAmount : extraAmount, `${src} ${dst} by a holder`).toBeLessThanOrEqual(
          maxGasCost > 1n ? maxGasCost : 1n,
        )
        return { quoted, tx }
      }, 60_000)
      expect(quoted.body.tx).toBeUndefined()
      if (quoted.status !== 200) continue
      priced++
      expect(tx.from).toBe(UNTRUSTED)
    }
  expect(priced).toBeGreaterThan(requestCount - tokens.length)
}, 300_000)

test('from changes only the simulated sender', async () => {
  const [src, dst] = [local.devnet.info.tokens.WETH!.address, local.devnet.info.tokens.USDC!.address]
  const query = { src, dst, amount: `${10n ** 18n}`, deadline: nextHour() }
  await vi.waitFor(async () => {
    const { body, status } = await get('quote', { ...query, from: UNTRUSTED })
    expect(status).toBe(200)
    expect(body).toEqual((await get('quote', query)).body)
  }, 60_000)
  const guard = (await get('aggregator', { ...query, from: UNTRUSTED })).body.tx.to
  expect((await get('quote', { ...query, from: guard })).body.code).toBe('INVALID_PARAMETER')
})

test('a token that refuses contracts and bars accounts is quoted in both directions', async () => {
  const picky = await deployToken(local.devnet, 'PickyToken')
  await picky.send('bar', [UNTRUSTED])
  const weth = local.devnet.info.tokens.WETH!.address
  for (const [src, dst] of [
    [weth, picky.address],
    [picky.address, weth],
  ] as const) {
    const { status, body } = await get('quote', { src, dst, amount: `${10n ** 15n}` })
    expect(status, JSON.stringify(body)).toBe(200)
    expect(BigInt(body.toAmount)).toBeGreaterThan(0n)
    const barred = await get('aggregator', { src, dst, amount: `${10n ** 15n}`, from: UNTRUSTED })
    expect(barred.body.code).toBe('ROUTE_REVERTED')
  }
})

test('the neutral sender has no code and holds nothing on the local chain', async () => {
  const answers = await Promise.all(
    ['eth_getCode', 'eth_getBalance', 'eth_getTransactionCount'].map((method) =>
      fetch(local.devnet.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [NEUTRAL_SENDER, 'latest'] }),
      }).then((response) => response.json() as Promise<{ result: string }>),
    ),
  )
  expect(answers.map(({ result }) => result)).toEqual(['0x', '0x0', '0x0'])
})

test('an amount that drains every pool is quoted within the gas of a transaction', async () => {
  const { USDT, DAI } = local.devnet.info.tokens
  // A million times the available liquidity: crossing all narrow ticks would exceed the block gas limit.
  const amount = `${10n ** 22n}`
  const query = new URLSearchParams({ src: USDT!.address, dst: DAI!.address, amount, maxPriceImpact: '100' })
  // On a busy machine the search may exceed the default timeout.
  const server = await startOver(local.devnet.url, { ROUTE_TIMEOUT_MS: '60000' })
  try {
    const { status, text } = await ask(`${server.url}/quote/31337?${query}`)
    expect(status, text).toBe(200)
    expect(Number(JSON.parse(text).gasEstimate)).toBeLessThan(15_000_000)
  } finally {
    await server.close()
  }
}, 120_000)

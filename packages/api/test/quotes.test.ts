/** Tests batches of quotes on the local chain: one block, and a separate result or error each. */
import { expect, test } from 'vitest'
import { localService, request } from './src/devnet.ts'
import { ask, warmUp } from './src/service.ts'

const local = localService()

const token = (symbol: string) => local.devnet.info.tokens[symbol]!.address
const post = (body: unknown, chain = '31337') =>
  ask(`${local.server.url}/quotes/${chain}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

test('each quote equals a single quote at the same block, and an invalid request fails alone', async () => {
  const from = local.devnet.info.accounts[0]!.address
  const swap = { src: token('WETH'), dst: token('USDC'), amount: `${10n ** 18n}`, from, deadline: '99999999999' }
  const { from: _, ...quote } = { ...swap, dst: token('DAI') }
  const wrong = { ...quote, amount: '1.5' }
  const nowhere = { ...quote, dst: `0x${'77'.repeat(20)}` }
  const path = (endpoint: string, query: Record<string, string>) => `/${endpoint}/31337?${new URLSearchParams(query)}`
  await warmUp(local.server.url, path('aggregator', swap))
  await warmUp(local.server.url, path('quote', quote))
  const { status, text } = await post({ quotes: [swap, quote, wrong, nowhere, swap] })
  expect(status, text).toBe(200)
  const { simulationBlock, blockHash, quotes } = JSON.parse(text)
  const alone = async (endpoint: string, query: Record<string, string>) =>
    JSON.parse((await ask(local.server.url + path(endpoint, query))).text)
  // A busy process may omit the gap after gas, but must not return a different one.
  const expectSame = (reported: { optimalityGapNet: unknown }, other: { optimalityGapNet: unknown }) => {
    const gaps = [reported, other].map(({ optimalityGapNet }) => optimalityGapNet).filter((gap) => gap !== null)
    expect(new Set(gaps).size).toBeLessThanOrEqual(1)
    expect({ ...reported, optimalityGapNet: null }).toEqual({ ...other, optimalityGapNet: null })
  }
  expect(quotes).toHaveLength(5)
  expectSame(quotes[0], await alone('aggregator', swap))
  expectSame(quotes[4], quotes[0])
  expectSame(quotes[1], await alone('quote', quote))
  expect(quotes[2]).toMatchObject({ error: 'amount must be a base-10 integer', code: 'INVALID_PARAMETER' })
  expect(quotes[3]).toMatchObject({ code: 'UNKNOWN_TOKEN', block: simulationBlock })
  expect(quotes[0]).toMatchObject({ simulationBlock, blockHash })
})

test('twenty quotes use one block while new blocks arrive', async () => {
  const symbols = ['WETH', 'USDC', 'DAI', 'WBTC', 'LINK']
  const pairs = symbols.flatMap((src) => symbols.filter((dst) => dst !== src).map((dst) => [src, dst] as const))
  expect(pairs).toHaveLength(20)
  let done = false
  const mine = async () => {
    while (!done) {
      await request(local.devnet.url, 'evm_mine')
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  const mining = mine()
  try {
    const quotes = pairs.map(([src, dst]) => ({
      src: token(src),
      dst: token(dst),
      amount: `${10n ** BigInt(local.devnet.info.tokens[src]!.decimals)}`,
    }))
    const { status, text } = await post({ quotes })
    expect(status, text).toBe(200)
    const body = JSON.parse(text)
    expect(new Set(body.quotes.map((quote: { blockHash: string }) => quote.blockHash)), text).toEqual(
      new Set([body.blockHash]),
    )
    expect(body.quotes.every(({ toAmount }: { toAmount: string }) => BigInt(toAmount) > 0n)).toBe(true)
  } finally {
    done = true
    await mining
  }
})

test('an invalid batch is refused', async () => {
  const quote = { src: token('WETH'), dst: token('USDC'), amount: '1' }
  for (const body of [{}, { quotes: [] }, { quotes: 'x' }, { quotes: [1] }, { quotes: Array(21).fill(quote) }]) {
    const { status, text } = await post(body)
    expect({ status, text }, text).toMatchObject({
      status: 400,
      text: expect.stringContaining('quotes must be a list'),
    })
  }
  expect((await post('[]')).status).toBe(400)
  expect((await post({ quotes: [quote] }, '5')).status).toBe(404)
  const got = await ask(`${local.server.url}/quotes/31337`)
  expect({ status: got.status, allow: got.headers.get('allow') }).toEqual({ status: 405, allow: 'POST' })
})

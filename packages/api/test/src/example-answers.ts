/** Records the documentation's example of every operation, with a service over the local chain. */
import type { Devnet } from '@sluice/devnet'
import type { ExampleAnswer } from '../../src/docs/openapi.ts'
import { request } from './devnet.ts'
import { EventReader } from './event-source.ts'
import { warmUp } from './service.ts'

/** Settings of the recorded service: one chain, and every quote is sampled for drift. */
export const EXAMPLE_SETTINGS = { CHAINS: '31337', DRIFT_SAMPLE_PERCENT: '100' }
/** Maximum list elements in an example. */
const MAX_ELEMENTS = 2
/** Maximum lines of text in an example. */
const MAX_LINES = 12

/** Records requests and responses by operation. Shortens lists and text; all other values are unchanged. */
export async function exampleAnswers(devnet: Devnet, url: string): Promise<Readonly<Record<string, ExampleAnswer>>> {
  const { tokens, accounts } = devnet.info
  const [WETH, USDC] = [tokens.WETH!.address, tokens.USDC!.address]
  const from = accounts[0]!.address
  const trade = `src=${WETH}&dst=${USDC}&amount=1000000000000000000`
  // Blocks of the saved chain are old; a new block has the current time.
  await request(devnet.url, 'evm_mine')
  await warmUp(url, `/quote/31337?${trade}`)
  await warmUp(url, `/prices/31337?token=${WETH},${USDC}`)

  await haveStatistics(devnet, url, `/quote/31337?${trade}`)

  const get = (path: string) => ask(url, 'GET', path)
  const post = (path: string, body: object) => ask(url, 'POST', path, body)
  const swap = await get(`/aggregator/31337?${trade}&from=${from}`)
  const { tx, toAmount } = swap.answer as { readonly tx: Transaction; readonly toAmount: string }
  const simulated = { from, to: tx.to, data: tx.data, tokenIn: WETH, amountIn: '1000000000000000000', tokenOut: USDC }
  const quotes = [
    { src: WETH, dst: USDC, amount: '1000000000000000000' },
    { src: USDC, dst: WETH, amountOut: '1000000000000000000' },
  ]
  const examples = {
    swap,
    quote: await get(`/quote/31337?${trade}`),
    quotes: await post('/quotes/31337', { quotes }),
    stream: await streamed(url, `/stream/31337?${trade}`, devnet),
    simulate: await get(`/simulate/31337?${new URLSearchParams(simulated)}`),
    simulatePost: await post('/simulate/31337', simulated),
    prices: await get(`/prices/31337?token=${WETH}&detail=1`),
    pricesPost: await post('/prices/31337', { token: [WETH, USDC] }),
    currentPrices: await get(`/prices/current/31337:${WETH}`),
    liquidity: await get(`/liquidity/31337?token=${WETH}`),
    history: await get(`/history/31337?token=${WETH}`),
    permit: await get(`/permit/31337?src=${USDC}&amount=3000000000&from=${from}`),
    tokens: await get(`/tokens/31337?token=${tokens.TAXED!.address}`),
    tokenList: await get('/tokenlist/31337?limit=2'),
    stats: await get('/stats/31337'),
    chains: await get('/chains'),
    health: await get('/health'),
    ready: await get('/ready'),
    chainReady: await get('/ready/31337'),
    metrics: await get('/metrics'),
  }
  const hash = await send(devnet, WETH, tx)
  const status = await get(`/status/31337/${hash}?toAmount=${toAmount}`)
  return { ...examples, status, referee: await get(`/referee/31337/${hash}`) }
}

type Transaction = { readonly from: string; readonly to: string; readonly data: string; readonly value: string }

async function ask(url: string, method: string, path: string, body?: object): Promise<ExampleAnswer> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url + path, { method, ...(body && { headers, body: JSON.stringify(body) }) })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${path}: ${text}`)
  const isJson = response.headers.get('content-type')!.startsWith('application/json')
  const answer = isJson ? cut(JSON.parse(text)) : `${text.split('\n').slice(0, MAX_LINES).join('\n')}\n`
  return { request: `${method} ${path}`, ...(body && { body }), answer }
}

/** Quotes and mines blocks until drift statistics of one and two blocks exist. */
async function haveStatistics(devnet: Devnet, url: string, quote: string): Promise<void> {
  for (let round = 0; round < 100; round++) {
    await fetch(url + quote)
    await request(devnet.url, 'evm_mine')
    await new Promise((resolve) => setTimeout(resolve, 200))
    const { blocks } = (await (await fetch(`${url}/stats/31337`)).json()) as {
      readonly blocks: readonly { readonly samples: number }[]
    }
    if (blocks.every(({ samples }) => samples > 0)) return
  }
  throw new Error('no quote was looked at again; is DRIFT_SAMPLE_PERCENT set?')
}

/** Returns the first quote of a stream, and the first block that does not change it. */
async function streamed(url: string, path: string, devnet: Devnet): Promise<ExampleAnswer> {
  const reader = new EventReader(url + path)
  await reader.until((events) => events.length > 0)
  for (let round = 0; round < 20 && !reader.events.some(({ event }) => event === 'block'); round++) {
    await request(devnet.url, 'evm_mine')
    await reader.until((all) => all.length > round + 1)
  }
  reader.close()
  const [quote, block] = ['quote', 'block'].map((name) => reader.events.find(({ event }) => event === name)!.data)
  return { request: `GET ${path}`, answer: { quote: cut(quote), block } }
}

/** Approves and sends a swap from an unlocked account, and waits for its receipt. */
async function send(devnet: Devnet, token: string, { from, to, data, value }: Transaction): Promise<string> {
  // approve(address,uint256)
  const approval = `0x095ea7b3${to.slice(2).toLowerCase().padStart(64, '0')}${'f'.repeat(64)}`
  await request(devnet.url, 'eth_sendTransaction', { from, to: token, data: approval })
  const swap = { from, to, data, value: `0x${BigInt(value).toString(16)}`, gas: '0x7a1200' }
  const hash = await request<string>(devnet.url, 'eth_sendTransaction', swap)
  for (let look = 0; look < 600; look++) {
    if (await request(devnet.url, 'eth_getTransactionReceipt', hash)) return hash
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`no receipt of ${hash}`)
}

/** Shortens lists at any depth. */
function cut(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, MAX_ELEMENTS).map(cut)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, fieldValue]) => [name, cut(fieldValue)]))
}

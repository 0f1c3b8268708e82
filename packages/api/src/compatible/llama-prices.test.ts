/** Tests of the parameters and body of DefiLlama's price endpoint. */
import { loadRegistry } from '@sluice/chains'
import { QuotingError } from '@sluice/quoting'
import { describe, expect, test } from 'vitest'
import { served } from '../../test/src/in-memory.ts'
import { currentPricesPath, read } from '../requests.ts'
import { bodyOf, chainIdsByName, coinsByChain } from './llama-prices.ts'

const registry = loadRegistry()
const names = chainIdsByName(registry.chainMap())
const TOKEN = `0x${'aB'.repeat(20)}`
const coinsOf = (coins: string) => read(currentPricesPath, { coins }).coins
const price = { decimals: 18, symbol: 'A', price: 1, timestamp: 1, confidence: 1 }

describe('names of chains', () => {
  test('are those of DefiLlama, chain ids, and registry names that DefiLlama does not use', () => {
    const expected = {
      ...{ ethereum: 1, bsc: 56, polygon: 137, arbitrum: 42161, optimism: 10, base: 8453, avax: 43114, xdai: 100 },
      ...{ fantom: 250, linea: 59144, scroll: 534352, mantle: 5000, gnosis: 100, '1': 1, '42161': 42161 },
    }
    expect(Object.fromEntries(Object.keys(expected).map((name) => [name, names.get(name)]))).toEqual(expected)
  })

  test('lead to every chain that is served', () => {
    expect(new Set(names.values())).toEqual(new Set(registry.supportedIds()))
  })

  test('that two chains claim belong to the chain of the key', () => {
    const entry = registry.chainMap()['1']!
    const chains = {
      1: { ...entry, CoinsPrefix: 'two' },
      2: { ...entry, ChainID: '2', ChainName: 'Two', CoinsPrefix: null },
    }
    expect([...chainIdsByName(chains)]).toEqual([
      ['ethereum', 1],
      ['two', 1],
      ['1', 1],
      ['2', 2],
    ])
  })
})

describe('coins', () => {
  test('are distinguished by chain and keep the spelling of the request', () => {
    const sent = [`ethereum:${TOKEN}`, `ETHEREUM:${TOKEN.toLowerCase()}`, `1:0X${TOKEN.slice(2).toUpperCase()}`]
    const other = `base:${TOKEN}`
    const byChain = coinsByChain(coinsOf([...sent, other, sent[0]].join()), names)
    expect([...byChain.keys()]).toEqual([1, 8453])
    expect([...byChain.get(1)!]).toEqual(sent.map((text) => [text, TOKEN.toLowerCase()]))
  })

  test.each([
    'coingecko:bitcoin',
    'coingecko:boringdao-[old]',
    'aptos:0x1::aptos_coin::AptosCoin',
    `__proto__:${TOKEN}`,
    `constructor:${TOKEN}`,
    `01:${TOKEN}`,
    `1e0:${TOKEN}`,
    `${'9'.repeat(64)}:${TOKEN}`,
  ])('%s belongs to a chain that is not served, which is not an error', (coin) => {
    expect(coinsByChain(coinsOf(coin), names).size).toBe(0)
  })

  test.each([
    ['', 'coins must be provided'],
    [',', 'coins must be <chain>:<address>'],
    [`ethereum:${TOKEN},`, 'coins must be <chain>:<address>'],
    ['ethereum', 'coins must be <chain>:<address>'],
    ['ethereum:', 'coins must be <chain>:<address>'],
    [`:${TOKEN}`, 'coins must be <chain>:<address>'],
    [`ethereum :${TOKEN}`, 'coins must be <chain>:<address>'],
    [`ethereum:${TOKEN}, base:${TOKEN}`, 'coins must be <chain>:<address>'],
    [`${'a'.repeat(65)}:${TOKEN}`, 'coins must be <chain>:<address>'],
    [`ethereum:${'a'.repeat(129)}`, 'coins must be <chain>:<address>'],
    ['еthereum:0x', 'coins must be <chain>:<address>'],
    ['ethereum:\u202e0x', 'coins must be <chain>:<address>'],
  ])('%j is malformed', (coins, message) => {
    expect(() => coinsOf(coins)).toThrow(message)
  })

  test.each([`${TOKEN}0`, TOKEN.slice(0, -1), TOKEN.slice(2), 'native_token', `${TOKEN.slice(0, -1)}g`])(
    '%s is not an address',
    (token) => {
      const coins = coinsOf(`coingecko:bitcoin,ethereum:${token}`)
      expect(() => coinsByChain(coins, names)).toThrow('coins must have a valid 0x... address for chain ethereum')
    },
  )

  test('are at most 100 different ones, on at most 20 chains', () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, k) => `ethereum:0x${String(k).padStart(40, '0')}`).join()
    expect(coinsOf(`${many(100)},${many(100)}`)).toHaveLength(100)
    expect(() => coinsOf(many(101))).toThrow('coins must list at most 100')
    const onChains = (count: number) =>
      coinsOf(
        registry
          .supportedIds()
          .slice(0, count)
          .map((id) => `${id}:${TOKEN}`)
          .join(),
      )
    expect(coinsByChain(onChains(20), names).size).toBe(20)
    expect(() => coinsByChain(onChains(21), names)).toThrow('coins must be of at most 20 chains')
  })
})

describe('the answer', () => {
  const coins = coinsOf(`base:${TOKEN},coingecko:bitcoin,ethereum:${TOKEN}`)
  const priceResult = (chain: string) => ({ prices: new Map([[`${chain}:${TOKEN}`, price]]) })
  const failed = (message: string) => ({ error: new Error(message) })

  test('has the order of the request, without unknown coins', () => {
    const { coins: converted } = bodyOf(coins, [priceResult('ethereum'), priceResult('base')])
    expect(Object.keys(converted)).toEqual([`base:${TOKEN}`, `ethereum:${TOKEN}`])
    expect(Object.getPrototypeOf(converted)).toBeNull()
  })

  test('omits the coins of a failed chain, and is its error if no other chain was read', () => {
    expect({ ...bodyOf(coins, [failed('a'), priceResult('base')]).coins }).toEqual({ [`base:${TOKEN}`]: price })
    expect(() => bodyOf(coins, [failed('a'), failed('b')])).toThrow('a')
  })

  test('is empty if no chain was requested', () => {
    expect(JSON.stringify(bodyOf(coins, []))).toBe('{"coins":{}}')
  })
})

describe('the endpoint', () => {
  const block = { number: 7, timestamp: 70 }
  const [priced, silent, unpriced, pending] = ['a', 'b', 'c', 'd'].map((digit) => `0x${digit.repeat(40)}`) as [
    ...[string, string, string, string],
  ]
  const book = {
    ...{ isCurrent: true, hasNoPendingJumps: true },
    usd: (token: string) => (token === unpriced ? null : 1.5),
    detail: async () => ({ usd: 1.5, confidence: 0.9 }),
  }
  const view = { snapshot: { block }, prices: () => book, responses: { store: () => {} } }
  const symbolReads: unknown[] = []
  const liveChain = (change: object = {}) => ({
    views: { recent: async () => ({ view, isComplete: true }) },
    gatherEvidence: async () => new Set([pending]),
    tokens: {
      symbols: async (tokens: readonly string[]) => {
        symbolReads.push(tokens)
        return new Map([[priced, 'KNW']])
      },
      facts: { decimals: (token: string) => (token === silent ? undefined : 18) },
    },
    ...change,
  })
  const ask = async (coins: string, { ask: send } = served(liveChain())) => {
    const { status, body, headers } = await send(`/prices/current/${coins}`)
    return { status, body: JSON.parse(body), etag: headers.etag }
  }

  test('has price, decimals, symbol, time, and confidence of each token that has them', async () => {
    const spelled = `Ethereum:${priced.toUpperCase().replace('X', 'x')}`
    const coins = [spelled, ...[silent, unpriced, pending].map((token) => `ethereum:${token}`), 'solana:x'].join()
    const { status, body, etag } = await ask(coins)
    expect(status).toBe(200)
    expect(body).toEqual({
      coins: { [spelled]: { decimals: 18, symbol: 'KNW', price: 1.5, timestamp: 70, confidence: 0.9 } },
    })
    expect(etag).toBeDefined()
    // Symbols are read only of tokens with a price.
    expect(symbolReads).toEqual([[priced, silent]])
  })

  test('has no symbol if the token has none', async () => {
    const other = `ethereum:0x${'e'.repeat(40)}`
    expect((await ask(other)).body.coins[other]).toEqual({ decimals: 18, price: 1.5, timestamp: 70, confidence: 0.9 })
  })

  test('is the error of the chain if no other was read, and needs coins', async () => {
    const views = { recent: () => Promise.reject(new QuotingError('BEHIND', 'the chain is behind')) }
    expect((await ask(`ethereum:${priced}`, served(liveChain({ views })))).body).toMatchObject({ code: 'BEHIND' })
    expect((await ask('')).status).toBe(400)
  })
})

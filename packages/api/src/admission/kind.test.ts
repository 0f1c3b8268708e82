/** Tests of the classification of requests. */
import { expect, test } from 'vitest'
import { classifyRequest } from './kind.ts'

const kindOf = (url: string, method?: string) => classifyRequest(url, method)?.kind

test('endpoints of a chain need admission, by chain and kind', () => {
  for (const endpoint of ['aggregator', 'quotes', 'simulate', 'stream', 'permit', 'tokenlist', 'status', 'referee'])
    expect(classifyRequest(`/${endpoint}/8453?x=1`)).toEqual({
      endpoint,
      chainId: 8_453,
      kind: endpoint,
      isCacheable: false,
    })
  expect(classifyRequest('/status/1/0xab')).toMatchObject({ endpoint: 'status', chainId: 1 })
})

test('a quote has the kind of a swap', () => {
  expect(classifyRequest('/quote/1')).toMatchObject({ endpoint: 'quote', kind: 'aggregator' })
})

test('a quote at a past block is a kind of its own', () => {
  for (const url of ['/quote/1?block=7', '/quote/1?src=0x1&block=7&x=1'])
    expect(classifyRequest(url)).toMatchObject({ endpoint: 'quote', kind: 'past quote' })
  for (const url of ['/quote/1?minimumblock=7', '/quote/1?xblock=7']) expect(kindOf(url)).toBe('aggregator')
  expect(kindOf('/aggregator/1?block=7')).toBe('aggregator')
})

test('other paths need no admission', () => {
  const others = [
    '/',
    '/chains',
    '/quote',
    '/quote/',
    '/quote/0',
    '/quote/x',
    '/quote/1x',
    '/x/quote/1',
    '/Quote/1',
    '/stats/1',
  ]
  for (const url of [...others, `/quote/1${'0'.repeat(16)}`, '/ready/1', ' /quote/1'])
    expect(classifyRequest(url), url).toBeUndefined()
})

test('the kind of a list includes its length, rounded up to a power of two', () => {
  const tokens = (length: number, comma = ',') => `/prices/1?token=${Array(length).fill('0x1').join(comma)}`
  expect([1, 2, 3, 4, 5, 8, 9].map((length) => kindOf(tokens(length)))).toEqual([
    ...['prices 0', 'prices 1', 'prices 2', 'prices 2', 'prices 3', 'prices 3', 'prices 4'],
  ])
  for (const comma of ['%2C', '%2c']) expect(kindOf(tokens(4, comma))).toBe('prices 2')
  for (const other of ['%2D', '%3C', '2C']) expect(kindOf(tokens(4, other))).toBe('prices 0')
  expect(kindOf('/tokens/1?token=a,b')).toBe('tokens 1')
  expect(kindOf('/aggregator/1?excludePools=a,b')).toBe('aggregator')
})

test('answers about prices and depth may be cached, except for POST', () => {
  expect(
    ['prices', 'liquidity', 'tokens', 'quote'].map((endpoint) => classifyRequest(`/${endpoint}/1`)!.isCacheable),
  ).toEqual([...[true, true, false, false]])
  expect(classifyRequest('/prices/1', 'POST')).toEqual({
    ...{ endpoint: 'prices', chainId: 1, kind: 'prices posted', isCacheable: false },
  })
})

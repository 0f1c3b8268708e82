/** Tests the rows of the Prices page. */
import { NATIVE } from '@sluice/client'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { PageToken } from '../service/tokens.ts'

let rows: typeof import('./rows.ts')
beforeAll(async () => {
  // The page's client reads its URL when its module is loaded.
  vi.stubGlobal('location', { origin: 'http://service.test' })
  rows = await import('./rows.ts')
})
afterAll(() => void vi.unstubAllGlobals())

const tokenAt = (address: string, tags: PageToken['tags'] = []): PageToken => ({
  ...{ address, symbol: 'T', name: 'Token', decimals: 18, tags },
})
const depthOf = (usd: number) => ({ '0.5': usd, '1': usd, '2': usd, '5': usd, '10': usd })

test('rows are undefined until the prices are loaded, then deepest first', () => {
  const tokens = [tokenAt('0xa'), tokenAt('0xb'), tokenAt('0xc')]
  expect(rows.priceRowsOf(tokens, undefined)).toBeUndefined()
  const evidence = { usd: 1, confidence: 1, sources: [], reason: null }
  const loadedRows = rows.priceRowsOf(tokens, {
    prices: { '0xb': evidence },
    depths: { '0xb': depthOf(1), '0xc': depthOf(2) },
  })
  expect(loadedRows?.map(({ address, evidence, depth }) => [address, evidence?.usd, depth?.['2']])).toEqual([
    ['0xc', undefined, 2],
    ['0xb', 1, 1],
    ['0xa', undefined, undefined],
  ])
})

test('a chain that lists no token, or only the native one and copies, has no rows without a request', () => {
  const tokens = rows.tokensWithRows([tokenAt(NATIVE), tokenAt('0xd', ['copy'])])
  expect(rows.priceRowsOf(tokens, undefined)).toEqual([])
})

test('at most a hundred tokens have a row', () => {
  expect(rows.tokensWithRows(Array.from({ length: 101 }, (_, k) => tokenAt(`0x${k}`)))).toHaveLength(100)
})

test('two equal sources of a pool have different keys', () => {
  const source = { pool: '0xe', protocol: 'curve-stable', usd: 1, weight: 0.5 }
  const [first, second] = rows.sourcesWithKeys([source, source])
  expect(first).toMatchObject(source)
  expect(first!.key).not.toBe(second!.key)
})

/** Tests which answers of the service the names and decimals of tokens need. */
import { SluiceClient } from '@sluice/client'
import { SluiceProvider, tokenListOptions } from '@sluice/react'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { createElement } from 'react'
import { renderToString } from 'react-dom/server'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'

const [LISTED, UNLISTED] = ['1', '2'].map((digit) => `0x${digit.repeat(40)}`) as [string, string]
const tokenAt = (address: string) => ({ address, symbol: 'T', name: 'T', decimals: 6, chainId: 1, tags: [] })
const client = new SluiceClient({ baseUrl: 'http://service.test' })
const listKey = tokenListOptions(client, 1, { limit: 500 }).queryKey
const lookupKey = ['token names', 1, [UNLISTED]]

let tokens: typeof import('./tokens.ts')
beforeAll(async () => {
  // The page's client reads its URL when its module is loaded.
  vi.stubGlobal('location', { origin: 'http://service.test' })
  tokens = await import('./tokens.ts')
})
afterAll(() => void vi.unstubAllGlobals())

type Names = ReturnType<typeof tokens.useTokenNames>
type ReaderProps = { readonly addresses: readonly string[]; readonly onRead: (names: Names) => void }
function Reader({ addresses, onRead }: ReaderProps) {
  onRead(tokens.useTokenNames(1, addresses))
  return null
}

/** Returns the names of tokens with a cache that `fill` has filled. */
function namesOf(addresses: readonly string[], fill: (queries: QueryClient) => void): Names {
  // A failed query keeps its error when the component mounts, as it does in a mounted one.
  const queries = new QueryClient({ defaultOptions: { queries: { retryOnMount: false } } })
  fill(queries)
  const onRead = vi.fn<(names: Names) => void>()
  const inService = createElement(SluiceProvider, { client }, createElement(Reader, { addresses, onRead }))
  renderToString(createElement(QueryClientProvider, { client: queries }, inService))
  return onRead.mock.lastCall![0]
}

function setFailed(queries: QueryClient, queryKey: readonly unknown[]): void {
  queries
    .getQueryCache()
    .build(queries, { queryKey })
    .setState({ status: 'error', error: new Error('down') })
}

test('a token whose lookup failed has no decimals yet, rather than 18', () => {
  const fillList = (queries: QueryClient) => void queries.setQueryData(listKey, [tokenAt(LISTED)] as never)
  const failed = namesOf([LISTED, UNLISTED], (queries) => {
    fillList(queries)
    setFailed(queries, lookupKey)
  })
  expect([failed.isReady, failed.error]).toEqual([false, new Error('down')])
  const loaded = namesOf([LISTED, UNLISTED], (queries) => {
    fillList(queries)
    queries.setQueryData(lookupKey, [[tokenAt(UNLISTED)]])
  })
  expect([loaded.isReady, loaded.error, loaded.tokenOf(UNLISTED).decimals]).toEqual([true, null, 6])
  const listed = namesOf([LISTED], fillList)
  expect([listed.isReady, listed.tokenOf(LISTED).decimals]).toEqual([true, 6])
})

test('tokens stay known if a later request for the list fails', () => {
  const names = namesOf([LISTED], (queries) => {
    queries.setQueryData(listKey, [tokenAt(LISTED)] as never)
    setFailed(queries, listKey)
  })
  expect([names.isReady, names.tokenOf(LISTED).decimals]).toEqual([true, 6])
})

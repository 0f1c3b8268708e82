/** Tests of the cached token list and of its search. */
import { type Address, toAddress } from '@sluice/chains'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { TokenCatalog } from './token-catalog.ts'

const [A, B, OTHER] = ['a', 'b', 'c'].map((digit) => toAddress(`0x${digit.repeat(40)}`)) as [Address, Address, Address]
const NOW = 1_000_000
const listed = [
  { address: A, symbol: 'WETH', name: 'Wrapped Ether' },
  { address: B, symbol: 'USDC', name: 'USD Coin' },
]

beforeEach(() => void vi.useFakeTimers({ now: NOW }))
afterEach(() => void vi.useRealTimers())

function catalogOf({ isComplete = true, failures = 0 } = {}) {
  const sources: unknown[] = []
  let lists = 0
  const lister = {
    registry: new Map([[A, {}]]),
    list: async () => {
      if (lists++ < failures) throw new Error('the node is away')
      return listed
    },
    unlistedEntry: async (address: Address, { extra }: { readonly extra: unknown }) => {
      sources.push(['entry', address, extra])
      return address === OTHER ? { address, symbol: 'OTH', name: 'Other' } : undefined
    },
  }
  const catalog = new TokenCatalog(lister as never)
  const source = async (extra?: readonly Address[]) => {
    sources.push(extra)
    return { isComplete, extra, view: { snapshot: { block: { number: 7 } } } } as never
  }
  return { catalog, source, sources, countLists: () => lists }
}

test('a list is built once, with its time and block, and again when it is old', async () => {
  const { catalog, source, countLists } = catalogOf()
  const [first, second] = await Promise.all([catalog.load(source), catalog.load(source)])
  expect(first).toEqual({ tokens: listed, madeAt: NOW, block: 7 })
  expect([second, countLists()]).toEqual([first, 1])
  vi.advanceTimersByTime(1_000)
  expect((await catalog.load(source)).madeAt).toBe(NOW)
  vi.advanceTimersByTime(24 * 3_600_000)
  expect((await catalog.load(source)).madeAt).toBeGreaterThan(NOW)
  expect(countLists()).toBe(2)
})

test('a list is not kept longer after the clock was set back', async () => {
  const { catalog, source, countLists } = catalogOf()
  await catalog.load(source)
  vi.setSystemTime(NOW - 3_600_000)
  vi.advanceTimersByTime(60_000)
  await catalog.load(source)
  expect(countLists()).toBe(2)
})

test('a list without all pools is kept for less time than one with them', async () => {
  const keptMs = async (isComplete: boolean) => {
    const { catalog, source, countLists } = catalogOf({ isComplete })
    await catalog.load(source)
    let ms = 0
    while (countLists() === 1) {
      vi.advanceTimersByTime(500)
      ms += 500
      await catalog.load(source)
    }
    return ms
  }
  expect(await keptMs(false)).toBeLessThan((await keptMs(true)) / 2)
})

test('a list that failed is built again', async () => {
  const { catalog, source } = catalogOf({ failures: 1 })
  await expect(catalog.load(source)).rejects.toThrow('the node is away')
  expect((await catalog.load(source)).tokens).toEqual(listed)
})

test('text is found in symbols and names, in any case', async () => {
  const { catalog, source } = catalogOf()
  const find = async (text: string) => (await catalog.search(text, source)).tokens.map(({ address }) => address)
  expect(await find('weth')).toEqual([A])
  expect(await find('  COIN ')).toEqual([B])
  expect(await find('e')).toEqual([A])
  expect(await find('')).toEqual([A, B])
  expect(await find('nothing')).toEqual([])
})

test('an address is found in the list, or by itself with its pools', async () => {
  const { catalog, source, sources } = catalogOf()
  const find = async (text: string) => catalog.search(text, source)
  expect(await find(A.toUpperCase().replace('X', 'x'))).toEqual({ tokens: [listed[0]], madeAt: NOW, block: 7 })
  expect(sources).toEqual([undefined])
  expect((await find(OTHER)).tokens).toEqual([{ address: OTHER, symbol: 'OTH', name: 'Other' }])
  expect(sources.slice(1)).toEqual([[OTHER], ['entry', OTHER, [OTHER]]])
  expect((await find(`0x${'d'.repeat(40)}`)).tokens).toEqual([])
})

test('the tokens of the file are those whose pools a list needs', () => {
  expect(catalogOf().catalog.registry).toEqual([A])
})

/** Tests of the list of tokens: origins, order, copies, and limits. */
import { type Address, type Chain, NATIVE, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { expect, test } from 'vitest'
import { TokenLister } from './token-list.ts'

const at = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const [WETH, USDC, DEEP, SHALLOW, COPY, UNKNOWN] = [1, 2, 3, 4, 5, 6].map(at) as [
  ...[Address, Address, Address, Address, Address, Address],
]
const wrappedNative = { address: WETH, symbol: 'WETH', decimals: 18 }
const chain = {
  ...{ chainId: 1, nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 }, wrappedNative, hubs: [WETH] },
  ...{ stables: [], tokens: [wrappedNative, { address: USDC, symbol: 'USDC', decimals: 6 }], dexes: [] },
} as unknown as Chain

type World = {
  readonly chain?: Chain
  readonly depths?: ReadonlyMap<Address, number>
  readonly pools?: readonly (readonly Address[])[]
  readonly symbols?: Readonly<Record<Address, { readonly symbol?: string; readonly name?: string }>>
  readonly notTokens?: readonly Address[]
  readonly withoutDecimals?: readonly Address[]
}

function listerOf({
  depths = new Map([
    [USDC, 5_000],
    [DEEP, 10_000],
    [SHALLOW, 9_999.9],
    [COPY, 90_000],
  ]),
  pools = [
    [WETH, DEEP],
    [ZERO_ADDRESS, SHALLOW],
    [COPY, USDC],
  ],
  symbols = { [DEEP]: { symbol: 'F O\tO', name: 'Found' }, [SHALLOW]: { symbol: 'LOW' }, [COPY]: { symbol: 'USDС' } },
  notTokens = [],
  withoutDecimals = [],
  ...world
}: World = {}) {
  const names: (readonly Address[])[] = []
  const lister = new TokenLister({
    chain: world.chain ?? chain,
    facts: {
      check: async () => {},
      isToken: (token: Address) => !notTokens.includes(token),
      decimals: (token: Address) => (withoutDecimals.includes(token) ? undefined : 8),
    },
    names: {
      read: async (tokens: readonly Address[]) => names.push(tokens),
      get: (token: Address) => symbols[token],
    },
  } as never)
  const book = { depthUsd: async (token: Address) => depths.get(token) ?? null }
  const view = { prices: () => book, snapshot: { pools: new Map(pools.map((tokens, k) => [k, { tokens }])) } }
  const source = { view, rpc: {} } as never
  return {
    lister,
    names,
    list: () => lister.list(source),
    entry: (token: Address) => lister.unlistedEntry(token, source),
  }
}

test('the native token is first, then tokens by depth, with those of the file and those found in deep pools', async () => {
  const { list, names } = listerOf()
  const tokens = await list()
  expect(tokens.map(({ address, origin }) => [address, origin])).toEqual([
    [NATIVE, 'native'],
    [COPY, 'found'],
    [DEEP, 'found'],
    [USDC, 'registry'],
    [WETH, 'registry'],
  ])
  expect(tokens[0]).toEqual({
    ...{ address: NATIVE, depthUsd: null, origin: 'native', name: 'Ether', symbol: 'ETH', decimals: 18 },
    copyOf: undefined,
  })
  expect(new Set(names.flat())).toEqual(new Set([WETH, USDC, DEEP, COPY]))
})

test('a found token has its own name and decimals, one of the file those of the file', async () => {
  const tokens = new Map((await listerOf().list()).map((token) => [token.address, token]))
  expect(tokens.get(DEEP)).toMatchObject({ name: 'Found', decimals: 8, depthUsd: 10_000, copyOf: undefined })
  expect(tokens.get(USDC)).toMatchObject({ name: 'USDC', symbol: 'USDC', decimals: 6, copyOf: undefined })
})

test('a token whose symbol looks like one of the file, or of the native token, is marked as its copy', async () => {
  const symbols = { [DEEP]: { symbol: 'ETH' }, [COPY]: { symbol: 'usdс' } }
  const tokens = new Map((await listerOf({ symbols }).list()).map((token) => [token.address, token.copyOf]))
  expect([tokens.get(COPY), tokens.get(DEEP), tokens.get(WETH)]).toEqual([USDC, WETH, undefined])
})

test('a token without a symbol or decimals is left out', async () => {
  const addresses = async (world: World) => (await listerOf(world).list()).map(({ address }) => address)
  expect(await addresses({ symbols: { [COPY]: { symbol: ' ' } } })).toEqual([NATIVE, USDC, WETH])
  expect(await addresses({ withoutDecimals: [COPY, DEEP, USDC] })).toEqual([NATIVE, USDC, WETH])
})

test('a chain without a wrapper has no native token in its list', async () => {
  const bare = { ...chain, wrappedNative: null, hubs: [USDC], tokens: [chain.tokens[1]!] } as Chain
  expect((await listerOf({ chain: bare }).list()).map(({ origin }) => origin)).not.toContain('native')
})

test('only the 2,000 deepest found tokens are listed', async () => {
  const many = Array.from({ length: 3_000 }, (_, k) => at(100 + k))
  const tokens = await listerOf({
    depths: new Map(many.map((token, k) => [token, 20_000 + k])),
    pools: many.map((token) => [WETH, token]),
    symbols: Object.fromEntries(many.map((token, k) => [token, { symbol: `T${k}` }])),
  }).list()
  const depths = tokens.filter(({ origin }) => origin === 'found').map(({ depthUsd }) => depthUsd!)
  expect(depths).toEqual(Array.from({ length: 2_000 }, (_, k) => 22_999 - k))
})

test('a token that is asked for by its address is found or unlisted by its depth, if it is a token', async () => {
  const symbols = { [UNKNOWN]: { symbol: 'STR' }, [DEEP]: { symbol: 'FOO' } }
  const { entry } = listerOf({ symbols })
  expect(await entry(DEEP)).toMatchObject({ origin: 'found', symbol: 'FOO', name: 'FOO', depthUsd: 10_000 })
  expect(await entry(UNKNOWN)).toMatchObject({ origin: 'unlisted', depthUsd: null })
  expect(await listerOf({ symbols: { [SHALLOW]: { symbol: 'LOW' } } }).entry(SHALLOW)).toMatchObject({
    origin: 'unlisted',
    depthUsd: 9_999.9,
  })
  expect(await entry(NATIVE)).toBeUndefined()
  expect(await entry(ZERO_ADDRESS)).toBeUndefined()
  expect(await listerOf({ symbols, notTokens: [UNKNOWN] }).entry(UNKNOWN)).toBeUndefined()
  expect(await listerOf().entry(UNKNOWN)).toBeUndefined()
})

test('a symbol has no spaces and a limited length', () => {
  const { lister } = listerOf({ symbols: { [DEEP]: { symbol: ` A B${'C'.repeat(100)}` } } })
  const symbol = lister.symbolOf(DEEP)!
  expect(symbol.startsWith('ABC')).toBe(true)
  expect(symbol.length).toBeLessThan(100)
  expect([NATIVE, ZERO_ADDRESS, USDC, UNKNOWN].map((token) => lister.symbolOf(token))).toEqual([
    ...['ETH', 'ETH', 'USDC', undefined],
  ])
})

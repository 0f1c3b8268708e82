/** Tests which pairs are searched, and with which priority and time limit, with a node in memory. */
import { type Address, type DexRow, toAddress } from '@sluice/chains'
import { type RequestOptions, RpcError } from '@sluice/rpc'
import { expect, test, vi } from 'vitest'
import { pairKey, sortPair } from '../dexes/common/direction.ts'
import { Discovery, type DiscoveryOptions } from './discovery.ts'
import { FollowedTokens } from './followed-tokens.ts'
import { defaultMarketLimits } from './limits.ts'
import { BACKGROUND_TIMEOUT_MS } from './timing.ts'

const at = (n: number): Address => toAddress(`0x${n.toString(16).padStart(40, '0')}`)
const [hub, other, third, token] = [at(1), at(2), at(3), at(9)] as const
type Pair = readonly [Address, Address]
const keyOf = (a: Address, b: Address) => pairKey(sortPair([a, b]))

/** A discovery whose node answers no request and records the options of each. */
function discovered(isDown = false) {
  const searches: string[][] = []
  const requests: RequestOptions[] = []
  const rpc = {
    call: async (_call: unknown, _block: unknown, options: RequestOptions) => {
      requests.push(options)
      throw new RpcError('REVERTED', 'none')
    },
  }
  const family = {
    *findPools(_row: DexRow, pairs: readonly Pair[]) {
      searches.push(pairs.map(([a, b]) => keyOf(a, b)))
      if (isDown) throw new RpcError('UNREACHABLE', 'down')
      yield [{ to: at(7), data: '0x' }]
      return []
    },
  }
  const tokens = new FollowedTokens(new Set([hub, other, third]), defaultMarketLimits)
  for (const intermediate of [hub, other, third]) tokens.markRequested(intermediate)
  const row = { family: 'test' } as unknown as DexRow
  const scope = { hubs: [hub], intermediates: [hub, other, third] }
  const directory = {
    ...{ rows: [row], families: new Map([['test', family]]), familyOf: () => family, scope },
    ...{
      tokens,
      listedPools: new Map(),
      followedPools: new Map(),
    },
    hasFollowedPair: () => false,
  }
  const ledger = { newest: null, snapshot: () => ({ block: { number: 1, hash: '0x01' } }), history: null }
  const components = { rpc, directory, ledger, signal: new AbortController().signal }
  const follower = { retryOnReorg: (work: (block: { hash: string }) => Promise<unknown>) => work({ hash: '0x01' }) }
  const options = { components, follower, evictor: { run: () => {} }, limits: defaultMarketLimits, searchesLogs: false }
  return { discovery: new Discovery(options as unknown as DiscoveryOptions), searches, requests }
}

test('a requested token is searched with all intermediates at once, and all intermediates with each other', async () => {
  const { discovery, searches, requests } = discovered()
  await discovery.ensure([[token]])
  await discovery.whenIdle()
  const searchedPairs = new Set(searches.flat())
  for (const intermediate of [hub, other, third]) expect(searchedPairs).toContain(keyOf(token, intermediate))
  for (const [a, b] of [
    [hub, other],
    [hub, third],
    [other, third],
  ] as const)
    expect(searchedPairs).toContain(keyOf(a, b))
  // Each pair is searched once.
  expect(searches.flat()).toHaveLength(searchedPairs.size)
  const limitOf = (priority: string) => [
    ...new Set(requests.filter((request) => request.priority === priority).map(({ timeoutMs }) => timeoutMs)),
  ]
  expect(limitOf('background')).toEqual([BACKGROUND_TIMEOUT_MS])
  expect(limitOf('lookup')).toHaveLength(1)
  expect(limitOf('lookup')[0]).not.toBe(BACKGROUND_TIMEOUT_MS)
  const count = searches.length
  await discovery.ensure([[token]])
  expect(searches.slice(count)).toEqual([])
})

test('a search that failed is repeated with the next request', async () => {
  const { discovery, searches } = discovered(true)
  await expect(discovery.ensure([[token]])).rejects.toThrow('down')
  const first = searches.flat().filter((key) => key === keyOf(token, hub)).length
  await vi.waitFor(() => expect(discovery.stateCounts.queued.entries).toBe(0))
  await expect(discovery.ensure([[token]])).rejects.toThrow('down')
  expect(searches.flat().filter((key) => key === keyOf(token, hub)).length).toBe(first + 1)
})

/** A market that begins with somebody's list of pools: it saves the search of past logs, and cannot be made to believe in a pool. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Address, type Chain, type Hex, toAddress } from '@sluice/chains'
import { type Devnet, devnetChain, NodeProxy, startDevnet } from '@sluice/devnet'
import { createRpc } from '@sluice/rpc'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import {
  exportPools,
  families,
  type ListedPool,
  type PoolList,
  type PoolListImportCount,
  readPoolList,
  writePoolList,
} from '../src/index.ts'
import { HISTORY_BLOCKS } from '../src/market/history.ts'
import { createMarket, type IndexedMarket } from '../src/market/market.ts'
import { servedRows } from '../src/market/pool-reader.ts'

/** Families of the local chain whose pools only past logs record; others have tests of their own. */
const BY_LOGS = ['uniswap-v4-hooks', 'uniswap-v4', 'balancer-v2', 'balancer-v3']

let devnet: Devnet
let chain: Chain
let node: NodeProxy
let list: PoolList
let head: number
const logs: { fromBlock: string; toBlock: string }[] = []
const dir = mkdtempSync(join(tmpdir(), 'sluice-head-start-'))

beforeAll(async () => {
  devnet = await startDevnet()
  const file = JSON.stringify(devnetChain(devnet.info, devnet.url))
  chain = JSON.parse(file.replace(/"0x[0-9a-fA-F]{40}"/g, (text) => text.toLowerCase()))
  node = await NodeProxy.start(devnet.url, ({ method, params }) => {
    if (method === 'eth_getLogs') logs.push(params[0] as (typeof logs)[number])
    return undefined
  })
  const path = join(dir, '31337.sqlite')
  const saving = await run({ save: { path } })
  head = saving.market.snapshot().block.number
  await saving.close()
  // Its blocks are too few for the margin that an export leaves to reorgs.
  list = scannedTo(exportPools(path, chain), head)
})
afterAll(async () => {
  await node?.stop()
  await devnet?.stop()
  rmSync(dir, { recursive: true })
})
beforeEach(() => {
  logs.length = 0
})

function scannedTo(of: PoolList, block: number): PoolList {
  const deployments = of.deployments.map((each) =>
    BY_LOGS.includes(each.family) ? { ...each, scannedTo: block } : each,
  )
  return { ...of, deployments }
}

/** A market that has looked for all tokens, and searched all that it wants to search. */
async function run(options: Partial<Parameters<typeof createMarket>[0]> = {}) {
  const rpc = createRpc({ chainId: devnet.chainId, urls: [node.url], scan: { calls: 1_000, bytes: 1e9 } })
  const counts: PoolListImportCount[] = []
  const market: IndexedMarket = createMarket({
    chain,
    rpc,
    onPoolListImport: (count) => counts.push(count),
    ...options,
  })
  const tokens = Object.values(devnet.info.tokens).map(({ address }) => toAddress(address))
  await market.ensure(tokens)
  await vi.waitFor(() => expect(market.health().scan?.state).toBe('done'), { timeout: 60_000, interval: 50 })
  await vi.waitFor(() => expect(market.cacheCounts().queued!.entries).toBe(0), { timeout: 60_000, interval: 50 })
  await market.ensure(tokens)
  return { market, counts, close: () => market.stop().finally(() => rpc.close()) }
}

/** Pools that the market trades in. */
const idsOf = (market: IndexedMarket) => [...market.snapshot().pools.keys()].sort()

/** Blocks searched for pools, the newest left out: those are followed. */
const searched = () => logs.filter(({ fromBlock, toBlock }) => fromBlock !== toBlock && Number(fromBlock) < head)

test('a list survives a round trip through its file, and equal lists have equal bytes', () => {
  expect(list.deployments.map(({ family }) => family)).toEqual(expect.arrayContaining(BY_LOGS))
  const bytes = writePoolList(list)
  expect(readPoolList(bytes)).toEqual(list)
  expect(writePoolList(readPoolList(bytes)).equals(bytes)).toBe(true)
})

test('a list provides the pools of a log search, without the search', async () => {
  const plain = await run()
  expect(searched().length).toBeGreaterThan(0)
  const expected = idsOf(plain.market)
  await plain.close()
  logs.length = 0

  const begun = await run({ loadPoolList: () => readPoolList(writePoolList(list)) })
  expect(idsOf(begun.market)).toEqual(expected)
  expect(searched()).toEqual([])
  const { proven, refused } = begun.counts[0]!
  expect({ counts: begun.counts.length, refused }).toEqual({ counts: 1, refused: 0 })
  expect(proven).toBe(list.deployments.reduce((sum, { pools }) => sum + pools.length, 0))
  await begun.close()
})

test('verified pools are stored: a restart does not read the list again', async () => {
  const path = join(dir, 'kept.sqlite')
  const first = await run({ save: { path }, loadPoolList: () => list })
  expect(first.counts[0]!.proven).toBeGreaterThan(0)
  const poolIds = idsOf(first.market)
  await first.close()
  logs.length = 0
  const second = await run({ save: { path }, loadPoolList: () => list })
  expect(second.counts).toEqual([{ proven: 0, refused: 0 }])
  // Only the last blocks, which may have been reorged, are searched again.
  for (const { fromBlock } of searched()) expect(Number(fromBlock)).toBeGreaterThanOrEqual(head - HISTORY_BLOCKS)
  expect(idsOf(second.market)).toEqual(poolIds)
  await second.close()
})

const hash = (k: number): Hex => `0x${(0xbad000n + BigInt(k)).toString(16).padStart(64, '0')}`
const fakeAddress = (k: number): Address => toAddress(`0x${(0xbad000n + BigInt(k)).toString(16).padStart(40, '0')}`)

/** Entries that somebody might write who wants a pool of his own to be traded: genuine tokens, an identity that is not there. */
function fakesOf({ id, tokens, address, fixed }: ListedPool, k: number): readonly ListedPool[] {
  const key = fixed as Readonly<Record<string, unknown>> | undefined
  const isHashed = id.length === 66
  return [
    {
      id: isHashed ? hash(k) : fakeAddress(k),
      address: isHashed ? address : fakeAddress(k),
      tokens,
      ...(key && { fixed: key }),
    },
    ...(key?.hooks !== undefined || key?.config !== undefined
      ? [
          { id, address, tokens, fixed: { ...key, fee: 123_456, config: hash(k) } },
          { id, address, tokens, fixed: { ...key, hooks: fakeAddress(k), config: 'none' } },
          { id, address, tokens, fixed: { ...key, fee: -1, config: 7, hooks: {} } },
          { id, address, tokens, fixed: null },
          { id, address, tokens: [tokens[0]!, fakeAddress(k)], fixed: key },
        ]
      : []),
  ]
}

test('a pool that is not on chain is rejected, and its list does not count as complete', async () => {
  let k = 0
  const hostile: PoolList = {
    ...list,
    deployments: list.deployments
      .filter(({ family }) => family !== 'wrapped-native')
      .map((deployment) => ({ ...deployment, pools: fakesOf(deployment.pools[0]!, ++k) })),
  }
  const fakes = new Set(hostile.deployments.flatMap(({ pools }) => pools.map(({ id }) => id)))
  const count = hostile.deployments.reduce((sum, { pools }) => sum + pools.length, 0)
  expect(count).toBeGreaterThan(hostile.deployments.length)
  const plain = await run()
  const expected = idsOf(plain.market)
  await plain.close()
  logs.length = 0
  const misled = await run({ loadPoolList: () => hostile })
  expect(misled.counts).toEqual([{ proven: 0, refused: count }])
  expect(idsOf(misled.market)).toEqual(expected)
  expect(searched().length).toBeGreaterThan(0)
  expect([...fakes].some((id) => expected.includes(id))).toBe(true)
  await misled.close()
})

test('tokens and trust of a verified pool come from the chain, not from the list', async () => {
  const rows = servedRows(chain, new Map(families.map((family) => [family.id, family])))
  const lied: PoolList = {
    ...list,
    deployments: list.deployments
      .filter(({ family }) => family.startsWith('balancer-v') && family !== 'balancer-v1')
      .map((deployment) => ({
        ...deployment,
        pools: deployment.pools
          .filter(({ fixed }) => (fixed as { buffer?: boolean } | undefined)?.buffer !== true)
          .map((pool) => ({
            ...pool,
            tokens: [toAddress(devnet.info.tokens.WETH!.address), fakeAddress(1)],
            // As if nothing but an account that the chain's file vouches for could change what it pays.
            fixed: { vault: fakeAddress(2), dependsOn: [rows[0]!.address], silent: false },
          })),
      })),
  }
  const { market, counts, close } = await run({ loadPoolList: () => lied })
  expect(counts[0]).toMatchObject({ refused: 0 })
  expect(counts[0]!.proven).toBeGreaterThan(1)
  let listedCount = 0
  for (const { id, family, tokens, fixed } of market.snapshot().pools.values()) {
    const listed = lied.deployments.find((each) => each.family === family)?.pools.some((pool) => pool.id === id)
    if (!listed) continue
    listedCount++
    const { vault, dependsOn } = fixed as { vault: Address; dependsOn: readonly Address[] }
    expect(tokens).not.toContain(fakeAddress(1))
    expect(vault).not.toBe(fakeAddress(2))
    expect(dependsOn).not.toContain(rows[0]!.address)
    const genuine = list.deployments.flatMap(({ pools }) => pools).find((pool) => pool.id === id)!
    expect(tokens).toEqual(genuine.tokens)
  }
  expect(listedCount).toBeGreaterThan(0)
  await close()
})

test('bytes that are not a list are refused', () => {
  const bad = (bytes: Uint8Array) => () => readPoolList(bytes)
  expect(bad(Buffer.from('no'))).toThrow('not a list of pools')
  const written = (deployments: unknown) => writePoolList({ chainId: 1, block: 1, deployments } as unknown as PoolList)
  const [deployment] = list.deployments
  expect(bad(written([deployment, deployment]))).toThrow('twice')
  expect(bad(written([{ ...deployment, scannedTo: -1 }]))).toThrow('scannedTo')
  const [pool] = deployment!.pools
  for (const change of [{ id: 'x' }, { tokens: [] }, { tokens: ['0x1', '0x2'] }, { address: 'x' }])
    expect(bad(written([{ ...deployment, pools: [{ ...pool, ...change }] }])), JSON.stringify(change)).toThrow(
      'not a list of pools',
    )
  const many = Array.from({ length: 100_001 }, (_, k) => ({ ...pool, id: hash(k) }))
  expect(bad(written([{ ...deployment, pools: many }]))).toThrow('100001 pools')
})

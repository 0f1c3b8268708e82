/** Tests the verification of a pool list, with families and a node in memory. */
import { type Address, type DexRow, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { expect, test } from 'vitest'
import type { ListedPool } from '../family.ts'
import { PoolListImport } from './pool-list-import.ts'

const testAddress = (value: number): Address => toAddress(`0x${value.toString(16).padStart(40, '0')}`)
const [followed, other] = [testAddress(1), testAddress(2)]
const rowOf = (family: string, index: number) => ({ family, address: testAddress(index) }) as unknown as DexRow
const listed = (from: number, count: number, token = other): readonly ListedPool[] =>
  Array.from({ length: count }, (_, k) => ({
    id: `${from + k}`,
    address: testAddress(from + k),
    tokens: [followed, token],
  }))

/** Verification of a list; pools in `missing` do not exist. Records the batches in order. */
function verify(
  deployments: readonly { readonly row: DexRow; readonly pools: readonly ListedPool[]; readonly scannedTo?: number }[],
  {
    missing = new Set<string>(),
    malformed = new Set<string>(),
    rows = deployments.map(({ row }) => row),
    skipped = false,
  } = {},
) {
  const batches: (readonly string[])[] = []
  let failures = 0
  const family = (row: DexRow) => ({
    listedByLogs: row.family === 'logged',
    ...(row.family !== 'twin' && {
      provePools: function* (_: DexRow, pools: readonly ListedPool[]) {
        if (pools.some(({ id }) => malformed.has(id))) throw new TypeError('no such key')
        batches.push(pools.map(({ id }) => id))
        return pools.map((pool) => (missing.has(pool.id) ? null : pool))
      },
    }),
  })
  const directory = { rows, tokens: new Set([followed]), familyOf: family }
  const follower = {
    retryOnReorg: async (work: (block: { hash: string }) => Promise<unknown>) => {
      if (failures-- > 0) throw new Error('down')
      return work({ hash: '0x01' })
    },
  }
  const list = { deployments: deployments.map(({ row, ...rest }) => ({ ...row, scannedTo: undefined, ...rest })) }
  const start = new PoolListImport(list as never, { components: { directory }, follower } as never, () => skipped)
  const fail = () => {
    failures = 1
  }
  return { start, batches, fail }
}
async function all(start: PoolListImport): Promise<readonly string[]> {
  const provenIds: string[] = []
  while (!start.isDone) for (const { pool } of await start.prove({})) provenIds.push(pool.id)
  return provenIds
}
const [logged, paired] = [rowOf('logged', 100), rowOf('paired', 101)]

test('pools of a family that is neither searched nor verified, such as a sampled twin, are refused', async () => {
  const { start } = verify([{ row: rowOf('twin', 104), pools: listed(50, 2) }])
  expect(await all(start)).toEqual([])
  expect(start.importCount).toEqual({ proven: 0, refused: 2 })
})

test('pools are verified in batches of 400, and counted', async () => {
  const { start, batches } = verify([{ row: paired, pools: listed(1_000, 801) }], { missing: new Set(['1005']) })
  expect(start.isDone).toBe(false)
  expect(await all(start)).toHaveLength(800)
  expect(batches.map(({ length }) => length).sort((a, b) => a - b)).toEqual([1, 400, 400])
  expect(new Set(batches.flat()).size).toBe(801)
  expect(start.importCount).toEqual({ proven: 800, refused: 1 })
})

test('pools that only logs reveal, and then pools of followed tokens, are verified first', async () => {
  const { start, batches } = verify([
    { row: paired, pools: listed(10, 1) },
    { row: logged, pools: listed(20, 1) },
    { row: rowOf('paired', 102), pools: listed(30, 1, followed) },
    { row: rowOf('logged', 103), pools: listed(40, 1, followed) },
  ])
  await all(start)
  expect(batches).toEqual([['40'], ['20'], ['30'], ['10']])
  const mixed = verify([{ row: paired, pools: [...listed(50, 1), ...listed(60, 1, followed)] }])
  await all(mixed.start)
  expect(mixed.batches).toEqual([['60', '50']])
})

test('a failed batch is tried again', async () => {
  const { start, batches, fail } = verify([{ row: paired, pools: listed(10, 2) }])
  fail()
  await expect(start.prove({})).rejects.toThrow('down')
  expect([start.isDone, batches]).toEqual([false, []])
  expect(await all(start)).toEqual(['10', '11'])
})

test('a pool whose content cannot be read is refused, and the others are verified', async () => {
  const { start } = verify([{ row: logged, pools: listed(10, 3), scannedTo: 7 }], { malformed: new Set(['11']) })
  expect(await all(start)).toEqual(['10', '12'])
  expect([start.importCount, start.scannedRows]).toEqual([{ proven: 2, refused: 1 }, []])
})

test('deployments that are unknown are refused, and those in memory are skipped', async () => {
  const unknown = verify([{ row: paired, pools: listed(10, 3) }], { rows: [logged] })
  expect([unknown.start.isDone, unknown.start.importCount]).toEqual([true, { proven: 0, refused: 3 }])
  const inMemory = verify([{ row: paired, pools: listed(10, 3) }], { skipped: true })
  expect([inMemory.start.isDone, inMemory.start.importCount]).toEqual([true, { proven: 0, refused: 0 }])
})

test('a deployment needs no scan up to its block if none of its pools was refused', async () => {
  const rows = [
    { row: paired, pools: listed(10, 2), scannedTo: 7 },
    { row: logged, pools: listed(20, 2), scannedTo: 8 },
    { row: rowOf('paired', 102), pools: [], scannedTo: 9 },
    { row: rowOf('paired', 103), pools: listed(40, 1) },
  ]
  const whole = verify(rows)
  await all(whole.start)
  expect(whole.start.scannedRows).toEqual([
    [paired, 7],
    [logged, 8],
    [rows[2]!.row, 9],
  ])
  const partial = verify(rows, { missing: new Set(['21']) })
  await all(partial.start)
  expect(partial.start.scannedRows).toEqual([[paired, 7]])
})

test('pools of families that search by pairs are searched by each pair once, those of the native token by its wrapper', async () => {
  const [wrapper, token] = [testAddress(50), testAddress(51)]
  const searched: (readonly (readonly Address[])[])[] = []
  const verifyOn = async (contracts: object) => {
    const row = { ...rowOf('searched', 100), ...contracts } as unknown as DexRow
    const pools: readonly ListedPool[] = [
      { id: 'a', address: testAddress(1), tokens: [ZERO_ADDRESS, token] },
      { id: 'b', address: testAddress(2), tokens: [wrapper, token] },
      { id: 'c', address: testAddress(3), tokens: [token, other] },
      { id: 'd', address: testAddress(4), tokens: [ZERO_ADDRESS, wrapper] },
    ]
    const family = {
      findPools: function* (_: DexRow, pairs: readonly (readonly Address[])[]) {
        searched.push(pairs)
        yield []
        return [{ id: 'a' }, { id: 'c' }, { id: 'unlisted' }]
      },
    }
    const directory = { rows: [row], tokens: new Set(), familyOf: () => family }
    const follower = { retryOnReorg: (work: (block: { hash: string }) => unknown) => work({ hash: '0x01' }) }
    const list = { deployments: [{ ...row, pools, scannedTo: undefined }] }
    const start = new PoolListImport(list as never, { components: { directory }, follower } as never, () => false)
    return all(start)
  }
  expect(await verifyOn({ contracts: { wrappedNative: wrapper } })).toEqual(['a', 'c'])
  const pairsOf = (pairs: readonly (readonly Address[])[]) => pairs.map((pair) => [...pair].sort()).sort()
  expect(pairsOf(searched[0]!)).toEqual(
    pairsOf([
      [wrapper, token],
      [token, other],
    ]),
  )
  await verifyOn({})
  expect(pairsOf(searched[1]!)).toEqual(
    pairsOf([
      [ZERO_ADDRESS, token],
      [wrapper, token],
      [token, other],
      [ZERO_ADDRESS, wrapper],
    ]),
  )
})

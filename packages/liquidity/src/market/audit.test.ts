/** Tests of the rotating audit. */
import { expect, test } from 'vitest'
import { Auditor } from './audit.ts'
import type { MarketComponents, MarketFollower } from './follow.ts'

/** An auditor over a market of `size` pools, with a follower that records which pools it reads. */
function audited(size: number) {
  const oldest = {}
  const topAt = (number: number) => ({
    block: { hash: `0x${number}` },
    pools: {
      size,
      idsOfPart: (part: number, parts: number) =>
        Array.from({ length: size }, (_, k) => `pool${k}`).filter((_, k) => k % parts === part),
    },
  })
  const state = { history: { oldest, top: topAt(1) as object } as object | undefined }
  const follower = {
    read: [] as string[][],
    wrong: { differingPools: [] as { id: string }[], goneIds: [] as string[] },
    repaired: [] as string[][],
    reread: async (_block: unknown, _pools: unknown, ids: ReadonlySet<string>) => {
      follower.read.push([...ids])
      return follower.wrong
    },
    repair: async (ids: ReadonlySet<string>) => {
      follower.repaired.push([...ids])
      return ids.size
    },
  }
  const mutex = { run: <T>(work: () => Promise<T>) => work() }
  const components = {
    directory: {
      sampling: { has: (id: string) => id.startsWith('sampled') },
      awaitsRefresh: (id: string) => id.startsWith('waiting'),
    },
    ledger: {
      get history() {
        return state.history
      },
      mutex,
    },
  }
  const auditor = new Auditor(components as unknown as MarketComponents, follower as unknown as MarketFollower)
  const moveTo = (number: number) => {
    state.history = { oldest, top: topAt(number) }
  }
  return { auditor, follower, state, moveTo }
}

test('each block is compared once', async () => {
  const { auditor, follower, moveTo } = audited(10)
  await auditor.run()
  await auditor.run()
  expect(follower.read).toHaveLength(1)
  moveTo(2)
  await auditor.run()
  expect(follower.read).toHaveLength(2)
  expect(auditor.auditCount).toEqual({ checked: 20, repaired: 0 })
})

test('all pools are compared once per rotation', async () => {
  const { auditor, follower, moveTo } = audited(100)
  for (let block = 1; block <= 6; block++) {
    moveTo(block)
    await auditor.run()
  }
  const read = follower.read.flat()
  expect(read).toHaveLength(100)
  expect(new Set(read).size).toBe(100)
  for (const ids of follower.read) expect(ids.length).toBeLessThan(20)
})

test('a failed round is repeated at the next block, and skipped after three failures', async () => {
  const { auditor, follower, moveTo } = audited(100)
  const { reread, repair } = follower
  const failing = () => Promise.reject(new Error('node failure'))
  moveTo(1)
  await auditor.run()
  follower.reread = (...args) => reread(...args).then(failing)
  moveTo(2)
  await expect(auditor.run()).rejects.toThrow('node failure')
  follower.reread = reread
  follower.wrong = { differingPools: [{ id: 'pool1' }], goneIds: [] }
  follower.repair = failing
  for (const block of [3, 4]) {
    moveTo(block)
    await expect(auditor.run()).rejects.toThrow('node failure')
  }
  expect(follower.read.slice(2)).toEqual([follower.read[1], follower.read[1]])
  follower.repair = repair
  moveTo(5)
  await auditor.run()
  follower.wrong = { differingPools: [], goneIds: [] }
  follower.repair = failing
  for (let block = 6; block <= 8; block++) {
    moveTo(block)
    await auditor.run()
  }
  const read = [0, 1, 4, 5, 6, 7].flatMap((round) => follower.read[round]!)
  expect(new Set(read).size).toBe(100)
})

test('pools that differ or are gone are repaired, and no others', async () => {
  const { auditor, follower } = audited(10)
  follower.wrong = { differingPools: [{ id: 'pool1' }], goneIds: ['pool2'] }
  await auditor.run()
  expect(follower.repaired).toEqual([['pool1', 'pool2']])
  expect(auditor.auditCount).toEqual({ checked: 10, repaired: 2 })
})

test('a pool that waits for its refresh is repaired, but not counted', async () => {
  const { auditor, follower } = audited(10)
  follower.wrong = { differingPools: [{ id: 'pool1' }, { id: 'waiting' }], goneIds: [] }
  await auditor.run()
  expect(follower.repaired).toEqual([['waiting'], ['pool1']])
  expect(auditor.auditCount).toEqual({ checked: 10, repaired: 1 })
})

test('nothing is compared before the second block', async () => {
  const { auditor, follower, state } = audited(10)
  state.history = undefined
  await auditor.run()
  const only = {}
  state.history = { oldest: only, top: only }
  await auditor.run()
  expect(follower.read).toEqual([])
})

test('sampled pools are not compared: each block samples them anew', async () => {
  const { auditor, follower, state, moveTo } = audited(32)
  moveTo(2)
  const { top } = state.history as { top: { pools: { idsOfPart: () => readonly string[] } } }
  top.pools.idsOfPart = () => ['sampled 1', 'pool1']
  await auditor.run()
  expect(follower.read).toEqual([['pool1']])
})

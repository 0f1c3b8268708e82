/**
 * Saving: what is saved comes back: as a file to hand on, after a kill at any moment, and in a market that starts
 * again.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copySnapshot, createMarket, loadSnapshot, type Snapshot } from '../src/index.ts'
import { sqrtRatioAtTick } from '../src/math/ticks.ts'
import { StoreFile } from '../src/store/store-thread.ts'
import { addPair, addPool, addPosition, type Fixture, startFixture } from './fixture.ts'
import { random } from './random.ts'
import { syntheticSnapshot } from './synthetic-snapshot.ts'

const E18 = 10n ** 18n
const KILLS = Number(process.env.LONG === '1' ? 100 : 4)
const dir = mkdtempSync(join(tmpdir(), 'sluice-snapshot-'))
let f: Fixture
beforeAll(async () => {
  f = await startFixture(3)
  const [a, b, c] = f.tokens
  await addPair(f, a!, b!, 1_000n * E18, 2_000n * E18)
  await addPair(f, b!, c!, 500n * E18, 300n * E18)
  await addPool(f, a!, b!, 3_000, sqrtRatioAtTick(0))
  const pool = { token0: a!, token1: b!, fee: 3_000 }
  await addPosition(f, pool, { tickLower: -600, tickUpper: 600, amount0: E18, amount1: E18 })
})
afterAll(async () => {
  await f?.stop()
  rmSync(dir, { recursive: true, force: true })
})

const all = () => f.tokens.map(({ address }) => address)
const sorted = ({ pools }: Snapshot) => [...pools.values()].sort((a, b) => (a.id < b.id ? -1 : 1))

test('an invalid snapshot is refused with the name of the file', async () => {
  const path = join(dir, 'text.sqlite')
  writeFileSync(path, 'this is not a database, however long one looks at it')
  await expect(loadSnapshot(path)).rejects.toMatchObject({ code: 'BAD_SNAPSHOT' })
  await expect(loadSnapshot(join(dir, 'absent.sqlite'))).rejects.toThrow('absent.sqlite')
})

test('a kill at any moment of saving leaves one complete block, the last confirmed one or a later one', async () => {
  const path = join(dir, 'killed.sqlite')
  const r = random(9)
  let last = 0
  for (let kill = 0; kill < KILLS; kill++) {
    last = Math.max(last, await saveUntilKilled(path, 1 + r.integer(60)))
    const { block, pools } = await loadSnapshot(path)
    expect(block.number).toBeGreaterThanOrEqual(last)
    expect(pools.size).toBe(3_000)
    const expected = syntheticSnapshot(block.number, 3_000)
    expect(block).toEqual(expected.block)
    expect(
      [...pools.values()].filter(({ id, state }) => !isDeepStrictEqual(state, expected.pools.get(id)?.state)),
    ).toEqual([])
  }
}, 120_000)

/** @returns the last block that the process said it had saved */
async function saveUntilKilled(path: string, afterMs: number): Promise<number> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'save-forever.ts'), path], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let output = ''
  child.stdout.on('data', (data: Buffer) => {
    if (output === '') setTimeout(() => child.kill('SIGKILL'), afterMs)
    output += data.toString()
  })
  await new Promise((resolve) => child.on('close', resolve))
  // The kill may cut the last line short.
  return Number(output.split('\n').slice(0, -1).at(-1) ?? 0)
}

test('a restarted market continues from its file, without another discovery', async () => {
  const save = { path: join(dir, 'market', '31337.sqlite') }
  const first = createMarket({ chain: f.chain, rpc: f.rpc, save })
  await first.ensure(all())
  await first.stop()
  await f.v2Router.send('swapExactTokensForTokens', [E18, 0n, all().slice(0, 2), f.me, 1n << 40n])

  const second = createMarket({ chain: f.chain, rpc: f.rpc, save })
  expect(() => second.snapshot()).toThrowError(expect.objectContaining({ code: 'NOT_READY' }))
  const snapshot = await second.sync()
  expect(snapshot.pools.size).toBe(3)
  expect(await second.ensure(all())).toBe(snapshot)
  await second.stop()

  const fresh = createMarket({ chain: f.chain, rpc: f.rpc })
  expect(sorted(snapshot)).toEqual(sorted(await fresh.ensure(all())))
  await fresh.stop()
})

test('a market has no snapshot until its file is loaded, and then all of it', async () => {
  const path = join(dir, 'asked-early.sqlite')
  const first = createMarket({ chain: f.chain, rpc: f.rpc, save: { path } })
  await first.ensure(all())
  await first.stop()
  const opened = Promise.withResolvers<void>()
  const place = () => opened.promise.then(() => StoreFile.open(path))
  const second = createMarket({ chain: f.chain, rpc: f.rpc, save: { path: place } })
  const snapshots: Snapshot[] = []
  second.onSnapshot((snapshot) => snapshots.push(snapshot))
  second.start()
  const request = second.ensureGroups([all().slice(0, 1)])
  await f.request('evm_mine')
  await sleep(500)
  expect(second.health().head).toBeNull()
  opened.resolve()
  expect((await request).pools.size).toBe(3)
  expect(snapshots[0]!.pools.size).toBe(3)
  await second.stop()
})

test('saved state of a removed branch is read again', async () => {
  const save = { path: join(dir, 'branch.sqlite') }
  const mark = await f.request<string>('evm_snapshot')
  await f.v2Router.send('swapExactTokensForTokens', [E18, 0n, all().slice(0, 2), f.me, 1n << 40n])
  const first = createMarket({ chain: f.chain, rpc: f.rpc, save })
  await first.ensure(all())
  await first.stop()
  await f.request('evm_revert', [mark])
  await f.request('evm_mine')
  const second = createMarket({ chain: f.chain, rpc: f.rpc, save })
  const fresh = createMarket({ chain: f.chain, rpc: f.rpc })
  await second.sync()
  expect(sorted(await second.ensure(all()))).toEqual(sorted(await fresh.ensure(all())))
  await Promise.all([second.stop(), fresh.stop()])
})

test('the file of a running market can be copied, and another market continues from the copy', async () => {
  const first = createMarket({ chain: f.chain, rpc: f.rpc, save: { path: join(dir, 'running.sqlite'), everyMs: 10 } })
  await first.ensure(all())
  first.start()
  const copy = { path: join(dir, 'copy.sqlite') }
  await expect
    .poll(() => copySnapshot(join(dir, 'running.sqlite'), copy.path).then(({ chainId }) => chainId, String))
    .toBe(31337)
  await first.stop()
  const second = createMarket({ chain: f.chain, rpc: f.rpc, save: copy })
  expect((await second.sync()).pools.size).toBe(3)
  await second.stop()
})

test('a market waits while its predecessor still saves', async () => {
  const save = { path: join(dir, 'handed-on.sqlite'), onError: (error: Error) => expect.fail(error.message) }
  const first = createMarket({ chain: f.chain, rpc: f.rpc, save })
  await first.ensure(all())
  const stopping = first.stop()
  const second = createMarket({ chain: f.chain, rpc: f.rpc, save })
  expect((await second.sync()).pools.size).toBe(3)
  await stopping
  await second.stop()
})

test('pools dropped from memory are removed from a file with too many pools', async () => {
  const path = join(dir, 'bounded.sqlite')
  const rows = () => {
    const database = new DatabaseSync(path, { readOnly: true })
    const ids = database.prepare('SELECT id FROM pools').all()
    database.close()
    return ids.length
  }
  const [a, b, c] = all()
  const errors: Error[] = []
  const save = { path, onError: (error: Error) => errors.push(error) }
  // One untrusted token is followed at a time, and the file may hold no more pools than two have.
  const limits = { tokens: 2, savedPools: 2 }
  const first = createMarket({ chain: { ...f.chain, hubs: [], tokens: [] }, rpc: f.rpc, save, limits })
  expect((await first.ensure([a!, b!])).pools.size).toBe(2)
  await first.stop()
  expect(rows()).toBe(2)
  const second = createMarket({ chain: { ...f.chain, hubs: [], tokens: [] }, rpc: f.rpc, save, limits })
  await second.ensure([b!, c!])
  second.evict()
  await second.stop()
  expect(errors).toEqual([])
  expect(rows()).toBe(1)
  const third = createMarket({ chain: { ...f.chain, hubs: [], tokens: [] }, rpc: f.rpc, save, limits })
  const snapshot = await third.sync()
  expect([...snapshot.pools.values()].map(({ tokens }) => new Set(tokens))).toEqual([new Set([b, c])])
  await third.stop()
})

test('a damaged file, or one with other rows of the chain, is reported and discarded', async () => {
  const path = join(dir, 'other.sqlite')
  const first = createMarket({ chain: f.chain, rpc: f.rpc, save: { path } })
  await first.ensure(all())
  await first.stop()
  const errors: Error[] = []
  const save = { path, onError: (error: Error) => errors.push(error) }
  const chain = { ...f.chain, dexes: f.chain.dexes.slice(1) }
  const second = createMarket({ chain, rpc: f.rpc, save })
  expect((await second.ensure(all())).pools.size).toBe(1)
  await second.stop()
  expect(errors).toMatchObject([{ code: 'BAD_SNAPSHOT' }])
  writeFileSync(path, 'damaged')
  const third = createMarket({ chain, rpc: f.rpc, save })
  expect((await third.ensure(all())).pools.size).toBe(1)
  await third.stop()
  expect(errors).toHaveLength(2)
  expect((await loadSnapshot(path)).pools.size).toBe(1)
})

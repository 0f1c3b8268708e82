/**
 * Tests that quotes can be replayed from the quote log.
 *
 * @module-tag long
 */
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { loadConfig, quoteLogPath, type RunningServer, startServer } from '@sluice/api'
import { NATIVE } from '@sluice/chains'
import { type Devnet, startDevnet } from '@sluice/devnet'
import { findRecord } from '@sluice/liquidity'
import { replayRecord } from '@sluice/quoting'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from './lib/run.ts'

const dir = join(root, '.devnet')
const dataDir = mkdtempSync(join(tmpdir(), 'sluice-replay-'))
let devnet: Devnet
beforeAll(async () => {
  devnet = await startDevnet({ dir })
})
afterAll(async () => {
  await devnet?.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

function start(overrides: Readonly<Record<string, string>> = {}): Promise<RunningServer> {
  const overlay = { CHAINS_DIR: join(dir, 'chains'), DEPLOYMENTS_DIR: join(dir, 'deployments') }
  const env = { ...overlay, PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'silent', RPC_URL_31337: devnet.url }
  return startServer(loadConfig({ ...env, DATA_DIR: dataDir, ...overrides }))
}

async function replay(quoteId: string, env = { DATA_DIR: dataDir }): Promise<{ code: number; text: string }> {
  return promisify(execFile)(process.execPath, [join(root, 'scripts/replay.ts'), quoteId], {
    env: { ...process.env, ...env },
  }).then(
    ({ stdout }) => ({ code: 0, text: stdout }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, text: stdout + stderr }),
  )
}

type Answer = {
  quoteId: string
  toAmount: string
  simulationBlock: number
  expiresAtBlock: number
  tx?: { data: string }
}

test('every quote of several blocks is replayed from the log, by search and by thread, also after a restart', async () => {
  const all = Object.values(devnet.info.tokens).map(({ address }) => address)
  const tokens = [NATIVE, ...all.filter((_, k) => process.env.LONG || k % 8 === 0)]
  const decimals = new Map(Object.values(devnet.info.tokens).map((token) => [token.address, token.decimals]))
  const from = devnet.info.accounts[1]!.address
  const answers: Answer[] = []
  // The second run searches all routes in the thread, whose results must replay equally.
  for (const more of [{}, { ROUTE_INLINE_POOLS: '0' }]) {
    const server = await start(more)
    for (const [k, src] of tokens.entries()) {
      for (const dst of [tokens[(k + 1) % tokens.length]!, tokens[(k + 3) % tokens.length]!]) {
        const amount = `${7n * 10n ** BigInt(decimals.get(src as never) ?? 18)}`
        const query = {
          src,
          dst,
          amount,
          from,
          slippage: '1',
          maxPriceImpact: '100',
          ...(k % 3 === 0 && { maxHops: '2' }),
        }
        const response = await fetch(`${server.url}/aggregator/31337?${new URLSearchParams(query)}`)
        if (response.status === 200) answers.push((await response.json()) as Answer)
      }
      await mine()
    }
    await server.close()
    // The write-ahead log is merged, so no process has the file open.
    expect(existsSync(`${quoteLogPath(dataDir, 31337)}-wal`)).toBe(false)
  }
  expect(answers.length).toBeGreaterThan(2 * tokens.length)
  expect(new Set(answers.map(({ simulationBlock }) => simulationBlock)).size).toBeGreaterThan(tokens.length)
  for (const { quoteId, toAmount, simulationBlock, expiresAtBlock, tx } of answers) {
    expect(expiresAtBlock).toBe(simulationBlock + 3)
    const record = findRecord(quoteLogPath(dataDir, 31337), quoteId)
    expect(record, quoteId).not.toBeNull()
    expect(replayRecord(record!)).toMatchObject({
      differences: [],
      block: simulationBlock,
      amountOut: BigInt(toAmount),
      data: tx!.data,
    })
  }
}, 120_000)

test('the command reports whether the replay is equal, or why it is impossible', async () => {
  const path = quoteLogPath(dataDir, 31337)
  const log = new DatabaseSync(path)
  const { id } = log.prepare('SELECT id FROM records ORDER BY seq DESC LIMIT 1').get() as { id: string }
  const same = await replay(id)
  expect(same).toMatchObject({ code: 0, text: expect.stringContaining('bit for bit') })
  // A changed pool leads to another route or another amount.
  const { route } = replayRecord(findRecord(path, id)!)
  log.prepare('DELETE FROM pools WHERE id = ?').run(route!.legs[0]!.pool.id)
  log.close()
  expect(await replay(id)).toMatchObject({ code: 1, text: expect.stringContaining('different from what was answered') })
  expect(await replay(`31337-1-${'0'.repeat(20)}`)).toMatchObject({
    code: 2,
    text: expect.stringContaining('no such quote'),
  })
  expect(await replay('nonsense')).toMatchObject({ code: 2, text: expect.stringContaining('usage') })
  expect(await replay(id, { DATA_DIR: join(dataDir, 'nowhere') })).toMatchObject({ code: 2 })
}, 60_000)

async function mine(): Promise<void> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'evm_mine', params: [] })
  await fetch(devnet.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
}

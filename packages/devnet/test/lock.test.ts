/** Tests of locks between processes. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { withLock } from '../src/lock.ts'

const dir = mkdtempSync(join(tmpdir(), 'sluice-lock-'))
const lock = join(dir, 'lock')
afterAll(() => rmSync(dir, { recursive: true, force: true }))

it('one at a time', async () => {
  let inside = 0
  let maxInside = 0
  const work = async () => {
    maxInside = Math.max(maxInside, ++inside)
    await new Promise((resolve) => setTimeout(resolve, 20))
    inside--
  }
  await Promise.all([withLock(lock, work), withLock(lock, work), withLock(lock, work)])
  expect(maxInside).toBe(1)
  expect(existsSync(lock)).toBe(false)
})

it('is released when the work fails', async () => {
  await expect(withLock(lock, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await withLock(lock, async () => 'yes')).toBe('yes')
})

it('is taken over from a process that has ended', async () => {
  const { pid } = spawnSync(process.execPath, ['--version'])
  writeFileSync(lock, String(pid))
  expect(await withLock(lock, async () => 'yes')).toBe('yes')
})

it('is taken over when it is older than any work, even if another process has the id now', async () => {
  writeFileSync(lock, String(process.pid))
  const past = new Date(Date.now() - 600_000)
  utimesSync(lock, past, past)
  expect(await withLock(lock, async () => 'yes')).toBe('yes')
})

/** Tests of the choice and the lock of the data directory. */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { loadConfig } from './config.ts'
import { defaultDataDir, lockDataDir } from './data-dir.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'sluice-data-'))
})
afterEach(() => rmSync(home, { recursive: true }))

const keep = (env: Readonly<Record<string, string>>) => lockDataDir(loadConfig(env), env)

test('the default is where the operating system keeps the data of applications', () => {
  expect(defaultDataDir({}, 'linux', '/home/me')).toBe('/home/me/.local/share/sluice')
  expect(defaultDataDir({ XDG_DATA_HOME: '/data' }, 'linux', '/home/me')).toBe('/data/sluice')
  expect(defaultDataDir({}, 'darwin', '/Users/me')).toBe('/Users/me/Library/Application Support/sluice')
  expect(defaultDataDir({ LOCALAPPDATA: '/local' }, 'win32', '/me')).toBe('/local/sluice')
})

test('an unset DATA_DIR takes the default, an empty one and Redis keep nothing, a named one is used', () => {
  const unset = keep({ XDG_DATA_HOME: home })
  expect(unset.config).toMatchObject({ dataDir: join(home, 'sluice'), quoteLogMb: 0 })
  unset.release()
  expect(keep({ XDG_DATA_HOME: home, DATA_DIR: '' }).config.dataDir).toBeUndefined()
  expect(keep({ XDG_DATA_HOME: home, REDIS_URL: 'redis://localhost' }).config.dataDir).toBeUndefined()
  const named = keep({ DATA_DIR: join(home, 'named') })
  expect(named.config).toMatchObject({ dataDir: join(home, 'named'), quoteLogMb: 256 })
  named.release()
})

test('a directory is used by one process: the second keeps nothing and says why; a lock that is left over is taken', async () => {
  const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  const ended = new Promise((resolve) => other.once('exit', resolve))
  writeFileSync(join(home, 'lock'), String(other.pid))
  const second = keep({ DATA_DIR: home })
  expect(second.config.dataDir).toBeUndefined()
  expect(second.reason).toBe(`${home}: in use by process ${other.pid}`)
  other.kill('SIGKILL')
  await ended
  const third = keep({ DATA_DIR: home })
  expect(third.config.dataDir).toBe(home)
  expect(readFileSync(join(home, 'lock'), 'utf8')).toBe(String(process.pid))
  third.release()
  expect(existsSync(join(home, 'lock'))).toBe(false)
})

test('a process of another user, which cannot be signaled, keeps its directory', () => {
  writeFileSync(join(home, 'lock'), '12345')
  const kill = vi.spyOn(process, 'kill').mockImplementation(() => {
    throw Object.assign(new Error('not permitted'), { code: 'EPERM' })
  })
  try {
    expect(keep({ DATA_DIR: home }).reason).toBe(`${home}: in use by process 12345`)
    expect(kill).toHaveBeenCalledWith(12_345, 0)
  } finally {
    kill.mockRestore()
  }
})

test('a stale lock that another process takes first belongs to that process', () => {
  const path = join(home, 'lock')
  writeFileSync(path, '12345')
  const kill = vi.spyOn(process, 'kill').mockImplementation((pid) => {
    if (pid !== 12_345) return true
    // The other process takes the lock after our process has found it stale.
    writeFileSync(path, '23456')
    throw Object.assign(new Error('no such process'), { code: 'ESRCH' })
  })
  try {
    expect(keep({ DATA_DIR: home }).reason).toBe(`${home}: in use by process 23456`)
    expect(readFileSync(path, 'utf8')).toBe('23456')
    expect(readdirSync(home)).toEqual(['lock'])
  } finally {
    kill.mockRestore()
  }
})

test('a stale lock that its owner removes at the same time is taken', () => {
  const path = join(home, 'lock')
  writeFileSync(path, '12345')
  const kill = vi.spyOn(process, 'kill').mockImplementation(() => {
    rmSync(path)
    throw Object.assign(new Error('no such process'), { code: 'ESRCH' })
  })
  try {
    const { config, release } = keep({ DATA_DIR: home })
    expect(config.dataDir).toBe(home)
    expect(readdirSync(home)).toEqual(['lock'])
    release()
  } finally {
    kill.mockRestore()
  }
})

test.each(['', 'text', '0', '-5', '1.5', `${process.pid}`])('a lock of process %j is left over', (content) => {
  writeFileSync(join(home, 'lock'), content)
  const { config, release } = keep({ DATA_DIR: home })
  expect(config.dataDir).toBe(home)
  release()
})

test('a directory that cannot be made is no reason not to run', () => {
  writeFileSync(join(home, 'file'), '')
  const { config, reason } = keep({ DATA_DIR: join(home, 'file', 'below') })
  expect(config.dataDir).toBeUndefined()
  expect(reason).toMatch(/ENOTDIR|EEXIST/)
})

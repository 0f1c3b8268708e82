/** Tests of the creation of directories. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeDirectory } from './make-directory.ts'

test('a directory is created with its parents, and an existing one is kept', () => {
  const home = mkdtempSync(join(tmpdir(), 'sluice-directory-'))
  try {
    const path = join(home, 'a/b/../c/d/')
    makeDirectory(path)
    makeDirectory(path)
    expect(statSync(join(home, 'a/c/d')).isDirectory()).toBe(true)
    writeFileSync(join(home, 'file'), '')
    expect(() => makeDirectory(join(home, 'file'))).toThrow('EEXIST')
    expect(() => makeDirectory(join(home, 'file/below'))).toThrow('ENOTDIR')
  } finally {
    rmSync(home, { recursive: true })
  }
})

// In a child process, because a call without end would block this one.
test.runIf(process.platform === 'linux').each(['/proc/sluice', '/proc/sluice/below'])('%s is refused', (path) => {
  const module = new URL('make-directory.ts', import.meta.url)
  const code = `import(${JSON.stringify(module)}).then((module) => module.makeDirectory(${JSON.stringify(path)}))`
  const { status, signal, stderr } = spawnSync(process.execPath, ['-e', code], { timeout: 60_000, encoding: 'utf8' })
  expect({ status, signal }).toEqual({ status: 1, signal: null })
  expect(stderr).toContain("ENOENT: no such file or directory, mkdir '/proc/sluice'")
})

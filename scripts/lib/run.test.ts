import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CHAIN_DATA_DIR } from '@sluice/chains'
import { expect, test } from 'vitest'
import { root, userDirectories } from './run.ts'

test('directories of the environment are relative to the folder of the user', () => {
  const userFolder = process.env.INIT_CWD ?? root
  expect(userDirectories({ CHAINS_DIR: 'a', DATA_DIR: '/b', DEPLOYMENTS_DIR: '', OTHER_DIR: 'c' })).toEqual({
    CHAINS_DIR: join(userFolder, 'a'),
    DATA_DIR: '/b',
  })
})

test('snapshot finds chain files in the folder of the user', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-user-'))
  try {
    mkdirSync(join(folder, 'chains'))
    cpSync(join(CHAIN_DATA_DIR, '10.json'), join(folder, 'chains/10.json'))
    const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts/snapshot.ts'), 'pools', '10', 'out'], {
      cwd: root,
      env: { ...process.env, INIT_CWD: folder, CHAINS_DIR: 'chains', DATA_DIR: 'data' },
      encoding: 'utf8',
    })
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(join(folder, 'data/10.sqlite')) })
    expect(stderr).not.toMatch(/^ {4}at /m)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

/** Tests that `.dockerignore` sends the needed files to `docker build`, and no others. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { buildContext } from './lib/build-context.ts'
import { root } from './lib/run.ts'

const isSent = buildContext(readFileSync(join(root, '.dockerignore'), 'utf8'))
/** Large third-party folders that are not read. Each test of a rule names a file in them instead. */
const UNREAD = new Set(['node_modules', '.git'])

function filesIn(dir: string): readonly string[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    if (UNREAD.has(entry.name)) return []
    const path = join(dir, entry.name)
    return entry.isDirectory() ? filesIn(path) : [relative(root, path).replaceAll('\\', '/')]
  })
}

test.each([
  '.env',
  '.env.production',
  'prod.env',
  'packages/api/.env',
  'packages/api/production.env',
  'contracts/.env.local',
  'scripts/lib/.envrc',
  '.npmrc',
  'packages/web/.npmrc',
  'compose.override.yaml',
  'deployer.key',
  'contracts/deployer.key',
  'packages/server/tls/server.pem',
  'keystore.json',
  'id_ed25519',
  'data/1.sqlite',
  'packages/api/data/1.sqlite-wal',
  '.git/config',
  '.devnet/devnet.json',
  'node_modules/a/package.json',
  'packages/api/node_modules/a/package.json',
  'packages/client/dist/index.js',
  'notes.txt',
  'bench/results/bill.json',
  'test/.env',
])('%s is excluded', (file) => expect(isSent(file)).toBe(false))

test('the build context contains the files that the build reads', () => {
  const needed = [
    'LICENSE',
    'package.json',
    'package-lock.json',
    'turbo.json',
    'tsconfig.base.json',
    'bench/package.json',
    'test/package.json',
    'scripts/bootstrap.mjs',
    'contracts/hardhat.config.ts',
    'deployments/releases.json',
    'packages/chains/data/1.json',
    'packages/server/bin/sluice-server.mjs',
    'packages/api/src/main.ts',
    'packages/web/index.html',
    'docs/guides/quote.md',
    'SECURITY.md',
  ]
  for (const file of needed) {
    expect(existsSync(join(root, file)), file).toBe(true)
    expect(isSent(file), file).toBe(true)
  }
})

test.skipIf(!existsSync(join(root, '.git')))('all other files of the context are sources of the repository', () => {
  const git = (...args: string[]) =>
    execFileSync('git', ['ls-files', '-z', ...args], { cwd: root, encoding: 'utf8', maxBuffer: 1e8 }).split('\0')
  const sources = new Set([...git(), ...git('--others', '--exclude-standard')])
  const sent = filesIn(root).filter(isSent)
  expect(sent.length).toBeGreaterThan(1_000)
  expect(sent.filter((file) => !sources.has(file))).toEqual([])
})

describe('rules are read as Docker reads them', () => {
  test.each([
    ['a', 'a/b/c', false],
    ['**/a', 'a', false],
    ['**/a', 'x/y/a', false],
    ['a/*', 'a/b', false],
    ['*.log', 'x/b.log', true],
    ['**/*.log', 'x/b.log', false],
    ['a?', 'ab', false],
    ['a?', 'abc', true],
    ['*\n!a/b', 'a/b', true],
    ['*\n!a/b', 'a/c', false],
    ['*\n!a\n**/.env', 'a/.env', false],
    ['**/.env\n!a', 'a/.env', true],
    ['# a', 'a', true],
    ['.env', 'xenv', true],
  ])('%j and %s', (rules, file, isKept) => expect(buildContext(rules)(file)).toBe(isKept))
})

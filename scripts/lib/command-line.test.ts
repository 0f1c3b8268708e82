/** Tests of command line errors and of `--help`. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './run.ts'

const printsUsage = '%s prints its usage for an unknown option, without a stack trace'

function expectUsage(name: string, code: number): void {
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts', `${name}.ts`), '--nonsense'], {
    encoding: 'utf8',
  })
  expect(status, stderr).toBe(code)
  expect(stderr).toMatch(/^Unknown option '--nonsense'.*\n.*npm run/)
  expect(stderr).not.toMatch(/^ {4}at /m)
}

test('deploy prints its usage for --help, and ends without an error', () => {
  const args = [join(root, 'scripts/deploy.ts'), '--chain', '1', '--help']
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout).toMatch(/^npm run deploy -- --chain <id>/)
}, 30_000)

test.each([
  ['quote', 2],
  ['deploy', 1],
])(printsUsage, expectUsage, 30_000)
test.each([
  ['check-chain', 2],
  ['coverage-pools', 2],
  ['verify-deployment', 1],
  ['route', 1],
])(printsUsage, { tags: 'long', timeout: 30_000 }, expectUsage)

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

test.each([
  ['prices', ['--chain', '1', '--rpc', 'node', `0x${'1'.repeat(40)}`]],
  ['check-chain', ['1', '--rpc', 'http://127.0.0.1:1,node']],
  ['quote', ['--chain', '1', '--rpc', 'node', '--route', `0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`, '1']],
] as const)(
  '%s refuses an endpoint that is not a URL in one line',
  (name, args) => {
    const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts', `${name}.ts`), ...args], {
      encoding: 'utf8',
    })
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: '--rpc: must be http or https addresses, separated by commas\n',
    })
  },
  30_000,
)

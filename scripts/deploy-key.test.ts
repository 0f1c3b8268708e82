/** Tests that the deployer's key comes from the environment or from Hardhat's keystore, and checks before it is used. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { registryNetworks } from '@sluice/contracts'
import { afterAll, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const key = `0x${'12'.repeat(32)}`
/** Temporary home with its own keystore. Hardhat ignores keystores in CI. */
const home = mkdtempSync(join(tmpdir(), 'sluice-keystore-'))
const { CI: _, DEPLOYER_KEY: __, ...outside } = process.env
afterAll(() => rmSync(home, { recursive: true, force: true }))

function runNode(args: readonly string[], { input = '', env = {} }: { input?: string; env?: NodeJS.ProcessEnv } = {}) {
  return spawnSync(process.execPath, args, {
    cwd: join(root, 'contracts'),
    env: { ...outside, XDG_CONFIG_HOME: home, ...env },
    input,
    encoding: 'utf8',
  })
}
const run = (env: NodeJS.ProcessEnv = {}) =>
  runNode(['-e', "console.log(await (await import('@sluice/contracts')).deployerKey())"], { env }).stdout.trim()

test('the key is undefined without both sources; the environment takes precedence over the keystore', {
  tags: 'long',
  timeout: 180_000,
}, () => {
  expect(run()).toBe('undefined')
  const hardhat = join(root, 'node_modules/hardhat/dist/src/cli.js')
  const stored = runNode([hardhat, 'keystore', 'set', '--dev', 'DEPLOYER_KEY'], { input: `${key}\n` })
  expect(stored.stdout).toContain('set in the development keystore')
  expect(run()).toBe(key)
  const other = `0x${'34'.repeat(32)}`
  expect(run({ DEPLOYER_KEY: other })).toBe(other)
})

test.runIf(process.platform === 'linux')(
  'a directory that cannot be created is refused before anything is sent',
  () => {
    const options = ['--chain', '1', '--rpc', 'http://127.0.0.1:9', '--deployments', '/proc/sluice']
    const { status, stderr } = runNode([join(root, 'scripts/deploy.ts'), ...options], { env: { DEPLOYER_KEY: key } })
    expect(stderr).toContain("--deployments: ENOENT: no such file or directory, mkdir '/proc/sluice'")
    expect(status).toBe(1)
  },
)

test('Hardhat has a network for every chain of the registry that runs the contracts', () => {
  const networks = Object.entries(registryNetworks())
  expect(networks.length).toBeGreaterThan(150)
  expect(new Set(networks.map(([, { chainId }]) => chainId)).size).toBe(networks.length)
  expect(registryNetworks().ethereum).toMatchObject({
    chainId: 1,
    url: { name: 'RPC_URL_1', default: expect.stringMatching(/^https:/) },
    accounts: [{ name: 'DEPLOYER_KEY' }],
  })
  // The resolved configuration of a network contains no key.
  expect(JSON.stringify(registryNetworks())).not.toMatch(/0x[0-9a-f]{64}/)
})

/** Tests the deployment to a chain that only the folders of CHAINS_DIR and DEPLOYMENTS_DIR know. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startAnvil } from '@sluice/devnet'
import { expect, test } from 'vitest'
import { root } from './lib/run.ts'

const CHAIN = 424_310

/** The chain file shown in the documentation. */
const shown = readFileSync(join(root, 'docs/adding-a-chain.md'), 'utf8').match(/```json\n([\s\S]*?)```/)![1]!

test('the commands take endpoint and records of a chain from CHAINS_DIR and DEPLOYMENTS_DIR', {
  timeout: 120_000,
}, async () => {
  const dir = mkdtempSync(join(tmpdir(), 'sluice-overlay-'))
  const { DEPLOYER_KEY: _, ...outside } = process.env
  const env = { ...outside, CHAINS_DIR: join(dir, 'chains'), DEPLOYMENTS_DIR: join(dir, 'deployments') }
  const command = (name: string, args: readonly string[]) =>
    spawnSync(process.execPath, [join(root, 'scripts', name), ...args], { env, encoding: 'utf8' })
  const anvil = await startAnvil({ chainId: CHAIN })
  try {
    mkdirSync(env.CHAINS_DIR)
    mkdirSync(env.DEPLOYMENTS_DIR)
    const file = { ...JSON.parse(shown), chainId: CHAIN, name: 'overlaid', rpcUrls: [anvil.url] }
    writeFileSync(join(env.CHAINS_DIR, `${CHAIN}.json`), JSON.stringify(file))
    const unknown = command('verify-deployment.ts', ['424311'])
    expect(unknown.stderr).toContain('BAD_FILE: no deployment of chain 424311 is known: name the folder')

    const deployed = command('deploy.ts', ['--chain', String(CHAIN)])
    expect(deployed.status, deployed.stderr).toBe(0)
    expect(readdirSync(env.DEPLOYMENTS_DIR)).toEqual([`${CHAIN}.json`])
    const verified = command('verify-deployment.ts', [String(CHAIN), '--rpc', anvil.url])
    expect(verified.status, verified.stderr).toBe(0)
    expect(verified.stdout).toContain(`same      Executor 1 code on chain ${CHAIN}`)

    writeFileSync(join(env.CHAINS_DIR, `${CHAIN}.json`), JSON.stringify({ ...file, hub: [] }))
    const refused = command('deploy.ts', ['--chain', String(CHAIN), '--dry-run'])
    expect(refused.status).toBe(1)
    expect(refused.stderr).toMatch(/^BAD_FILE: .*424310\.json.*hub/)
  } finally {
    await anvil.stop()
    rmSync(dir, { recursive: true, force: true })
  }
})

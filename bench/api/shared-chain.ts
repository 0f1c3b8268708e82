/** A local chain of an earlier checkout that the service of this one can quote on as well. */
import { mkdtempSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CHAIN_ID, DEPLOYER } from '@sluice/devnet'
import type { World } from './world.ts'

/**
 * Environment of this checkout's service on the earlier one's node: its Guard and Executor stand there as on any chain, beside
 * those of then, and the pools are the same for both.
 */
export async function joinChain({ devnet, env }: World): Promise<World['env']> {
  const dir = mkdtempSync(join(tmpdir(), 'sluice-shared-'))
  // Loaded only here: it brings Hardhat along.
  const { deployContracts } = await import('@sluice/contracts')
  await deployContracts({ rpcUrl: devnet.url, chainId: CHAIN_ID, deploymentsDir: join(dir, 'deployments') })
  const name = `${CHAIN_ID}.json`
  const file = JSON.parse(await readFile(join(env.CHAINS_DIR!, name), 'utf8')) as object
  await mkdir(join(dir, 'chains'))
  // Whoever made the chain is trusted, as on the chain of today.
  const trusting = { ...file, vouched: [DEPLOYER] }
  await writeFile(join(dir, 'chains', name), JSON.stringify(trusting))
  return { ...env, CHAINS_DIR: join(dir, 'chains'), DEPLOYMENTS_DIR: join(dir, 'deployments') }
}

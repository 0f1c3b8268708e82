/** Lets this checkout's service quote on the local chain of an earlier checkout. */
import { mkdtempSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CHAIN_ID, DEPLOYER } from '@sluice/devnet'
import type { World } from '../lib/world.ts'

/**
 * Returns the environment for this checkout's service on the node of the earlier checkout. Deploys this checkout's
 * Guard and Executor there. Both services use the same pools.
 */
export async function joinChain({ devnet, env }: World): Promise<World['env']> {
  const dir = mkdtempSync(join(tmpdir(), 'sluice-shared-'))
  // Imported only when needed, because it loads Hardhat.
  const { deployContracts } = await import('@sluice/contracts')
  await deployContracts({ rpcUrl: devnet.url, chainId: CHAIN_ID, deploymentsDir: join(dir, 'deployments') })
  const name = `${CHAIN_ID}.json`
  const file = JSON.parse(await readFile(join(env.CHAINS_DIR!, name), 'utf8')) as object
  await mkdir(join(dir, 'chains'))
  // This checkout's own local chain trusts pools of the deployer, too.
  const trustingFile = { ...file, vouched: [DEPLOYER] }
  await writeFile(join(dir, 'chains', name), JSON.stringify(trustingFile))
  return { ...env, CHAINS_DIR: join(dir, 'chains'), DEPLOYMENTS_DIR: join(dir, 'deployments') }
}

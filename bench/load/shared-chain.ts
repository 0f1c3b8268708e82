/** Lets this checkout's service quote on the local chain of an earlier checkout. */
import { mkdtempSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CHAIN_ID, DEPLOYER } from '@sluice/devnet'
import type { World } from '../lib/world.ts'

/**
 * Returns the environment of this checkout's service on the earlier one's node. Deploys its Guard and Executor next to
 * the earlier ones; both use the same pools.
 */
export async function joinChain({ devnet, env }: World): Promise<World['env']> {
  const dir = mkdtempSync(join(tmpdir(), 'sluice-shared-'))
  // Loaded only here, since it loads Hardhat.
  const { deployContracts } = await import('@sluice/contracts')
  await deployContracts({ rpcUrl: devnet.url, chainId: CHAIN_ID, deploymentsDir: join(dir, 'deployments') })
  const name = `${CHAIN_ID}.json`
  const file = JSON.parse(await readFile(join(env.CHAINS_DIR!, name), 'utf8')) as object
  await mkdir(join(dir, 'chains'))
  // Trusts the deployer of the chain, as on the current chain.
  const trusting = { ...file, vouched: [DEPLOYER] }
  await writeFile(join(dir, 'chains', name), JSON.stringify(trusting))
  return { ...env, CHAINS_DIR: join(dir, 'chains'), DEPLOYMENTS_DIR: join(dir, 'deployments') }
}

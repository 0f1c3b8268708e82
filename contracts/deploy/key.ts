/** Reads the private key of the account that pays for deployments. */
import type { Hex } from '@sluice/chains'
import { configVariable } from 'hardhat/config'
import { DeployError } from './errors.ts'
import { hardhatFor } from './hardhat.ts'
import { DEPLOYER_KEY } from './networks.ts'

/** Default value of the variable. It means that neither the environment nor the keystore has a key. */
const NO_KEY = 'none'

/**
 * Returns the deployer's private key from the environment or from Hardhat's keystore, which asks for its password.
 * Returns undefined if neither has a key.
 *
 * @throws DeployError `BAD_KEY`
 */
export async function deployerKey(): Promise<Hex | undefined> {
  const { config } = await hardhatFor('http://127.0.0.1:1', configVariable(DEPLOYER_KEY, { default: NO_KEY }))
  const { accounts } = config.networks.target as { accounts: readonly { get(): Promise<string> }[] }
  const key = await accounts[0]!.get()
  if (key === NO_KEY) return undefined
  if (!/^0x[0-9a-fA-F]{64}$/.test(key)) throw new DeployError('BAD_KEY', `${DEPLOYER_KEY} must be 0x and 64 hex digits`)
  return key as Hex
}

import type { Hex } from '@sluice/chains'
import { configVariable } from 'hardhat/config'
import { DeployError } from './errors.ts'
import { hardhatFor } from './hardhat.ts'
import { DEPLOYER_KEY } from './networks.ts'

/** Stands for a key that nobody has stored; no key itself. */
const NONE = 'none'

/**
 * Reads the deployer's key from the environment, else from Hardhat's keystore, which asks for its password; undefined if
 * neither has it.
 *
 * @throws DeployError `BAD_KEY`
 */
export async function deployerKey(): Promise<Hex | undefined> {
  const { config } = await hardhatFor('http://127.0.0.1:1', configVariable(DEPLOYER_KEY, { default: NONE }))
  const { accounts } = config.networks.target as { accounts: readonly { get(): Promise<string> }[] }
  const key = await accounts[0]!.get()
  if (key === NONE) return undefined
  if (!/^0x[0-9a-fA-F]{64}$/.test(key)) throw new DeployError('BAD_KEY', `${DEPLOYER_KEY} must be 0x and 64 hex digits`)
  return key as Hex
}

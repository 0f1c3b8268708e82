/** Determines which build of the contracts a chain supports. */
import type { PublicClient } from '@nomicfoundation/hardhat-viem/types'
import type { Build } from '@sluice/chains'
import { BaseError, type Hex } from 'viem'
import { DeployError, nodeMessage } from './errors.ts'

/**
 * Init code that creates a child contract, whose init code in turn runs PUSH0, TSTORE, and MCOPY. Returns 2 if the
 * child could be created, and 1 if not.
 */
const PROBE: Hex = '0x675f5f5d5f5f5f5e00600052600860186000f0151560010160005260206000f3'

/**
 * Returns the build for a chain: `cancun` if the chain has the opcodes of this build, else `london`. Sends no
 * transaction.
 *
 * @throws DeployError `UNSUPPORTED_CHAIN` if the chain cannot run the probe
 */
export async function probeBuild(client: PublicClient): Promise<Build> {
  let reason = 'it returned nothing'
  try {
    const { data } = await client.call({ data: PROBE })
    if (data && BigInt(data) === 2n) return 'cancun'
    if (data && BigInt(data) === 1n) return 'london'
    if (data) reason = `it returned ${data}`
  } catch (error) {
    if (!(error instanceof BaseError)) throw error
    reason = nodeMessage(error)
  }
  throw new DeployError('UNSUPPORTED_CHAIN', `the probe for PUSH0, TSTORE and MCOPY did not run: ${reason}`)
}

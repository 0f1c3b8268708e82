import type { PublicClient } from '@nomicfoundation/hardhat-viem/types'
import type { Build } from '@sluice/chains'
import { BaseError, type Hex } from 'viem'
import { DeployError } from './errors.ts'

/**
 * Creation code that creates a child with the code `TSTORE(0, 0); MCOPY(0, 0, 0)`, whose zeros are pushed by PUSH0.
 * Returns 2 if the child ran, and 1 if it did not. Two different answers distinguish a chain without these opcodes from
 * an endpoint that failed to answer.
 */
const PROBE: Hex = '0x675f5f5d5f5f5f5e00600052600860186000f0151560010160005260206000f3'

/**
 * Returns the build for a chain: `cancun` if the chain supports it. The probe is a call that changes nothing.
 *
 * @throws DeployError `UNSUPPORTED_CHAIN` when the chain does not run the probe itself
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
    reason = error.shortMessage
  }
  throw new DeployError('UNSUPPORTED_CHAIN', `the probe for PUSH0, TSTORE and MCOPY did not run: ${reason}`)
}

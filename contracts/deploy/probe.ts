import type { PublicClient } from '@nomicfoundation/hardhat-viem/types'
import { BaseError, type Hex } from 'viem'
import { DeployError } from './errors.ts'

/** TSTORE(0, 0); MCOPY(0, 0, 0); return 1. Zeros are pushed by PUSH0. */
const PROBE: Hex = '0x5f5f5d5f5f5f5e60015f5260205ff3'

/**
 * Runs the instructions that the cancun build needs as creation code of a call that changes nothing.
 *
 * @throws DeployError `UNSUPPORTED_CHAIN` when the chain lacks one of them
 */
export async function probeCancun(client: PublicClient): Promise<void> {
  let why = 'the probe returned nothing'
  try {
    const { data } = await client.call({ data: PROBE })
    if (data && BigInt(data) === 1n) return
  } catch (error) {
    if (!(error instanceof BaseError)) throw error
    why = error.shortMessage
  }
  throw new DeployError('UNSUPPORTED_CHAIN', `the chain lacks PUSH0, TSTORE or MCOPY: ${why}`)
}

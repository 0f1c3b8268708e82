import type { ContractRecord, Deployment } from '@sluice/chains'
import type { BlockRef, Rpc } from '@sluice/rpc'
import { keccak256 } from 'ethers'
import { ApiError } from '../errors.ts'

/**
 * The newest generation that is deployed, else the newest there is: its code is checked before every use. Routes use the
 * families that this one has.
 */
export function executorInUse({ executors }: Deployment): Deployment['executors'][number] | undefined {
  return executors.findLast(({ status }) => status === 'deployed') ?? executors.at(-1)
}

/**
 * A transaction to an address without the recorded code would lose its value or do nothing, so none is ever returned.
 *
 * @throws ApiError `GUARD_NOT_DEPLOYED` naming the contract
 */
export async function assertDeployed(
  contracts: Readonly<Record<string, ContractRecord>>,
  rpc: Rpc,
  block: BlockRef,
): Promise<void> {
  await Promise.all(
    Object.entries(contracts).map(async ([name, { address, codeHash }]) => {
      const code = await rpc.getCode(address, block)
      if (keccak256(code) !== codeHash)
        throw new ApiError(
          'GUARD_NOT_DEPLOYED',
          `the ${name} ${address} ${code === '0x' ? 'has no code' : 'has other code than recorded'} on this chain`,
        )
    }),
  )
}

import type { Address, ContractRecord, Deployment, Hex } from '@sluice/chains'
import { type DexFamily, families } from '@sluice/liquidity'
import type { BlockRef, Rpc } from '@sluice/rpc'
import { keccak256 } from 'ethers'
import { QuotingError } from '../errors.ts'

/** The contracts that swaps of a chain go through, and what they can swap in. */
export class SwapContracts {
  readonly guard: Address
  readonly executor: Deployment['executors'][number]
  /** All that there are: a program names its family by its place. */
  readonly families: ReadonlyMap<string, DexFamily> = new Map(families.map((family) => [family.id, family]))
  /** Families that the Executor in use can swap in. */
  readonly executable: ReadonlySet<string>
  private readonly records: Readonly<Record<string, ContractRecord>>
  /** Code that was last seen to be the recorded one, by address: to hash it takes milliseconds, and it is asked for in every block. */
  private readonly checked = new Map<Address, Hex>()

  /** @throws QuotingError `NO_EXECUTOR` */
  constructor(deployment: Deployment) {
    const executor = executorInUse(deployment)
    if (!executor) throw new QuotingError('NO_EXECUTOR', `chain ${deployment.chainId} has no Executor`)
    this.guard = deployment.guard.address
    this.executor = executor
    this.executable = new Set(executor.families)
    this.records = { Guard: deployment.guard, Executor: executor }
  }

  /**
   * A transaction to an address without the recorded code would lose its value or do nothing, so none is ever returned.
   *
   * @throws QuotingError `GUARD_NOT_DEPLOYED` naming the contract
   */
  async assertDeployed(rpc: Pick<Rpc, 'getCode'>, block: BlockRef): Promise<void> {
    await Promise.all(
      Object.entries(this.records).map(async ([name, { address, codeHash }]) => {
        const code = await rpc.getCode(address, block)
        if (code === this.checked.get(address)) return
        if (keccak256(code) !== codeHash)
          throw new QuotingError(
            'GUARD_NOT_DEPLOYED',
            `the ${name} ${address} ${code === '0x' ? 'has no code' : 'has other code than recorded'} on this chain`,
          )
        this.checked.set(address, code)
      }),
    )
  }
}

/**
 * The newest generation that is deployed, else the newest there is: its code is checked before every use. Routes use the
 * families that this one has.
 */
export function executorInUse({ executors }: Deployment): Deployment['executors'][number] | undefined {
  return executors.findLast(({ status }) => status === 'deployed') ?? executors.at(-1)
}

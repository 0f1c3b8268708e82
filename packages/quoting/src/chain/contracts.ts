import { bytecode } from '@sluice/bindings/bytecode'
import type { Address, ContractRecord, Deployment, Hex } from '@sluice/chains'
import { type DexFamily, families } from '@sluice/liquidity'
import { type BlockRef, type Rpc, RpcError } from '@sluice/rpc'
import { concat, keccak256, zeroPadValue } from 'ethers'
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
   * Code of the contracts that an earlier block does not have yet, for simulations there.
   *
   * @throws QuotingError `GUARD_NOT_DEPLOYED` for an address with other code, or where the recorded code cannot be made
   */
  async missingCodes(rpc: Pick<Rpc, 'getCode' | 'call'>, block: BlockRef): Promise<Readonly<Record<Address, Hex>>> {
    const codes: Record<Address, Hex> = {}
    const missing = async ([name, record]: [string, ContractRecord]) => {
      const { address, codeHash } = record
      const code = await rpc.getCode(address, block)
      if (code !== '0x' && keccak256(code) === codeHash) return
      const made = code === '0x' ? await this.madeCode(rpc, name, record, block) : '0x'
      if (keccak256(made) !== codeHash) throw notDeployed(name, address, code)
      codes[address] = made
    }
    await Promise.all(Object.entries(this.records).map(missing))
    return codes
  }

  /** Code of the newest block, or the answer of the constructor. */
  private async madeCode(
    rpc: Pick<Rpc, 'getCode' | 'call'>,
    name: string,
    { address, build }: ContractRecord,
    block: BlockRef,
  ): Promise<Hex> {
    const known = this.checked.get(address) ?? (await rpc.getCode(address, 'latest'))
    if (known !== '0x') return known
    const suffix = build === 'london' ? 'London' : ''
    const data =
      name === 'Guard'
        ? bytecode[`Guard${suffix}`].creation
        : concat([bytecode[`Executor${suffix}`].creation, zeroPadValue(this.guard, 32)])
    return rpc.call({ to: null, data: data as Hex }, block).catch((error: unknown) => {
      if (error instanceof RpcError && (error.code === 'REVERTED' || error.code === 'REJECTED')) return '0x'
      throw error
    })
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
        if (keccak256(code) !== codeHash) throw notDeployed(name, address, code)
        this.checked.set(address, code)
      }),
    )
  }
}

function notDeployed(name: string, address: Address, code: Hex): QuotingError {
  const found = code === '0x' ? 'has no code' : 'has other code than recorded'
  return new QuotingError('GUARD_NOT_DEPLOYED', `the ${name} ${address} ${found} on this chain`)
}

/**
 * The newest generation that is deployed, else the newest there is: its code is checked before every use. Routes use the
 * families that this one has.
 */
export function executorInUse({ executors }: Deployment): Deployment['executors'][number] | undefined {
  return executors.findLast(({ status }) => status === 'deployed') ?? executors.at(-1)
}

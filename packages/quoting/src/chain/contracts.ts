/**
 * The deployed contracts of a chain, and checks of their code. Users call the Guard, which checks a swap's output; it
 * calls the Executor, which swaps in pools.
 */
import { bytecode } from '@sluice/bindings/bytecode'
import { keccak256 } from '@sluice/bindings/keccak'
import type { Address, ContractRecord, Deployment, Hex } from '@sluice/chains'
import { type DexFamily, families } from '@sluice/liquidity'
import { type BlockRef, type Rpc, RpcError } from '@sluice/rpc'
import { concat, zeroPadValue } from 'ethers'
import { QuotingError } from '../errors.ts'

/** Bytecode that fails on an EVM before Cancun: PUSH0 three times, MCOPY, PUSH0, TLOAD, STOP. */
const CANCUN_INSTRUCTIONS: Hex = '0x5f5f5f5e5f5c00'

/** The Guard and the Executor of a chain, and the DEX families that the Executor supports. */
export class ChainContracts {
  readonly guard: Address
  readonly executor: Deployment['executors'][number]
  /** All families (kinds of pools) by id, including families that the Executor does not support. */
  readonly families: ReadonlyMap<string, DexFamily> = new Map(families.map((family) => [family.id, family]))
  /** Families that the current Executor supports. */
  readonly executable: ReadonlySet<string>
  private readonly recordsByName: Readonly<Record<string, ContractRecord>>
  /**
   * Code that matched its recorded hash, by address. Cached because hashing takes milliseconds and the check runs at
   * every block.
   */
  private readonly verifiedCodes = new Map<Address, Hex>()

  /** @throws QuotingError `NO_EXECUTOR` if the deployment has no Executor */
  constructor(deployment: Deployment) {
    const executor = executorInUse(deployment)
    if (!executor) throw new QuotingError('NO_EXECUTOR', `chain ${deployment.chainId} has no Executor`)
    this.guard = deployment.guard.address
    this.executor = executor
    this.executable = new Set(executor.families)
    this.recordsByName = { Guard: deployment.guard, Executor: executor }
  }

  /**
   * Returns the code of the contracts that were not deployed yet at a past block, for state overrides in simulations at
   * that block.
   *
   * @throws QuotingError `GUARD_NOT_DEPLOYED` if an address has other code, or the recorded code cannot be obtained
   */
  async missingCodes(rpc: Pick<Rpc, 'getCode' | 'call'>, block: BlockRef): Promise<Readonly<Record<Address, Hex>>> {
    const codes: Record<Address, Hex> = {}
    const addMissing = async ([name, record]: [string, ContractRecord]) => {
      const { address, codeHash } = record
      const code = await rpc.getCode(address, block)
      if (code !== '0x' && keccak256(code) === codeHash) return
      const expectedCode = code === '0x' ? await this.deployedCode(rpc, name, record, block) : '0x'
      if (keccak256(expectedCode) !== codeHash) throw notDeployedError(name, address, code)
      codes[address] = expectedCode
    }
    await Promise.all(Object.entries(this.recordsByName).map(addMissing))
    return codes
  }

  /**
   * Returns false if the EVM at a block lacks instructions that these contracts use. If the Guard is deployed at the
   * block, the EVM has all of them.
   *
   * @throws RpcError if the node fails
   */
  async canRunAt(rpc: Pick<Rpc, 'getCode' | 'call'>, block: BlockRef): Promise<boolean> {
    if ((await rpc.getCode(this.guard, block)) !== '0x') return true
    return rpc.call({ to: null, data: CANCUN_INSTRUCTIONS }, block).then(
      () => true,
      (error: unknown) => {
        if (error instanceof RpcError && (error.code === 'REVERTED' || error.code === 'REJECTED')) return false
        throw error
      },
    )
  }

  /** Returns the code at the newest block. If there is none, runs the constructor for it; `0x` if the constructor fails. */
  private async deployedCode(
    rpc: Pick<Rpc, 'getCode' | 'call'>,
    name: string,
    { address, build }: ContractRecord,
    block: BlockRef,
  ): Promise<Hex> {
    const knownCode = this.verifiedCodes.get(address) ?? (await rpc.getCode(address, 'latest'))
    if (knownCode !== '0x') return knownCode
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
   * Checks that both contracts have their recorded code. A transaction to other code would lose its value or do
   * nothing.
   *
   * @throws QuotingError `GUARD_NOT_DEPLOYED` that names the contract
   */
  async assertDeployed(rpc: Pick<Rpc, 'getCode'>, block: BlockRef): Promise<void> {
    await Promise.all(
      Object.entries(this.recordsByName).map(async ([name, { address, codeHash }]) => {
        const code = await rpc.getCode(address, block)
        if (code === this.verifiedCodes.get(address)) return
        if (keccak256(code) !== codeHash) throw notDeployedError(name, address, code)
        this.verifiedCodes.set(address, code)
      }),
    )
  }
}

function notDeployedError(name: string, address: Address, code: Hex): QuotingError {
  const problem = code === '0x' ? 'has no code' : 'has other code than recorded'
  return new QuotingError('GUARD_NOT_DEPLOYED', `the ${name} ${address} ${problem} on this chain`)
}

/**
 * Returns the newest Executor with status `deployed`; if no Executor is deployed, the newest Executor. Its code is
 * checked before every use, and routes use only the families that it supports.
 */
export function executorInUse({ executors }: Deployment): Deployment['executors'][number] | undefined {
  return executors.findLast(({ status }) => status === 'deployed') ?? executors.at(-1)
}

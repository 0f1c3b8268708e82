/** Computes addresses and code hashes of Guard and Executor from their compiled code. */
import type { Address, Build, ContractRecord, Hex } from '@sluice/chains'
import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'
import { create2Address, hashOf, SALT } from './create2.ts'

/** Generation of the Executor in this source tree. packages/program/src/ops defines its operations. */
export const EXECUTOR_VERSION: number = 1

/**
 * Contract names and EVM version of each build. `cancun` needs the opcodes PUSH0, TSTORE, and MCOPY. `london` is for
 * chains that lack one of these opcodes. `cancun` stores the state of a running swap in transient storage, `london` in
 * storage.
 */
export const BUILDS = {
  cancun: { evmVersion: 'cancun', Guard: 'Guard', Executor: 'Executor' },
  london: { evmVersion: 'london', Guard: 'GuardLondon', Executor: 'ExecutorLondon' },
} as const satisfies Record<Build, { evmVersion: string; Guard: string; Executor: string }>

/** Code and address of a contract to deploy. */
export type PlannedContract = {
  readonly name: 'Guard' | 'Executor'
  readonly address: Address
  readonly initCode: Hex
  readonly initCodeHash: Hex
  /** keccak256 of the runtime code. */
  readonly codeHash: Hex
  readonly build: Build
}

export type Plan = { readonly guard: PlannedContract; readonly executor: PlannedContract }

/** Computes the contracts of a build from Hardhat's artifacts. Their addresses are the same on every chain. */
export async function planDeployment(hre: HardhatRuntimeEnvironment, build: Build): Promise<Plan> {
  const guard = await planContract(hre, 'Guard', build)
  return { guard, executor: await planContract(hre, 'Executor', build, guard.address) }
}

/** @param guard - constructor argument of an Executor; absent for the Guard */
async function planContract(
  hre: HardhatRuntimeEnvironment,
  name: PlannedContract['name'],
  build: Build,
  guard?: Address,
): Promise<PlannedContract> {
  const artifact = await hre.artifacts.readArtifact(BUILDS[build][name])
  const initCode = guard ? executorInitCode(artifact.bytecode as Hex, guard) : (artifact.bytecode as Hex)
  const initCodeHash = hashOf(initCode)
  // The artifact's runtime code has zeros at the positions of immutables. The Executor's only immutable is the Guard.
  const immutablePositions = Object.values(artifact.immutableReferences ?? {}).flat()
  const runtime = immutablePositions.reduce(
    (code, { start }) => placeGuard(code, start, guard!),
    artifact.deployedBytecode,
  )
  return {
    name,
    address: create2Address(initCodeHash),
    initCode,
    initCodeHash,
    codeHash: hashOf(runtime as Hex),
    build,
  }
}

/** Returns the init code of an Executor: the compiled creation code, and the Guard as the constructor's argument. */
export function executorInitCode(creationCode: Hex, guard: Address): Hex {
  return `${creationCode}${paddedAddress(guard)}`
}

/** Writes the Guard's address into runtime code, at the byte position of an immutable. */
function placeGuard(code: string, start: number, guard: Address): string {
  const offset = 2 + 2 * start
  return code.slice(0, offset) + paddedAddress(guard) + code.slice(offset + 64)
}

const paddedAddress = (address: Address) => address.slice(2).padStart(64, '0')

export function contractRecordOf(
  plannedContract: PlannedContract,
  creation?: { block: number; transaction?: Hex },
): ContractRecord {
  const { address, initCodeHash, codeHash, build } = plannedContract
  const commonFields = { address, salt: SALT, initCodeHash, codeHash, build }
  return creation ? { ...commonFields, status: 'deployed', ...creation } : { ...commonFields, status: 'predicted' }
}

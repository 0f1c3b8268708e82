import type { Address, Build, ContractRecord, Hex } from '@sluice/chains'
import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'
import { create2Address, hashOf, SALT } from './create2.ts'

/** The generation of the Executor in this source tree. What it can trade is in packages/program/src/ops. */
export const EXECUTOR_VERSION: number = 1

/**
 * Names of a contract in each build. `cancun` needs PUSH0, TSTORE and MCOPY; `london` runs on chains that lack one of
 * them. The sources differ only in the storage of the lock during a swap.
 */
export const BUILDS = {
  cancun: { evmVersion: 'cancun', Guard: 'Guard', Executor: 'Executor' },
  london: { evmVersion: 'london', Guard: 'GuardLondon', Executor: 'ExecutorLondon' },
} as const satisfies Record<Build, { evmVersion: string; Guard: string; Executor: string }>

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

/** Addresses of this tree's contracts on every chain of a build, from the compiled artifacts alone. */
export async function planDeployment(hre: HardhatRuntimeEnvironment, build: Build): Promise<Plan> {
  const guard = await plan(hre, 'Guard', build)
  return { guard, executor: await plan(hre, 'Executor', build, guard.address) }
}

/** @param guard - what an Executor is created with */
async function plan(
  hre: HardhatRuntimeEnvironment,
  name: PlannedContract['name'],
  build: Build,
  guard?: Address,
): Promise<PlannedContract> {
  const artifact = await hre.artifacts.readArtifact(BUILDS[build][name])
  const initCode = guard ? executorInitCode(artifact.bytecode as Hex, guard) : (artifact.bytecode as Hex)
  const initCodeHash = hashOf(initCode)
  // The Executor's one immutable is its Guard: with that in its places the artifact's code is what will stand on chain.
  const places = Object.values(artifact.immutableReferences ?? {}).flat()
  const runtime = places.reduce((code, { start }) => placeGuard(code, start, guard!), artifact.deployedBytecode)
  return {
    name,
    address: create2Address(initCodeHash),
    initCode,
    initCodeHash,
    codeHash: hashOf(runtime as Hex),
    build,
  }
}

/** Init code of an Executor: its compiled creation code, and the one argument of its constructor. */
export function executorInitCode(creationCode: Hex, guard: Address): Hex {
  return `${creationCode}${word(guard)}`
}

function placeGuard(code: string, start: number, guard: Address): string {
  const offset = 2 + 2 * start
  return code.slice(0, offset) + word(guard) + code.slice(offset + 64)
}

const word = (address: Address) => address.slice(2).padStart(64, '0')

export function record(
  plannedContract: PlannedContract,
  creation?: { block: number; transaction?: Hex },
): ContractRecord {
  const { address, initCodeHash, codeHash, build } = plannedContract
  const common = { address, salt: SALT, initCodeHash, codeHash, build }
  return creation ? { ...common, status: 'deployed', ...creation } : { ...common, status: 'predicted' }
}

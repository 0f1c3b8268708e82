/** Reads a chain before a deployment, and confirms the deployed code. */
import type { PublicClient } from '@nomicfoundation/hardhat-viem/types'
import type { Build } from '@sluice/chains'
import type { HardhatRuntimeEnvironment } from 'hardhat/types/hre'
import { type Address, concatHex, type Hex } from 'viem'
import { hashOf } from './create2.ts'
import { DeployError } from './errors.ts'
import { type KeylessState, keylessState } from './keyless.ts'
import { chainFacts } from './networks.ts'
import { type Outlay, outlaysFor } from './outlay.ts'
import { type Plan, type PlannedContract, planDeployment } from './plan.ts'
import { probeBuild } from './probe.ts'
import { FEW_BLOCKS_MS, waitFor } from './transactions.ts'

/** State of a chain before a deployment. `outlays` are the transactions that the deployment must still send. */
export type Survey = {
  readonly build: Build
  readonly plan: Plan
  /** The contracts of the plan that have no code yet. */
  readonly missing: readonly PlannedContract[]
  readonly keyless: KeylessState
  readonly outlays: readonly Outlay[]
}

/**
 * Rejects chains that the registry marks as unsupported. Accepts chains outside of the registry, which `probeBuild`
 * then checks.
 *
 * @throws DeployError `UNSUPPORTED_CHAIN`
 */
export function refuseUnsupported(chainId: number): void {
  const unsupportedReason = chainFacts(chainId)?.unsupported
  if (unsupportedReason) throw new DeployError('UNSUPPORTED_CHAIN', unsupportedReason)
}

/**
 * Reads which contracts are missing on a chain, and estimates the cost of their creation.
 *
 * @throws DeployError
 */
export async function surveyChain(
  hre: HardhatRuntimeEnvironment,
  client: PublicClient,
  onProgress: (text: string) => void,
): Promise<Survey> {
  const build = await probeBuild(client)
  onProgress(`runs the ${build} build`)
  const plan = await planDeployment(hre, build)
  const missing: PlannedContract[] = []
  for (const plannedContract of [plan.guard, plan.executor]) {
    if (await isDeployed(client, plannedContract))
      onProgress(`${plannedContract.name} stands at ${plannedContract.address}`)
    else missing.push(plannedContract)
  }
  // Only the keyless deployer creates contracts at these addresses. So if they all exist, it exists too.
  const keyless = missing.length === 0 ? { exists: true, lackingWei: 0n } : await keylessState(client)
  return { build, plan, missing, keyless, outlays: await outlaysFor(client, missing, keyless) }
}

/**
 * Returns true if a contract exists.
 *
 * @throws DeployError `CODE_MISMATCH` if the address has other code. CREATE2 makes this impossible on an honest chain.
 */
export async function isDeployed(client: PublicClient, { name, address, codeHash }: PlannedContract): Promise<boolean> {
  const code = await client.getCode({ address })
  if (!code || code === '0x') return false
  if (hashOf(code) !== codeHash)
    throw new DeployError('CODE_MISMATCH', `${name} at ${address} has code ${hashOf(code)}, expected ${codeHash}`)
  return true
}

/**
 * Confirms the code of a contract in two ways: reads the code, and runs EXTCODEHASH in a call. A cache in front of the
 * node may return stale data for one of these requests, but hardly for both.
 *
 * @throws DeployError `CODE_MISMATCH`
 */
export async function confirmCode(
  client: PublicClient,
  plannedContract: PlannedContract,
  timeoutMs: number,
): Promise<void> {
  const { name, address, codeHash } = plannedContract
  let executionResult: Hex | undefined
  const isConfirmed = async () => {
    if (!(await isDeployed(client, plannedContract))) return false
    executionResult = await runExtCodeHash(client, address)
    return executionResult === codeHash
  }
  if (!(await waitFor(isConfirmed, Math.min(timeoutMs, FEW_BLOCKS_MS))))
    throw new DeployError(
      'CODE_MISMATCH',
      `the endpoint contradicts itself on ${name} at ${address}: EXTCODEHASH returned ${executionResult ?? 'nothing'}, expected ${codeHash}`,
    )
}

/** Runs `PUSH20 address; EXTCODEHASH` as creation code in a call, and returns the word. */
async function runExtCodeHash(client: PublicClient, address: Address): Promise<Hex | undefined> {
  const { data } = await client.call({ data: concatHex(['0x73', address, '0x3f60005260206000f3']) })
  return data
}

/**
 * Finds the block in which a contract was created, by bisection over past states. Starts with steps back from the
 * newest block that double each time, so that a recent creation needs only recent states. Returns undefined if the node
 * does not keep these states.
 */
export async function creationBlock(client: PublicClient, address: Address): Promise<number | undefined> {
  const hasCode = async (blockNumber: bigint) => {
    const code = await client.getCode({ address, blockNumber })
    return code !== undefined && code !== '0x'
  }
  try {
    let blockWithCode = await client.getBlockNumber({ cacheTime: 0 })
    if (!(await hasCode(blockWithCode))) return undefined
    let blockWithoutCode = -1n
    for (let step = 1n; blockWithoutCode < 0n && blockWithCode > 0n; step *= 2n) {
      const block = blockWithCode > step ? blockWithCode - step : 0n
      if (await hasCode(block)) blockWithCode = block
      else blockWithoutCode = block
    }
    while (blockWithCode - blockWithoutCode > 1n) {
      const middle = (blockWithCode + blockWithoutCode) / 2n
      if (await hasCode(middle)) blockWithCode = middle
      else blockWithoutCode = middle
    }
    return Number(blockWithCode)
  } catch {
    return undefined
  }
}

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

/** State of a chain before a deployment. */
export type Survey = {
  readonly build: Build
  readonly plan: Plan
  /** The planned contracts that have no code yet. */
  readonly missing: readonly PlannedContract[]
  readonly keyless: KeylessState
  readonly outlays: readonly Outlay[]
}

/** @throws DeployError `UNSUPPORTED_CHAIN`; a chain outside the registry is left to the probe */
export function refuseUnsupported(chainId: number): void {
  const unsupportedReason = chainFacts(chainId)?.unsupported
  if (unsupportedReason) throw new DeployError('UNSUPPORTED_CHAIN', unsupportedReason)
}

/** @throws DeployError */
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
    if (await stands(client, plannedContract))
      onProgress(`${plannedContract.name} stands at ${plannedContract.address}`)
    else missing.push(plannedContract)
  }
  // Contracts that exist were created by it.
  const keyless = missing.length === 0 ? { exists: true, lackingWei: 0n } : await keylessState(client)
  return { build, plan, missing, keyless, outlays: await outlaysFor(client, missing, keyless) }
}

/** @throws DeployError `CODE_MISMATCH` when other code stands at the address, which CREATE2 rules out on an honest chain */
export async function stands(client: PublicClient, { name, address, codeHash }: PlannedContract): Promise<boolean> {
  const code = await client.getCode({ address })
  if (!code || code === '0x') return false
  if (hashOf(code) !== codeHash)
    throw new DeployError('CODE_MISMATCH', `${name} at ${address} has code ${hashOf(code)}, expected ${codeHash}`)
  return true
}

/**
 * Confirms the code in two ways: by reading it, and by running EXTCODEHASH. A cache in front of a node that returns old or
 * wrong data for one of them contradicts the other.
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
  const agrees = async () => {
    if (!(await stands(client, plannedContract))) return false
    executionResult = await extCodeHash(client, address)
    return executionResult === codeHash
  }
  if (!(await waitFor(agrees, Math.min(timeoutMs, FEW_BLOCKS_MS))))
    throw new DeployError(
      'CODE_MISMATCH',
      `the endpoint contradicts itself on ${name} at ${address}: EXTCODEHASH returned ${executionResult ?? 'nothing'}, expected ${codeHash}`,
    )
}

/** Runs `PUSH20 address; EXTCODEHASH` as creation code in a call, and returns the word. */
async function extCodeHash(client: PublicClient, address: Address): Promise<Hex | undefined> {
  const { data } = await client.call({ data: concatHex(['0x73', address, '0x3f60005260206000f3']) })
  return data
}

/**
 * The block whose transactions created the code, by bisection over past states; undefined if the node does not keep them.
 * Steps back from the newest block double, so that a node with recent states only is enough for a recent creation.
 */
export async function creationBlock(client: PublicClient, address: Address): Promise<number | undefined> {
  const hasCode = async (blockNumber: bigint) => {
    const code = await client.getCode({ address, blockNumber })
    return code !== undefined && code !== '0x'
  }
  try {
    let present = await client.getBlockNumber({ cacheTime: 0 })
    if (!(await hasCode(present))) return undefined
    let absent = -1n
    for (let step = 1n; absent < 0n && present > 0n; step *= 2n) {
      const block = present > step ? present - step : 0n
      if (await hasCode(block)) present = block
      else absent = block
    }
    while (present - absent > 1n) {
      const middle = (present + absent) / 2n
      if (await hasCode(middle)) present = middle
      else absent = middle
    }
    return Number(present)
  } catch {
    return undefined
  }
}

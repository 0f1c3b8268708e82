import type { PublicClient } from '@nomicfoundation/hardhat-viem/types'
import { BaseError, formatEther, type Hex } from 'viem'
import { create2Calldata, KEYLESS_DEPLOYER } from './create2.ts'
import type { KeylessState } from './keyless.ts'
import type { PlannedContract } from './plan.ts'

/** Something that a deployment has yet to send. */
export type Outlay = {
  readonly what: string
  readonly gas: bigint
  /** Wei sent in addition to the gas. */
  readonly value: bigint
}

/** Returns upper estimates of the outlays for the missing contracts. */
export async function outlaysFor(
  client: PublicClient,
  missing: readonly PlannedContract[],
  { exists, lackingWei }: KeylessState,
): Promise<Outlay[]> {
  if (missing.length === 0) return []
  const contracts: Outlay[] = []
  for (const { name, address, initCode } of missing)
    contracts.push({
      what: `create ${name} at ${address}`,
      gas: exists ? await estimatedGas(client, initCode) : creationGas(initCode),
      value: 0n,
    })
  if (exists) return contracts
  const { address, signer } = KEYLESS_DEPLOYER
  const ownOutlay = {
    what: `create the keyless deployer at ${address}, by the transaction its signer ${signer} left behind`,
    gas: 0n,
    value: 0n,
  }
  if (lackingWei === 0n) return [ownOutlay, ...contracts]
  return [{ what: `fund ${signer}`, gas: 21_000n, value: lackingWei }, ownOutlay, ...contracts]
}

/** In wei. */
export function totalOf(outlays: readonly Outlay[], gasPrice: bigint): bigint {
  return outlays.reduce((sum, { gas, value }) => sum + gas * gasPrice + value, 0n)
}

export function describe({ what, gas, value }: Outlay): string {
  const costs = [...(gas > 0n ? [`up to ${gas} gas`] : []), ...(value > 0n ? [`${formatEther(value)} native`] : [])]
  return costs.length > 0 ? `${what}: ${costs.join(' and ')}` : what
}

/**
 * The formula, or the node's estimate and a quarter if that is more: some rollups charge for the data of a transaction in
 * gas. A node that cannot estimate leaves the formula.
 */
async function estimatedGas(client: PublicClient, initCode: Hex): Promise<bigint> {
  const byFormula = creationGas(initCode)
  const { address, signer } = KEYLESS_DEPLOYER
  try {
    const estimate = await client.estimateGas({ account: signer, to: address, data: create2Calldata(initCode) })
    const byNode = (estimate * 5n) / 4n
    if (byNode > byFormula) return byNode
  } catch (error) {
    if (!(error instanceof BaseError)) throw error
  }
  return byFormula
}

/** 200 gas per byte of code deposited, at most 16 per byte sent, 53,000 for a creating transaction, a half more to be safe. */
function creationGas(initCode: Hex): bigint {
  const bytes = BigInt((initCode.length - 2) / 2)
  return ((bytes * 216n + 53_000n) * 3n) / 2n
}

/** Estimates the cost of a deployment. */
import type { PublicClient } from '@nomicfoundation/hardhat-viem/types'
import { BaseError, formatEther, type Hex } from 'viem'
import { create2Calldata, KEYLESS_DEPLOYER } from './create2.ts'
import type { KeylessState } from './keyless.ts'
import type { PlannedContract } from './plan.ts'

/** A transaction that a deployment must still send, with an upper estimate of its gas. */
export type Outlay = {
  readonly description: string
  readonly gas: bigint
  /** Wei that the transaction transfers. */
  readonly value: bigint
}

/** Returns the transactions that create the missing contracts, and the keyless deployer if it is missing. */
export async function outlaysFor(
  client: PublicClient,
  missing: readonly PlannedContract[],
  { exists, lackingWei }: KeylessState,
): Promise<Outlay[]> {
  if (missing.length === 0) return []
  const creationOutlays: Outlay[] = []
  for (const { name, address, initCode } of missing)
    creationOutlays.push({
      description: `create ${name} at ${address}`,
      gas: exists ? await estimateCreationGas(client, initCode) : creationGasByFormula(initCode),
      value: 0n,
    })
  if (exists) return creationOutlays
  const { address, signer } = KEYLESS_DEPLOYER
  const deployerOutlay = {
    description: `create the keyless deployer at ${address}, by the transaction its signer ${signer} left behind`,
    gas: 0n,
    value: 0n,
  }
  if (lackingWei === 0n) return [deployerOutlay, ...creationOutlays]
  return [{ description: `fund ${signer}`, gas: 21_000n, value: lackingWei }, deployerOutlay, ...creationOutlays]
}

/** Returns the total cost of the outlays in wei: their gas at `gasPrice` (wei), and the transferred value. */
export function totalOf(outlays: readonly Outlay[], gasPrice: bigint): bigint {
  return outlays.reduce((sum, { gas, value }) => sum + gas * gasPrice + value, 0n)
}

export function describeOutlay({ description, gas, value }: Outlay): string {
  const costs = [...(gas > 0n ? [`up to ${gas} gas`] : []), ...(value > 0n ? [`${formatEther(value)} native`] : [])]
  return costs.length > 0 ? `${description}: ${costs.join(' and ')}` : description
}

/**
 * Returns an upper estimate of the gas of a creation: the larger of two values, `creationGasByFormula` and the node's
 * estimate plus a quarter. The node's estimate is larger on rollups that charge gas for the data of a transaction. If
 * the node cannot estimate, only the formula counts.
 */
async function estimateCreationGas(client: PublicClient, initCode: Hex): Promise<bigint> {
  const byFormula = creationGasByFormula(initCode)
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

/**
 * Returns an upper estimate of the gas of a creation: 200 gas per byte of deployed code, 16 gas per byte of calldata,
 * and 53,000 gas per creation, plus a margin of a half.
 */
function creationGasByFormula(initCode: Hex): bigint {
  const bytes = BigInt((initCode.length - 2) / 2)
  return ((bytes * 216n + 53_000n) * 3n) / 2n
}

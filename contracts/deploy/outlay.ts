import type { PublicClient } from '@nomicfoundation/hardhat-viem/types'
import { formatEther, type Hex } from 'viem'
import { KEYLESS_DEPLOYER } from './create2.ts'
import type { PlannedContract } from './plan.ts'

/** Something that a deployment has yet to send. */
export type Outlay = {
  readonly what: string
  readonly gas: bigint
  /** Wei beside the gas. */
  readonly value: bigint
}

/** Outlays for the contracts that are missing; upper estimates. */
export async function outlaysFor(client: PublicClient, missing: readonly PlannedContract[]): Promise<Outlay[]> {
  if (missing.length === 0) return []
  const contracts = missing.map(({ name, address, initCode }) => ({
    what: `create ${name} at ${address}`,
    gas: creationGas(initCode),
    value: 0n,
  }))
  const { address, signer, cost } = KEYLESS_DEPLOYER
  if (await client.getCode({ address })) return contracts
  const held = await client.getBalance({ address: signer })
  const own = { what: `create the keyless deployer at ${address}, by the transaction its signer ${signer} left behind` }
  if (held >= cost) return [{ ...own, gas: 0n, value: 0n }, ...contracts]
  return [{ what: `fund ${signer}`, gas: 21_000n, value: cost - held }, { ...own, gas: 0n, value: 0n }, ...contracts]
}

/** In wei. */
export function totalOf(outlays: readonly Outlay[], gasPrice: bigint): bigint {
  return outlays.reduce((sum, { gas, value }) => sum + gas * gasPrice + value, 0n)
}

export function describe({ what, gas, value }: Outlay): string {
  const costs = [...(gas > 0n ? [`up to ${gas} gas`] : []), ...(value > 0n ? [`${formatEther(value)} native`] : [])]
  return costs.length > 0 ? `${what}: ${costs.join(' and ')}` : what
}

/** 200 gas per byte of code deposited, at most 16 per byte sent, 53,000 for a creating transaction, a half more to be safe. */
function creationGas(initCode: Hex): bigint {
  const bytes = BigInt((initCode.length - 2) / 2)
  return ((bytes * 216n + 53_000n) * 3n) / 2n
}

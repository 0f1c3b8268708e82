/** Reads contracts of a checked chain. */
import { IERC20Metadata__factory } from '@sluice/bindings'
import type { Address, Hex } from '@sluice/chains'
import { RpcError } from '@sluice/rpc'
import type { Subject } from './finding.ts'

/** Returns the result of a call; null if the call reverts or returns nothing. */
export async function callOrNull({ rpc, block }: Subject, to: Address, data: Hex): Promise<Hex | null> {
  try {
    const answer = await rpc.call({ to, data }, block)
    return answer === '0x' ? null : answer
  } catch (error) {
    if (error instanceof RpcError && error.code === 'REVERTED') return null
    throw error
  }
}

export async function hasCode({ rpc, block }: Subject, address: Address): Promise<boolean> {
  return (await rpc.getCode(address, block)) !== '0x'
}

const metadata = IERC20Metadata__factory.createInterface()

/** Returns the decimals of a token; null if it reports none, or an invalid value. */
export async function readDecimals(subject: Subject, token: Address): Promise<number | null> {
  const answer = await callOrNull(subject, token, metadata.encodeFunctionData('decimals') as Hex)
  if (answer === null || answer.length !== 66) return null
  const decimals = BigInt(answer)
  return decimals <= 255n ? Number(decimals) : null
}

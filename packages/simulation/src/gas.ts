import type { Hex } from '@sluice/chains'
import type { BlockHeader } from '@sluice/rpc'

const TRANSACTION_GAS = 21_000n
/** Gas of calldata, EIP-2028. */
const ZERO_BYTE_GAS = 4n
const BYTE_GAS = 16n

/** Most of it that calldata of this length may be charged: where a little more than is needed does no harm. */
export function mostIntrinsicGas(data: Hex): bigint {
  return TRANSACTION_GAS + BigInt((data.length - 2) / 2) * BYTE_GAS
}

/** A quote asks of the same calldata several times, and of a few at once. */
const REMEMBERED = 8
const remembered: { readonly data: Hex; readonly gas: bigint }[] = []
let oldest = 0

/** Gas that a transaction is charged before its first instruction. */
export function intrinsicGas(data: Hex): bigint {
  const known = remembered.find((one) => one.data === data)
  if (known) return known.gas
  const gas = countedGas(data)
  remembered[oldest] = { data, gas }
  oldest = (oldest + 1) % REMEMBERED
  return gas
}

function countedGas(data: Hex): bigint {
  const bytes = Buffer.from(data.slice(2), 'hex')
  let zeros = 0
  for (let i = 0; i < bytes.length; i++) if (bytes[i] === 0) zeros++
  return TRANSACTION_GAS + BigInt(zeros) * ZERO_BYTE_GAS + BigInt(bytes.length - zeros) * BYTE_GAS
}

/** Gas that a simulated transaction is given where nothing else is asked for: half a block, and no more than the limit. */
export function usualGas({ gasLimit }: Pick<BlockHeader, 'gasLimit'>, maxGas: bigint): bigint {
  const half = gasLimit / 2n
  return half < maxGas ? half : maxGas
}

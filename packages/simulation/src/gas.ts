/** Computes the intrinsic gas, calldata floor, and default gas limit of transactions. */
import type { Hex } from '@sluice/chains'
import type { BlockHeader } from '@sluice/rpc'

/** Intrinsic gas of a transaction without calldata. */
const TRANSACTION_GAS = 21_000n
/** Gas per zero byte of calldata. */
const ZERO_BYTE_GAS = 4n
/** Gas per other byte of calldata (EIP-2028). */
const BYTE_GAS = 16n
/** Gas per unit of calldata (EIP-7623): a zero byte is one unit, any other byte is four units. */
const UNIT_GAS = { standard: 4n, floor: 10n }

/** Returns an upper bound of the intrinsic gas for calldata of this length, cheaper to compute than the exact value. */
export function maxIntrinsicGas(data: Hex): bigint {
  return TRANSACTION_GAS + BigInt((data.length - 2) / 2) * BYTE_GAS
}

/** Maximum cached results. A quote asks several times for the gas of the same few calldata. */
const MAX_CACHED = 8
const cache: { readonly data: Hex; readonly gas: bigint }[] = []
/** Index of the oldest cached result. */
let oldestIndex = 0

/** Returns the gas that a transaction is charged before its first instruction. */
export function intrinsicGas(data: Hex): bigint {
  const cached = cache.find((entry) => entry.data === data)
  if (cached) return cached.gas
  const gas = countGas(data)
  cache[oldestIndex] = { data, gas }
  oldestIndex = (oldestIndex + 1) % MAX_CACHED
  return gas
}

/** Returns the minimum gas charged for this calldata. @see EIP-7623 */
export function floorGas(data: Hex): bigint {
  return TRANSACTION_GAS + ((intrinsicGas(data) - TRANSACTION_GAS) * UNIT_GAS.floor) / UNIT_GAS.standard
}

function countGas(data: Hex): bigint {
  const bytes = Buffer.from(data.slice(2), 'hex')
  let zeros = 0
  for (let i = 0; i < bytes.length; i++) if (bytes[i] === 0) zeros++
  return TRANSACTION_GAS + BigInt(zeros) * ZERO_BYTE_GAS + BigInt(bytes.length - zeros) * BYTE_GAS
}

/** Returns the default gas limit: half a block, at most `maxGas`. */
export function defaultGasLimit({ gasLimit }: Pick<BlockHeader, 'gasLimit'>, maxGas: bigint): bigint {
  const halfBlock = gasLimit / 2n
  return halfBlock < maxGas ? halfBlock : maxGas
}

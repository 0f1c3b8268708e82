import type { Hex } from '@sluice/chains'

const TRANSACTION_GAS = 21_000n
/** Of calldata, EIP-2028. */
const ZERO_BYTE_GAS = 4n
const BYTE_GAS = 16n

/** What a transaction is charged before its first instruction. */
export function intrinsicGas(data: Hex): bigint {
  let zeros = 0
  for (let i = 2; i < data.length; i += 2) if (data[i] === '0' && data[i + 1] === '0') zeros++
  const bytes = (data.length - 2) / 2
  return TRANSACTION_GAS + BigInt(zeros) * ZERO_BYTE_GAS + BigInt(bytes - zeros) * BYTE_GAS
}

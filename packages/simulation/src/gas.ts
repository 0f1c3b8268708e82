import type { Hex } from '@sluice/chains'

const TRANSACTION_GAS = 21_000n
/** Gas of calldata, EIP-2028. */
const ZERO_BYTE_GAS = 4n
const BYTE_GAS = 16n

/** Gas that a transaction is charged before its first instruction. */
export function intrinsicGas(data: Hex): bigint {
  const bytes = Buffer.from(data.slice(2), 'hex')
  let zeros = 0
  for (let i = 0; i < bytes.length; i++) if (bytes[i] === 0) zeros++
  return TRANSACTION_GAS + BigInt(zeros) * ZERO_BYTE_GAS + BigInt(bytes.length - zeros) * BYTE_GAS
}

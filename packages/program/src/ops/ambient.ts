/** Operation of the Executor (the swap contract) for family `ambient`: encoding and trades of its step. */
import { address, uint } from './fields.ts'
import { defineOp } from './op.ts'

/**
 * Swaps in a pool of Ambient's contract `dex`, which holds all pools. Token address zero is the native token. The price
 * limit of the swap is 2^`limitBits`.
 */
export const ambient = defineOp(
  {
    name: 'ambient',
    title: 'Ambient',
    mechanism: 'singleton',
    code: 0x1d,
    fields: { dex: address, tokenOut: address, poolIdx: uint(3), limitBits: uint(1) },
    singleton: 'dex',
    trustedIn: 'ambientDexes',
    native: 'also',
  },
  ({ tokenIn, tokenOut, poolIdx }, keccak256) => {
    const tokens = [BigInt(tokenIn), BigInt(tokenOut)].sort((a, b) => (a < b ? -1 : 1))
    const keyWords = [...tokens, BigInt(poolIdx)].map((word) => word.toString(16).padStart(64, '0'))
    return [{ pool: keccak256(`0x${keyWords.join('')}`), tokenIn, tokenOut }]
  },
)

/** Operation of the Executor (the swap contract) for family `ekubo`: encoding and trades of its step. */
import { address, bytes32 } from './fields.ts'
import { defineOp, type Keccak, tradesInSeries } from './op.ts'

type Address = `0x${string}`
type Hop = { readonly tokenOut: Address; readonly config: `0x${string}` }

/**
 * Swaps in several pools of the core in one lock. Token address zero is the native token. The Executor recognizes the
 * version of the core by its callback.
 */
export const ekubo = defineOp(
  {
    name: 'ekubo',
    title: 'Ekubo',
    mechanism: 'singleton',
    code: 0x15,
    families: ['ekubo', 'ekubo-sampled', 'ekubo-v2', 'ekubo-v2-sampled'],
    fields: { core: address },
    // Config word of the pool key: extension (20 bytes), fee (8 bytes), and pool type (4 bytes).
    hops: { tokenOut: address, config: bytes32 },
    singleton: 'core',
    trustedIn: 'ekuboCores',
    native: 'also',
  },
  (step, keccak256) => tradesInSeries(step, (hop, tokenIn) => poolIdOf(hop, tokenIn, keccak256)),
)

/** Returns the pool id: the hash of the words of the pool key. */
function poolIdOf({ tokenOut, config }: Hop, tokenIn: Address, keccak256: Keccak): `0x${string}` {
  const tokens = [BigInt(tokenIn), BigInt(tokenOut)].sort((a, b) => (a < b ? -1 : 1))
  const keyWords = [...tokens, BigInt(config)].map((word) => word.toString(16).padStart(64, '0'))
  return keccak256(`0x${keyWords.join('')}`)
}

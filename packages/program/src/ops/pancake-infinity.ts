/** Operation of the Executor (the swap contract) for family `pancake-infinity`: encoding and trades of its step. */
import { address, uint } from './fields.ts'
import { defineOp, type Keccak, tradesInSeries } from './op.ts'

type Address = `0x${string}`
type Hop = {
  readonly tokenOut: Address
  readonly manager: Address
  readonly fee: number
  readonly parameters: number
  readonly hooks: Address
}

/**
 * Swaps in several pools of the vault in one lock. The pools may belong to different pool managers. Token address zero
 * is the native token.
 */
export const pancakeInfinity = defineOp(
  {
    name: 'pancake-infinity',
    title: 'PancakeSwap Infinity',
    mechanism: 'singleton',
    code: 0x0e,
    families: ['pancake-infinity', 'pancake-infinity-sampled'],
    fields: { vault: address },
    hops: {
      tokenOut: address,
      manager: address,
      kind: { kind: 'choice', choices: ['cl', 'bin'] },
      // Fee in the pool key; 0x800000 for a dynamic fee.
      fee: uint(3),
      // Low 5 bytes of the pool key's parameters; the high bytes are zero. From the lowest bit: 16 bits of hook
      // permissions, then the tick spacing or bin step.
      parameters: uint(5),
      // Encoded only if flag bit 6 is set: a hop has a hook.
      hooks: { kind: 'address', flag: 64 },
    },
    singleton: 'vault',
    trustedIn: 'infinityVaults',
    native: 'also',
  },
  (step, keccak256) => tradesInSeries(step, (hop, tokenIn) => poolIdOf(hop, tokenIn, keccak256)),
)

/** Returns the pool id: the hash of the words of the pool key. */
function poolIdOf(
  { tokenOut, manager, fee, parameters, hooks }: Hop,
  tokenIn: Address,
  keccak256: Keccak,
): `0x${string}` {
  const currencies = [BigInt(tokenIn), BigInt(tokenOut)].sort((a, b) => (a < b ? -1 : 1))
  const key = [...currencies, BigInt(hooks), BigInt(manager), BigInt(fee), BigInt(parameters)]
  return keccak256(`0x${key.map((word) => word.toString(16).padStart(64, '0')).join('')}`)
}

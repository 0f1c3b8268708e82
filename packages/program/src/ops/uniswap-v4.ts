/** Operation of the Executor (the swap contract) for family `uniswap-v4`: encoding and trades of its step. */
import { address, uint } from './fields.ts'
import { defineOp, type Keccak, tradesInSeries } from './op.ts'

type Address = `0x${string}`
type Hop = { readonly tokenOut: Address; readonly fee: number; readonly tickSpacing: number; readonly hooks: Address }

/** Swaps in several pools of the singleton in one unlock. Token address zero is the native token. */
export const uniswapV4 = defineOp(
  {
    name: 'uniswap-v4',
    title: 'Uniswap V4',
    mechanism: 'singleton',
    code: 0x05,
    fields: { manager: address },
    hops: {
      tokenOut: address,
      // Fee in the pool key; 0x800000 for a dynamic fee.
      fee: uint(3),
      // `int24` on chain, but never negative.
      tickSpacing: uint(3, { exclusiveMax: 2 ** 23 }),
      // Encoded only if flag bit 6 is set: a hop has a hook.
      hooks: { kind: 'address', flag: 64 },
    },
    singleton: 'manager',
    families: ['uniswap-v4', 'uniswap-v4-hooks'],
    trustedIn: 'managers',
    native: 'also',
  },
  (step, keccak256) =>
    tradesInSeries(step, (hop, tokenIn) => poolIdOf(hop, tokenIn, keccak256)).map((trade, k) => ({
      ...trade,
      hooks: step.hops[k]!.hooks,
    })),
)

/** Returns the pool id: the hash of the words of the pool key. */
function poolIdOf({ tokenOut, fee, tickSpacing, hooks }: Hop, tokenIn: Address, keccak256: Keccak): `0x${string}` {
  const currencies = [BigInt(tokenIn), BigInt(tokenOut)].sort((a, b) => (a < b ? -1 : 1))
  const key = [...currencies, BigInt(fee), BigInt(tickSpacing), BigInt(hooks)]
  return keccak256(`0x${key.map((word) => word.toString(16).padStart(64, '0')).join('')}`)
}

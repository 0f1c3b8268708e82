/** Encodes swaps of two-token pools as steps that contain the direction of the swap instead of the output token. */
import type { DexFamily } from '../../family.ts'
import { isZeroForOne } from './direction.ts'

/** Returns the `step` of a family with two tokens per pool. */
export const directedStep =
  <State>(op: 'iziswap' | 'kyber-classic' | 'kyber-elastic' | 'solidly' | 'uniswap-v3'): DexFamily<State>['step'] =>
  (pool, tokenIn, tokenOut, inputSource, outputReceiver) => ({
    op,
    pool: pool.address,
    zeroForOne: isZeroForOne(pool, tokenIn, tokenOut),
    tokenIn,
    input: inputSource,
    output: outputReceiver,
  })

/** Which pools a program trades in, and whether they are those that a route names. */
import type { Step } from '../../program/src/index.ts'
import { keccak256 } from './keccak.ts'
import type { Hex, SwapLeg } from './types.ts'

/** One entry a hop: addresses, and ids for pools inside a singleton. */
export function poolsOf(step: Step): readonly string[] {
  switch (step.op) {
    case 'wrap':
      return [step.wrapped]
    case 'unwrap':
      return [step.tokenIn]
    case 'uniswap-v4':
      return step.hops.map(({ tokenOut, fee, tickSpacing, hooks }, k) => {
        const tokenIn = k === 0 ? step.tokenIn : step.hops[k - 1]!.tokenOut
        const [currency0, currency1] = [tokenIn, tokenOut].map(BigInt).sort((a, b) => (a < b ? -1 : 1))
        return idOf(currency0!, currency1!, BigInt(fee), BigInt(tickSpacing), BigInt(hooks))
      })
    case 'balancer-v2':
      return step.hops.map(({ poolId }) => poolId)
    case 'balancer-v3':
      return step.hops.map(({ pool }) => pool)
    case 'erc4626':
      return [step.deposit ? step.tokenOut : step.tokenIn]
    case 'rate-wrapper':
      return [step.wrap ? step.tokenOut : step.tokenIn]
    default:
      return [step.pool]
  }
}

/**
 * Whether the program trades in the pools that the route names, each as often and no others. A wrap alone may be left to the
 * Guard; wraps that are not named are into and out of what the named pools trade.
 */
export function tradesIn(steps: readonly Step[], swaps: readonly SwapLeg[]): boolean {
  const sorted = (pools: readonly string[]) =>
    pools
      .map((pool) => pool.toLowerCase())
      .sort()
      .join()
  const wraps = (step: Step) => step.op === 'wrap' || step.op === 'unwrap'
  const named = new Set(
    swaps.flatMap(({ pool, tokenIn, tokenOut }) => [pool, tokenIn, tokenOut]).map((text) => text.toLowerCase()),
  )
  const wrappers = steps.filter(wraps).flatMap(poolsOf)
  const traded = steps.filter((step) => !wraps(step)).flatMap(poolsOf)
  const pools = swaps.filter(({ protocol }) => protocol !== 'wrapped-native').map(({ pool }) => pool)
  return sorted(traded) === sorted(pools) && wrappers.every((wrapper) => named.has(wrapper.toLowerCase()))
}

/** Hash of the words of a Uniswap V4 pool key. */
function idOf(...key: readonly bigint[]): Hex {
  return keccak256(`0x${key.map((word) => word.toString(16).padStart(64, '0')).join('')}`)
}

import type { BalancerV1State } from '../dexes/balancer-v1/types.ts'
import { namedAddress } from './address.ts'
import { differences, pairOf } from './pool.ts'
import type { Form, VectorPool } from './types.ts'

const stateOf = ({ swapFee, tokens }: VectorPool): BalancerV1State => ({
  swapFee: BigInt(swapFee),
  balances: tokens.map(({ balance }: VectorPool) => BigInt(balance)),
  weights: tokens.map(({ denormalizedWeight }: VectorPool) => BigInt(denormalizedWeight)),
})

/** Swaps of a state, independent of one another, and swaps in turn with what each left. */
export const balancerV1Form: Form = ({ pools }) =>
  pools.flatMap((pool: VectorPool) => [
    ...pool.swaps.map((swap: VectorPool) => () => question(pool, pool.name, swap)),
    ...(pool.sequence ?? []).map(
      (swap: VectorPool, k: number) => () =>
        question(k === 0 ? pool : pool.sequence[k - 1].after, `${pool.name}, in turn`, swap),
    ),
  ])

function question(from: VectorPool, name: string, swap: VectorPool) {
  if (swap.f !== 'swapExactAmountIn') return { skip: 'exact output is not quoted' }
  const tokens = from.tokens.map(({ address }: VectorPool) => namedAddress(address))
  return {
    asked: `${swap.amount} of token ${swap.tokenIn} for ${swap.tokenOut}: ${name}`,
    pool: pairOf('balancer-v1', tokens, stateOf(from)),
    tokenIn: tokens[swap.tokenIn],
    tokenOut: tokens[swap.tokenOut],
    amountIn: BigInt(swap.amount),
    amountOut: swap.refusal === undefined ? BigInt(swap.amountOut) : null,
    after: (after: unknown) =>
      swap.after &&
      differences(
        { balances: `${(after as BalancerV1State).balances}` },
        { balances: `${stateOf(swap.after).balances}` },
      ),
  }
}

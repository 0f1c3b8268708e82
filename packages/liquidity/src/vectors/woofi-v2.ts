import type { WoofiToken, WoofiV2State } from '../dexes/woofi-v2/types.ts'
import { namedAddress } from './address.ts'
import { differences, pairOf } from './pool.ts'
import type { Form, VectorPool } from './types.ts'

function tokenOf(state: VectorPool, address: string): WoofiToken {
  const from = state.bases.find((base: VectorPool) => base.address === address) ?? state.quoteToken
  const number = (name: string) => BigInt(from[name] ?? 0)
  return {
    reserve: number('reserve'),
    feeRate: number('feeRate'),
    maxGamma: number('maxGamma'),
    maxNotional: number('maxNotionalSwap'),
    price: number('price'),
    spread: number('spread'),
    coeff: number('coeff'),
    feasible: from.woFeasible ?? false,
    unit: 10n ** number('decimals'),
    priceUnit: 10n ** number('priceDec'),
  }
}

/** Amounts that `swap` paid, each from the state itself; and swaps in turn with what each left. */
export const woofiV2Form: Form = ({ states }) =>
  states.flatMap((state: VectorPool) => [
    ...state.swaps.map((swap: VectorPool) => () => question(state, state.name, swap)),
    ...(state.sequence ?? []).map(
      (swap: VectorPool, k: number) => () =>
        question(k === 0 ? state : state.sequence[k - 1].after, `${state.name}, in turn`, swap),
    ),
  ])

function question(from: VectorPool, name: string, { from: sold, to: bought, ...swap }: VectorPool) {
  const quoteToken = from.quoteToken.address
  // Sorted, as pools are.
  const [first, second] = sold < bought ? [sold, bought] : [bought, sold]
  const state: WoofiV2State = {
    paused: false,
    quoteIndex: quoteToken === first ? 0 : quoteToken === second ? 1 : 2,
    quoteUnit: 10n ** BigInt(from.quoteToken.decimals),
    tokens: [tokenOf(from, first), tokenOf(from, second)],
  }
  return {
    asked: `${swap.fromAmount} of ${sold} for ${bought}: ${name}`,
    pool: pairOf('woofi-v2', [namedAddress(first), namedAddress(second)], state),
    tokenIn: namedAddress(sold),
    tokenOut: namedAddress(bought),
    amountIn: BigInt(swap.fromAmount),
    amountOut: swap.refusal === undefined ? BigInt(swap.toAmount) : null,
    after: (after: unknown) => {
      if (!swap.after) return undefined
      const said = (token: WoofiToken) => ({ reserve: token.reserve, price: token.price, spread: token.spread })
      const [ours, theirs] = [(after as WoofiV2State).tokens, [tokenOf(swap.after, first), tokenOf(swap.after, second)]]
      return differences(said(ours[0]), said(theirs[0]!)) ?? differences(said(ours[1]), said(theirs[1]!))
    },
  }
}

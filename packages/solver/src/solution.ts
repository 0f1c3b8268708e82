/** Solutions of single orders, priced as the settlement contract will execute them. */
import type { Address } from '@sluice/chains'
import type { Auction, AuctionTokens, Order } from './auction.ts'
import type { Fill, Interaction } from './fill.ts'

/** Gas of a settlement without its interactions, as the protocol's reference solver counts it. @see SETTLEMENT_OVERHEAD */
const SETTLEMENT_GAS = 106_391n

const ONE = 10n ** 18n

/** As `/solve` answers it. Amounts are base units, prices ratios between them. */
export type Solution = {
  readonly id: number
  readonly prices: Readonly<Record<Address, string>>
  readonly trades: readonly {
    readonly kind: 'fulfillment'
    readonly order: string
    readonly executedAmount: string
    readonly fee?: string
  }[]
  readonly preInteractions: readonly never[]
  readonly interactions: readonly Interaction[]
  readonly postInteractions: readonly never[]
  readonly gas: number
}

/** A solution, and the rate by which it is compared with others for the same order. */
export type Ranked = {
  readonly solution: Solution
  /** Base units of the buy token that 10^18 base units of the sell token earn, gas included. */
  readonly rate: bigint
}

type Terms = {
  readonly id: number
  /** Wei of the native token for 10^18 base units of the sell token; null if it has no price. */
  readonly sellPrice: bigint | null
  readonly auction: Pick<Auction, 'tokens' | 'effectiveGasPrice'>
}

/**
 * Returns the solution that fills an order by a route; null if the order's limit price, after the fee, is not met.
 *
 * The solver sets the fee of limit orders, and takes it in the sell token: it covers the gas. Market orders have none.
 */
export function solutionOf(order: Order, fill: Fill, { id, sellPrice, auction }: Terms): Ranked | null {
  const gas = fill.gas + SETTLEMENT_GAS
  const gasCost = sellPrice ? (gas * auction.effectiveGasPrice * ONE) / sellPrice : 0n
  const fee = order.class === 'limit' ? gasCost : 0n
  const traded = tradedAmounts(order, fill, fee)
  if (!traded || !isWithinLimit(order, traded)) return null
  const { sold, bought } = traded
  const executed = order.kind === 'sell' ? sold - fee : bought
  return {
    solution: {
      id,
      prices: { [order.sellToken]: String(bought), [order.buyToken]: String(sold - fee) } as Solution['prices'],
      trades: [
        {
          kind: 'fulfillment',
          order: order.uid.toLowerCase(),
          executedAmount: String(executed),
          ...(order.class === 'limit' && { fee: String(fee) }),
        },
      ],
      preInteractions: [],
      interactions: internalized(fill.interactions, auction.tokens),
      postInteractions: [],
      gas: Number(gas),
    },
    rate: (bought * ONE) / (sold - fee + gasCost),
  }
}

type TradedAmounts = { readonly sold: bigint; readonly bought: bigint }

/** Amounts that the order's owner pays, fee included, and receives; null if the fee is more than the order sells. */
function tradedAmounts(order: Order, { input, output }: Fill, fee: bigint): TradedAmounts | null {
  if (order.kind === 'buy') {
    const isCovered = output >= order.buyAmount
    return { sold: input + fee, bought: isCovered ? order.buyAmount : output }
  }
  // The contract draws no more than the order sells: the fee then comes out of what was to be swapped.
  const isCapped = input + fee > order.sellAmount
  const sold = isCapped ? order.sellAmount : input + fee
  if (sold <= fee) return null
  return { sold, bought: ((sold - fee) * output) / input }
}

function isWithinLimit(order: Order, { sold, bought }: TradedAmounts): boolean {
  if (order.kind === 'buy' && !order.partiallyFillable && bought < order.buyAmount) return false
  return sold <= order.sellAmount && order.sellAmount * bought >= order.buyAmount * sold
}

/**
 * Marks the interactions that the settlement contract's own balances can replace: their input is trusted, and it holds their output.
 *
 * @see CIP-2 of CoW Protocol
 */
function internalized(interactions: readonly Interaction[], tokens: AuctionTokens): readonly Interaction[] {
  const used = new Map<Address, bigint>()
  return interactions.map((interaction) => {
    if (interaction.kind !== 'liquidity') return interaction
    const { inputToken, outputToken, outputAmount } = interaction
    const total = (used.get(outputToken) ?? 0n) + BigInt(outputAmount)
    const output = tokens[outputToken]
    if (!tokens[inputToken]?.trusted || !output || total > output.availableBalance) return interaction
    used.set(outputToken, total)
    return { ...interaction, internalize: true }
  })
}

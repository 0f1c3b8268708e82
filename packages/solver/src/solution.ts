/** Builds solutions of single orders, priced as the settlement contract executes them. */
import type { Address } from '@sluice/chains'
import type { Auction, AuctionTokens, Order } from './auction.ts'
import type { Fill, Interaction } from './fill.ts'

/** Gas of a settlement without its interactions, as in the protocol's reference solver (`SETTLEMENT_OVERHEAD`). */
const SETTLEMENT_GAS = 106_391n

const WAD = 10n ** 18n

/** Solution in the format of `/solve`. Amounts in base units; prices are ratios between them. */
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

/** Solution with the rate by which it is compared with others for the same order. */
export type RankedSolution = {
  readonly solution: Solution
  /** Base units of the buy token per 10^18 base units of the sell token, after gas. */
  readonly rate: bigint
}

type SolutionTerms = {
  readonly id: number
  /** Price of the sell token in wei per 10^18 base units; null if unknown. */
  readonly sellPrice: bigint | null
  readonly auction: Pick<Auction, 'tokens' | 'effectiveGasPrice'>
}

/**
 * Returns the solution that fills an order by a route; null if the limit price is not met after the fee.
 *
 * The solver sets the fee of limit orders to cover the gas, and takes it in the sell token. Market orders have no fee.
 */
export function solutionOf(order: Order, fill: Fill, { id, sellPrice, auction }: SolutionTerms): RankedSolution | null {
  const gas = fill.gas + SETTLEMENT_GAS
  const gasCost = sellPrice ? (gas * auction.effectiveGasPrice * WAD) / sellPrice : 0n
  const fee = order.class === 'limit' ? gasCost : 0n
  const amounts = tradedAmounts(order, fill, fee)
  if (!amounts || !isWithinLimit(order, amounts)) return null
  const { sold, bought } = amounts
  const executedAmount = order.kind === 'sell' ? sold - fee : bought
  return {
    solution: {
      id,
      prices: { [order.sellToken]: String(bought), [order.buyToken]: String(sold - fee) } as Solution['prices'],
      trades: [
        {
          kind: 'fulfillment',
          order: order.uid.toLowerCase(),
          executedAmount: String(executedAmount),
          ...(order.class === 'limit' && { fee: String(fee) }),
        },
      ],
      preInteractions: [],
      interactions: internalizedInteractions(fill.interactions, auction.tokens),
      postInteractions: [],
      gas: Number(gas),
    },
    rate: (bought * WAD) / (sold - fee + gasCost),
  }
}

type TradedAmounts = { readonly sold: bigint; readonly bought: bigint }

/**
 * Returns the amounts that the owner pays, including the fee, and receives; null if the fee exceeds the amount sold.
 */
function tradedAmounts(order: Order, { input, output }: Fill, fee: bigint): TradedAmounts | null {
  if (order.kind === 'buy') {
    const isCovered = output >= order.buyAmount
    return { sold: input + fee, bought: isCovered ? order.buyAmount : output }
  }
  // The contract takes at most `sellAmount`, so the fee reduces the swapped amount.
  const isCapped = input + fee > order.sellAmount
  const soldAmount = isCapped ? order.sellAmount : input + fee
  if (soldAmount <= fee) return null
  return { sold: soldAmount, bought: ((soldAmount - fee) * output) / input }
}

function isWithinLimit(order: Order, { sold, bought }: TradedAmounts): boolean {
  if (order.kind === 'buy' && !order.partiallyFillable && bought < order.buyAmount) return false
  return sold <= order.sellAmount && order.sellAmount * bought >= order.buyAmount * sold
}

/**
 * Marks interactions that the settlement contract can replace by its own balances. Their input token is trusted, and
 * the contract holds enough of their output.
 *
 * @see CIP-2 of CoW Protocol
 */
function internalizedInteractions(interactions: readonly Interaction[], tokens: AuctionTokens): readonly Interaction[] {
  const usedByToken = new Map<Address, bigint>()
  return interactions.map((interaction) => {
    if (interaction.kind !== 'liquidity') return interaction
    const { inputToken, outputToken, outputAmount } = interaction
    const total = (usedByToken.get(outputToken) ?? 0n) + BigInt(outputAmount)
    const output = tokens[outputToken]
    if (!tokens[inputToken]?.trusted || !output || total > output.availableBalance) return interaction
    usedByToken.set(outputToken, total)
    return { ...interaction, internalize: true }
  })
}

/** Builds solutions of single orders, with the amounts and prices at which the settlement contract executes them. */
import type { Address } from '@sluice/chains'
import type { Auction, AuctionTokens, Order } from './auction.ts'
import type { Fill, Interaction } from './fill.ts'

/** Gas of a settlement without its interactions, as in the protocol's reference solver (`SETTLEMENT_OVERHEAD`). */
const SETTLEMENT_GAS = 106_391n

const WAD = 10n ** 18n

/**
 * Solution in the format of `/solve`. Amounts are in base units. Only the ratio of two prices matters: amounts trade in
 * inverse proportion to the prices of their tokens.
 */
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

/** Solution with its rate, by which `solve` compares solutions of the same order. */
export type RankedSolution = {
  readonly solution: Solution
  /** Base units of the buy token per 10^18 base units of the sell token, after gas. */
  readonly rate: bigint
}

type SolutionContext = {
  readonly id: number
  /** Price of the sell token in wei per 10^18 base units; null if unknown. */
  readonly sellPrice: bigint | null
  readonly auction: Pick<Auction, 'tokens' | 'effectiveGasPrice'>
}

/**
 * Returns the solution that executes an order by a fill; null if the order's limit price is not met after the fee.
 *
 * The solver sets the fee of limit orders to cover the gas, and takes it in the sell token. Market orders have no fee.
 */
export function solutionOf(
  order: Order,
  fill: Fill,
  { id, sellPrice, auction }: SolutionContext,
): RankedSolution | null {
  const gas = fill.gas + SETTLEMENT_GAS
  const gasCost = sellPrice ? (gas * auction.effectiveGasPrice * WAD) / sellPrice : 0n
  const fee = order.class === 'limit' ? gasCost : 0n
  const amounts = tradedAmounts(order, fill, fee)
  if (!amounts || !isWithinLimit(order, amounts)) return null
  const { amountSold, amountBought } = amounts
  const executedAmount = order.kind === 'sell' ? amountSold - fee : amountBought
  return {
    solution: {
      id,
      prices: {
        [order.sellToken]: String(amountBought),
        [order.buyToken]: String(amountSold - fee),
      } as Solution['prices'],
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
    rate: (amountBought * WAD) / (amountSold - fee + gasCost),
  }
}

type TradedAmounts = { readonly amountSold: bigint; readonly amountBought: bigint }

/**
 * Returns the amounts that the order's owner pays (including the fee) and receives; null if the fee is not below the
 * amount sold.
 */
function tradedAmounts(order: Order, { input, output }: Fill, fee: bigint): TradedAmounts | null {
  if (order.kind === 'buy') {
    const isCovered = output >= order.buyAmount
    return { amountSold: input + fee, amountBought: isCovered ? order.buyAmount : output }
  }
  // The settlement contract takes at most `sellAmount`, so the fee reduces the swapped amount.
  const isCapped = input + fee > order.sellAmount
  const amountSold = isCapped ? order.sellAmount : input + fee
  if (amountSold <= fee) return null
  return { amountSold, amountBought: ((amountSold - fee) * output) / input }
}

function isWithinLimit(order: Order, { amountSold, amountBought }: TradedAmounts): boolean {
  if (order.kind === 'buy' && !order.partiallyFillable && amountBought < order.buyAmount) return false
  return amountSold <= order.sellAmount && order.sellAmount * amountBought >= order.buyAmount * amountSold
}

/**
 * Marks the interactions that the settlement contract can replace by its own balances (internalize). Their input token
 * must be trusted, and the contract must hold enough of their output token.
 *
 * @see CIP-2 of CoW Protocol
 */
function internalizedInteractions(interactions: readonly Interaction[], tokens: AuctionTokens): readonly Interaction[] {
  // A buffer is the balance of one token in the settlement contract.
  const usedBufferByToken = new Map<Address, bigint>()
  return interactions.map((interaction) => {
    if (interaction.kind !== 'liquidity') return interaction
    const { inputToken, outputToken, outputAmount } = interaction
    const totalUsed = (usedBufferByToken.get(outputToken) ?? 0n) + BigInt(outputAmount)
    const availableBuffer = tokens[outputToken]?.availableBalance ?? -1n
    if (!tokens[inputToken]?.trusted || totalUsed > availableBuffer) return interaction
    usedBufferByToken.set(outputToken, totalUsed)
    return { ...interaction, internalize: true }
  })
}

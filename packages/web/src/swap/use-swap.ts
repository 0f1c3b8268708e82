/** State of the Swap page: the order, its quote, and its signing. */
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { toPlainText } from '../format/amount.ts'
import type { LocalChain } from '../service/chains.ts'
import { isAboutSize, refusalOf } from '../service/error-messages.ts'
import { isNative, type PageToken, type TokenOf, useTokenNames } from '../service/tokens.ts'
import { useServiceInfo } from '../ui/service-info.ts'
import { type ConnectedWallet, useBalance, useGasReserve, useWallet } from '../wallet/use-wallet.ts'
import { type Loss, lossOf } from './loss.ts'
import { type Signing, useSigning } from './signing.ts'
import { slippageToSign } from './slippage.ts'
import type { TicketSide } from './Ticket.tsx'
import { useLargestAmount } from './use-largest-amount.ts'
import { type OrderState, useOrder } from './use-order.ts'
import { isRefusal, isSameToken, type LiveQuote, type ShownQuote, useQuote } from './use-quote.ts'

export type SwapPageState = {
  readonly order: OrderState
  readonly liveQuote: LiveQuote
  /** Displayed quote: the quote that the user is signing, or else the newest quote. */
  readonly quote: ShownQuote | undefined
  readonly tokenOf: TokenOf
  readonly balance: bigint | undefined
  /** Balance minus the reserve for gas; undefined while unknown. */
  readonly spendableBalance: bigint | undefined
  /** Input of the swap in base units; 0 while unknown. */
  readonly amountToPay: bigint
  /** Purpose for which the wallet's balance is too low; undefined if it suffices or is unknown. */
  readonly missingFunds: 'input' | 'gas' | undefined
  /** True if the quote is for the amount as typed. Signing requires such a quote. */
  readonly isReady: boolean
  readonly loss: Loss | undefined
  /** True if the service found no route. */
  readonly isRefused: boolean
  /** True if the request failed for another reason than a missing route. */
  readonly hasFailed: boolean
  /**
   * Largest amount with a route, if the typed amount has none; undefined while loading, 0 if there is no such amount.
   */
  readonly maxRoutableAmount: bigint | undefined
  readonly signing: Signing | undefined
  readonly actions: {
    readonly setAmount: (text: string, replace?: boolean) => void
    readonly flip: () => void
    /** Chooses the side whose amount is exact, and keeps the displayed amounts if they are current. */
    readonly setExactSide: (side: 'in' | 'out') => void
    readonly choose: (side: TicketSide, token: PageToken) => void
    readonly liftImpactLimit: () => void
    readonly sign: () => void
    /** Ends the signing and returns to the order form. */
    readonly leave: () => void
  }
}

export function useSwapPage(): SwapPageState {
  const order = useOrder()
  const { chain, src, request, entry, exactSide } = order
  const { local } = useServiceInfo()
  const wallet = useWallet()
  const queries = useQueryClient()
  const signing = useSigning()
  const liveQuote = useQuote(request, signing.state !== undefined)
  const balance = useBalance(chain.id, src?.address)
  const quote = signing.state?.route ?? liveQuote.quote
  const typedAmount = entry.typedAmount
  const amountToPay =
    exactSide === 'out' ? BigInt(quote?.fromAmount ?? 0) : typedAmount?.kind === 'amount' ? typedAmount.base : 0n
  const isPayingNative = src !== undefined && isNative(src.address)
  const reserve = useGasReserve(chain.id, isPayingNative, quote?.gasEstimate)
  const gasCost = isPayingNative ? BigInt(quote?.gasCost?.native ?? 0) : 0n
  const { tokenOf } = useTokenNames(
    chain.id,
    quote?.swaps.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut]) ?? [],
  )
  const isOrderOpen = signing.state === undefined
  const isRefused = isOrderOpen && isRefusal(liveQuote.error)
  const reportedMax = isRefused ? refusalOf(liveQuote.error)?.maxRoutableAmount : undefined
  const needsSearch = isRefused && reportedMax === undefined && isAboutSize(liveQuote.error)
  const largest = useLargestAmount(request, needsSearch)
  const searchedMax = largest.isError ? 0n : largest.data === undefined ? undefined : BigInt(largest.data)
  const isReady = entry.isSettled && liveQuote.isCurrent
  return {
    ...{
      order,
      liveQuote,
      quote,
      tokenOf,
      balance,
      amountToPay,
      isRefused,
      isReady,
      signing: signing.state,
    },
    missingFunds: missingFundsOf(balance, amountToPay, gasCost),
    spendableBalance: isPayingNative ? subtractReserve(balance, reserve) : balance,
    loss: quote && lossOf(quote, order),
    hasFailed: isOrderOpen && liveQuote.error !== undefined && !isRefused,
    maxRoutableAmount: reportedMax ?? (needsSearch ? searchedMax : 0n),
    actions: createActions({ order, liveQuote, quote, isReady, signing, wallet, local, queries }),
  }
}

type ActionsInput = Pick<SwapPageState, 'order' | 'liveQuote' | 'quote' | 'isReady'> & {
  readonly signing: ReturnType<typeof useSigning>
  readonly wallet: ConnectedWallet | undefined
  readonly local: LocalChain | null
  readonly queries: QueryClient
}

function createActions(input: ActionsInput): SwapPageState['actions'] {
  const { order, liveQuote, quote, isReady, signing, wallet, local, queries } = input
  const { src, dst, request, change, amountText, exactSide, terms } = order
  return {
    setAmount: (amount, replace) => change({ amount }, replace),
    liftImpactLimit: () => terms.set({ impact: '100' }),
    // Reverses the trade: the quoted output becomes the input. Without a current quote, the amount stays with its
    // token.
    flip() {
      if (!src || !dst) return
      const flippedTokens = { src: dst.address, dst: src.address }
      if (quote && isReady)
        change({ ...flippedTokens, amount: toPlainText(quote.toAmount, dst.decimals), exact: undefined })
      else change({ ...flippedTokens, amount: amountText, exact: exactSide === 'in' ? 'out' : undefined })
    },
    setExactSide(side) {
      const amount =
        quote && isReady && src && dst
          ? side === 'in'
            ? toPlainText(quote.fromAmount, src.decimals)
            : toPlainText(quote.minToAmount ?? quote.toAmount, dst.decimals)
          : // Clears the amount. The same number of the other token may be worth thousands of times more.
            ''
      change({ amount, exact: side === 'out' ? 'out' : undefined })
    },
    choose(side, token) {
      const [thisSide, otherSide] = side === 'pay' ? (['src', 'dst'] as const) : (['dst', 'src'] as const)
      const currentTokens = { src: src?.address, dst: dst?.address }
      // Choosing the other side's token swaps the two tokens.
      const swappedToken = isSameToken(token.address, currentTokens[otherSide])
        ? currentTokens[thisSide]
        : currentTokens[otherSide]
      change({ [thisSide]: token.address, ...(swappedToken && { [otherSide]: swappedToken }) })
    },
    sign() {
      if (!src || !dst || !request || !liveQuote.quote || !wallet || !isReady || terms.needsAcceptance) return
      const { chainId, from: _, amountOut: __, ...parameters } = request
      const contracts = chainId === local?.chainId ? local.contracts : undefined
      const slippage = request.slippage === 'auto' ? liveQuote.quote.slippage?.percent : request.slippage
      // An exact-output order is signed as an exact input: that of its quote.
      const signedRequest = {
        ...parameters,
        amount: liveQuote.quote.fromAmount,
        ...(slippage !== undefined && { slippage: slippageToSign(slippage) }),
      }
      const orderToSign = {
        chainId,
        src,
        dst,
        request: signedRequest,
        displayedQuote: liveQuote.quote,
        contracts,
        isDirect: isDirect(liveQuote.quote),
      }
      void signing.start(orderToSign, wallet)
    },
    leave() {
      signing.cancel()
      void queries.invalidateQueries({ queryKey: ['balance'] })
      liveQuote.retry()
    },
  }
}

function missingFundsOf(
  balance: bigint | undefined,
  amountToPay: bigint,
  gasCost: bigint,
): 'input' | 'gas' | undefined {
  if (balance === undefined) return undefined
  if (amountToPay > balance) return 'input'
  return amountToPay + gasCost > balance ? 'gas' : undefined
}

function subtractReserve(balance: bigint | undefined, reserve: bigint | undefined): bigint | undefined {
  if (balance === undefined || reserve === undefined) return undefined
  return balance > reserve ? balance - reserve : 0n
}

/**
 * Returns true if the transaction calls `swapDirect` or its permit variant. In this mode, the Executor pays the
 * recipient directly. Output tokens with a transfer tax need this mode.
 */
export function isDirect({ tx }: Pick<ShownQuote, 'tx'>): boolean {
  return tx !== undefined && /^0x(e956b9b0|c74a41f4)/.test(tx.data)
}

/**
 * Computes one quote on the pools of one block: searches a route, simulates it, and computes gas and warnings. A view
 * is the chain's state at one block. Called by `Quoter` for the newest block, and by `PastQuoter` for past blocks.
 */
import { type Address, type Chain, NATIVE } from '@sluice/chains'
import type { NativeErc20, RoutePlan } from '@sluice/routing'
import type { Rpc } from '@sluice/rpc'
import type { SimulationContext } from '@sluice/simulation'
import type { ChainContracts } from '../chain/contracts.ts'
import type { Clock } from '../deadline.ts'
import { QuotingError } from '../errors.ts'
import type { QuotingListener } from '../events.ts'
import type { ContractBalanceReader } from '../gas/contract-balances.ts'
import type { GasProber } from '../gas/gas-prober.ts'
import type { LaterGas } from '../gas/later-gas.ts'
import type { GasLessons } from '../gas/learned-gas.ts'
import type { MeasuredGas } from '../gas/measured-gas.ts'
import { transactionGas } from '../gas/transaction-gas.ts'
import type { SenderCodeChecks } from '../simulation/sender-code-checks.ts'
import type { TouchedPools } from '../view/touched-pools.ts'
import type { ChainView } from '../view/view.ts'
import { callerAccounts, mayRunCallerCode } from './caller-code.ts'
import { certificateOf } from './certificate.ts'
import { untilSent } from './event-loop.ts'
import type { FaultyPools } from './faulty-pools.ts'
import type { FaultyTokens } from './faulty-tokens.ts'
import { finalize, type SwapQuote } from './finalize.ts'
import { findWorkingRoute } from './find-working-route.ts'
import type { AutoSlippage, QuotingContext, Search, Simulate, TokenKnowledge } from './ports.ts'
import type { QuoteRecord } from './quote-record.ts'
import type { QuoteRequest } from './request.ts'
import type { TermsContext } from './route-terms.ts'
import type { SimulatedRoute } from './simulated-route.ts'

/** Sources of a search's terms: taxes, trusted tokens, drift penalties (discounts of pools that pay less), and gas. */
export type SearchKnowledge = {
  readonly chain: Chain
  readonly contracts: ChainContracts
  readonly tokens: TokenKnowledge
  /** @see TermsContext.driftPenaltiesAt */
  readonly driftPenaltiesAt: TermsContext['driftPenaltiesAt']
  /** Records simulated gas per route and feeds it back into searches. */
  readonly gasLessons: Pick<GasLessons, 'correctionsAt' | 'observeAt'>
  /** Gas of pools that `gasProber` measured. */
  readonly measuredGas: Pick<MeasuredGas, 'mergeWith'>
}

/** Parts of the service that a quote uses. */
export type QuotingParts = SearchKnowledge & {
  readonly search: Search
  readonly simulate: Simulate
  readonly simulation: SimulationContext
  readonly clock: Clock
  readonly emit: QuotingListener
  /** Chooses the slippage of requests that ask for `auto`. */
  readonly slippageOf: (route: RoutePlan) => AutoSlippage
  /** Measures the gas of pools, in the background and on request. */
  readonly gasProber: Pick<GasProber, 'isRunning' | 'queueTokens' | 'measureNow'>
  /** Decides whether a route is also simulated at its deadline, when its gas may be higher. */
  readonly laterGas: LaterGas
  /** Reads which tokens our contracts hold, on which gas refunds depend. */
  readonly contractBalances: Pick<ContractBalanceReader, 'heldTokens'>
  /** Decides whether a route is also simulated without code at the sender's address. */
  readonly senderCodeChecks: SenderCodeChecks
  readonly faultyPools: Pick<FaultyPools, 'idsAt' | 'inputLimitsAt' | 'record'>
  readonly faultyTokens: Pick<FaultyTokens, 'tokensAt' | 'record'>
  readonly arePricesTested: SimulatedRoute['arePricesTested']
  /** Called after each successful quote. */
  readonly onQuote: (view: ChainView, record: QuoteRecord) => void
}

/** The node that simulates, and the pools that changed in the quoted block. */
type NodeContext = { readonly rpc: Rpc; readonly touchedPools: Pick<TouchedPools, 'has'> }

/** Quotes a request at a view's block. @throws QuotingError if no route works; RpcError if the node fails */
export async function quoteAtView(
  view: ChainView,
  request: QuoteRequest,
  requestContext: QuotingContext,
  parts: QuotingParts,
  { rpc, touchedPools }: NodeContext,
): Promise<SwapQuote> {
  const { chain, tokens, simulate, gasLessons, gasProber, arePricesTested, onQuote } = parts
  // Start these reads now, so that they share one HTTP request. A failure surfaces where the result is awaited.
  const earlyReads = [
    ...callerAccounts(request).map(view.codeOf),
    view.balanceOf(request.tokenIn, request.from),
    view.assertDeployed(),
    view.gasPriceWei(),
  ]
  for (const earlyRead of earlyReads) earlyRead.catch(() => {})
  // Wait until the reads are sent, because the search blocks the event loop.
  await untilSent(earlyReads)
  const source = { rpc, snapshot: view.snapshot }
  void gasProber.queueTokens(endTokensOf(request, chain), source)
  const gasPriceWei = request.gasPriceWei ?? (await view.gasPriceWei())
  const context = { ...parts, ...termsContext(view, parts), rpc }
  const {
    view: searchedView,
    alternativeIndex,
    searchRequest,
    proof,
    ...workingRoute
  } = await findWorkingRoute(request, gasPriceWei, context, requestContext)
  const { route, bestEstimated, trial, slippage } = workingRoute
  const { gasUsed } = trial.simulation
  const grossGas = Number(transactionGas(trial.swap.data, BigInt(gasUsed)))
  if (!(await mayRunCallerCode(request, view)))
    gasLessons.observeAt(view.snapshot.block, route, grossGas, tokens.trustTracker.trust('earned'))
  void gasProber.queueTokens([...new Set(route.legs.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut]))], source)
  const { signal } = requestContext
  const simulatedRoute = {
    request,
    gasPriceWei,
    chain,
    rpc,
    simulate,
    tokens,
    arePricesTested,
    touchedPools,
    view,
    route,
    bestEstimated,
    trial,
    slippage,
  }
  const finalQuote = await requestContext.time('finalize', () => finalize({ ...simulatedRoute, signal }))
  const certify = () => (proof ? certificateOf(proof, searchRequest, searchedView.snapshot) : null)
  const quote: SwapQuote = {
    ...finalQuote,
    ...(request.withProof && { proof: await requestContext.time('prove', certify) }),
  }
  const dependsOnSenderCode = trial.simulation.ways.sender === 'bare'
  // Quotes with a permit are not logged, because a permit is a signature.
  if (!request.permit)
    onQuote(searchedView, {
      quote,
      from: request.from,
      searchRequest,
      alternativeIndex,
      terms: trial.terms,
      dependsOnSenderCode,
      usesOwnBalance: trial.simulation.ways.balance === 'own',
    })
  return quote
}

/** Builds the context of `routeTerms`. */
export function termsContext(view: ChainView, parts: SearchKnowledge): TermsContext {
  const { chain, tokens, contracts, driftPenaltiesAt, gasLessons, measuredGas } = parts
  const learnedGasAt = (timestamp: number) => measuredGas.mergeWith(gasLessons.correctionsAt(timestamp))
  const wrappedNative = chain.wrappedNative?.address ?? null
  return { view, tokens, contracts, driftPenaltiesAt, learnedGasAt, wrappedNative, nativeErc20: nativeErc20Of(parts) }
}

/**
 * Returns the ERC-20 form of the native token; undefined if the chain has none. If the chain has no wrapper of the
 * native token, gas is priced in this token.
 */
function nativeErc20Of({ chain, tokens }: SearchKnowledge): NativeErc20 | undefined {
  const token = chain.nativeErc20?.address
  const decimals = token && tokens.facts.decimals(token)
  if (token === undefined || decimals === undefined) return undefined
  return { token, unitsPerWei: 10 ** (decimals - chain.nativeCurrency.decimals) }
}

/**
 * Returns the input and output token as ERC-20 tokens, whose pools a quote needs.
 *
 * @throws QuotingError `NATIVE_UNSUPPORTED` for the native token of a chain without a wrapper
 */
export function endTokensOf(
  { tokenIn, tokenOut }: Pick<QuoteRequest, 'tokenIn' | 'tokenOut'>,
  chain: Chain,
): readonly [Address, Address] {
  return [asErc20(tokenIn, chain), asErc20(tokenOut, chain)]
}

function asErc20(token: Address, { wrappedNative, displayName, nativeErc20 }: Chain): Address {
  if (token !== NATIVE) return token
  if (wrappedNative) return wrappedNative.address
  const hint = nativeErc20 ? `; trade ${nativeErc20.symbol} at ${nativeErc20.address} instead` : ''
  throw new QuotingError('NATIVE_UNSUPPORTED', `nothing wraps the native token of ${displayName}${hint}`)
}

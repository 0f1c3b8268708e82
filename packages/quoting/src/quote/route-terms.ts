/** Builds the terms of a route search from a quote request. */
import type { Address } from '@sluice/chains'
import type { DriftPenalties, LearnedGas, NativeErc20, RouteTerms } from '@sluice/routing'
import type { ChainContracts } from '../chain/contracts.ts'
import type { ChainView } from '../view/view.ts'
import type { TokenKnowledge } from './ports.ts'
import type { QuoteRequest } from './request.ts'

export type TermsContext = {
  readonly view: ChainView
  readonly tokens: TokenKnowledge
  readonly contracts: ChainContracts
  readonly wrappedNative: Address | null
  readonly nativeErc20: NativeErc20 | undefined
  /**
   * Output discounts of pools that paid less in transactions than quoted, as of a block's timestamp in Unix seconds.
   */
  readonly driftPenaltiesAt: (timestamp: number) => DriftPenalties | undefined
  /**
   * Measured gas and gas corrections of pools, as of a block's timestamp in Unix seconds. Pools without an entry have
   * the gas of their family (kind of pool).
   */
  readonly learnedGasAt: (timestamp: number) => LearnedGas | undefined
}

/** Returns the search terms of a request, without its amount. */
export async function routeTerms(
  request: QuoteRequest,
  gasPriceWei: bigint,
  { view, tokens, contracts, wrappedNative, nativeErc20, driftPenaltiesAt, learnedGasAt }: TermsContext,
  excludePools: ReadonlySet<string> = request.excludePools,
): Promise<RouteTerms> {
  const l1FeePerByteWei = await view.l1FeePerByteWei()
  const driftPenalties = driftPenaltiesAt(view.snapshot.block.timestamp)
  const learnedGas = learnedGasAt(view.snapshot.block.timestamp)
  const trust = tokens.trustTracker.trust(request.intermediates)
  return {
    tokenIn: request.tokenIn,
    tokenOut: request.tokenOut,
    wrappedNative,
    ...(nativeErc20 && { nativeErc20 }),
    gasPriceWei,
    l1FeePerByteWei,
    excludePools,
    sources: { ...request.sources, executable: contracts.executable },
    taxes: tokens.taxes.taxedTokens,
    ...(driftPenalties && { driftPenalties }),
    ...(learnedGas && { learnedGas }),
    ...(trust && { trust }),
    ...(request.maxHops !== undefined && { maxHops: request.maxHops }),
    ...(request.maxSplits !== undefined && { maxSplits: request.maxSplits }),
  }
}

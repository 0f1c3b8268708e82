import type { Chain } from '@sluice/chains'
import type { Route } from '@sluice/routing'
import type { Rpc } from '@sluice/rpc'
import type { TouchedPools } from '../view/touched.ts'
import type { ChainView } from '../view/view.ts'
import type { AutoSlippage, Simulate, TokenKnowledge } from './ports.ts'
import type { QuoteRequest } from './request.ts'
import type { WorkingTrial } from './try-route.ts'

/** A route that works, with what its figures come from. */
export type Found = {
  readonly request: QuoteRequest
  readonly gasPriceWei: bigint
  readonly chain: Chain
  readonly rpc: Rpc
  readonly simulate: Simulate
  readonly tokens: TokenKnowledge
  readonly touched: Pick<TouchedPools, 'has'>
  readonly view: ChainView
  readonly route: Route
  /** The one that the search took for the best, before gas was measured. */
  readonly ranked: Route
  readonly trial: WorkingTrial
  readonly slippage: AutoSlippage | undefined
  readonly signal: AbortSignal
}

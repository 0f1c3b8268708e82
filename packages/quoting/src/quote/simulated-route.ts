/** Input of `finalize`, the last step of a quote. */
import type { Address, Chain } from '@sluice/chains'
import type { RoutePlan } from '@sluice/routing'
import type { Rpc } from '@sluice/rpc'
import type { TouchedPools } from '../view/touched-pools.ts'
import type { ChainView } from '../view/view.ts'
import type { AutoSlippage, Simulate, TokenKnowledge } from './ports.ts'
import type { QuoteRequest } from './request.ts'
import type { WorkingTrial } from './try-route.ts'

/** A route that works in simulation, with the data from which its gas, price impact, and warnings are computed. */
export type SimulatedRoute = {
  readonly request: QuoteRequest
  readonly gasPriceWei: bigint
  readonly chain: Chain
  readonly rpc: Rpc
  readonly simulate: Simulate
  readonly tokens: TokenKnowledge
  /** Tests the unlisted tokens (outside the chain's file) that decide prices; false if some are not tested in time. */
  readonly arePricesTested: (tokens: readonly Address[], view: ChainView) => Promise<boolean>
  /** Pools that changed in the quoted block. */
  readonly touchedPools: Pick<TouchedPools, 'has'>
  readonly view: ChainView
  readonly route: RoutePlan
  /** The best route by the search's gas estimates, before simulation. */
  readonly bestEstimated: RoutePlan
  readonly trial: WorkingTrial
  readonly slippage: AutoSlippage | undefined
  readonly signal: AbortSignal
}

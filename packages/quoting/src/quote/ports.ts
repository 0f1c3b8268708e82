/**
 * Interfaces between a quote and the parts that the quote depends on: search, simulation, token facts, and the context
 * of the request. A view is the chain's state at one block.
 */
import type { Address } from '@sluice/chains'
import type { ExactOutputRequest, RouteRequest, RouteResult } from '@sluice/routing'
import type { SimulationRequest, SwapSimulation } from '@sluice/simulation'
import type { Logger } from '../events.ts'
import type { ChainTokens } from '../tokens/chain-tokens.ts'
import type { TrustTracker } from '../tokens/trust-tracker.ts'
import type { ChainView } from '../view/view.ts'

/** Finds the best route in the pools of a view. @throws RoutingError */
export type Search = (
  view: ChainView,
  request: RouteRequest | ExactOutputRequest,
  signal?: AbortSignal,
) => Promise<RouteResult>

/**
 * Simulates a swap against the chain's state.
 *
 * @param poolAddresses - addresses of the swap's own pools, from which the sender must not be funded
 * @throws SimulationError, RpcError
 */
export type Simulate = (request: SimulationRequest, poolAddresses?: ReadonlySet<Address>) => Promise<SwapSimulation>

/** Context of a request: its abort signal, timing, and log. */
export type QuotingContext = {
  readonly signal: AbortSignal
  /** Runs a stage of the work and records its duration. */
  readonly time: <T>(stage: string, work: () => T | Promise<T>) => Promise<T>
  readonly log: Pick<Logger, 'info'>
}

/** Returns a copy of the context with another abort signal. */
export function withSignal(requestContext: QuotingContext, signal: AbortSignal): QuotingContext {
  return {
    signal,
    time: (stage, run) => requestContext.time(stage, run),
    // A getter, because the caller creates its log on first use.
    get log() {
      return requestContext.log
    },
  }
}

/** Facts about a chain's tokens that quotes use and update. */
export type TokenKnowledge = Pick<ChainTokens, 'facts' | 'taxes'> & {
  readonly trustTracker: Pick<TrustTracker, 'trust' | 'recordTaxes' | 'recordFailure'>
}

/** Automatic slippage of a route: parts per million, and the reason for that value. */
export type AutoSlippage = { readonly ppm: bigint; readonly reason: string }

/** Ports of the use case: a quote is made with them and does not know their inside. */
import type { Address } from '@sluice/chains'
import type { ExactOutputRequest, RouteRequest, RouteResult } from '@sluice/routing'
import type { SimulationRequest, SimulationResult } from '@sluice/simulation'
import type { Log } from '../events.ts'
import type { ChainTokens } from '../tokens/chain-tokens.ts'
import type { Standings } from '../tokens/standings.ts'
import type { ChainView } from '../view/view.ts'

/** The best route in the pools of a view. @throws RoutingError */
export type Search = (
  view: ChainView,
  request: RouteRequest | ExactOutputRequest,
  signal?: AbortSignal,
) => Promise<RouteResult>

/**
 * Runs a swap against the chain's state.
 *
 * @param avoid - pools that the swap uses, which may not lend tokens to its sender
 * @throws SimulationError, RpcError
 */
export type Simulate = (request: SimulationRequest, avoid?: ReadonlySet<Address>) => Promise<SimulationResult>

/** Context of one piece of work, from whoever asked for it. */
export type Work = {
  readonly signal: AbortSignal
  /** Runs a stage of the work and keeps its time. */
  readonly time: <T>(stage: string, work: () => T | Promise<T>) => Promise<T>
  readonly log: Pick<Log, 'info'>
}

/** The same work, given up by another signal. */
export function withSignal(work: Work, signal: AbortSignal): Work {
  return {
    signal,
    time: (stage, run) => work.time(stage, run),
    // Made when it is needed.
    get log() {
      return work.log
    },
  }
}

/** Knowledge of a chain's tokens that a quote is made with, and adds to. */
export type TokenKnowledge = Pick<ChainTokens, 'facts' | 'taxes'> & {
  readonly standings: Pick<Standings, 'trust' | 'learn' | 'blame'>
}

/** Tolerance that is found for a route whose caller leaves it open: parts per million, and what it rests on. */
export type AutoSlippage = { readonly ppm: bigint; readonly reason: string }

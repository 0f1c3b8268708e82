/** Error class and error codes of the package. */
import { CodedError } from '@sluice/chains'

/**
 * Error codes.
 * - `UNKNOWN_SLOTS`: the balance could be set neither by slots nor by a holder.
 * - `BAD_TOKEN`: `tokenIn` or `tokenOut` does not behave like an ERC-20.
 * - `BAD_SLOT`: a slot from the request had no effect.
 * - `BAD_REQUEST`: invalid parameters.
 * - `OVERLOADED`: too many simulations are queued.
 */
export type SimulationErrorCode = 'UNKNOWN_SLOTS' | 'BAD_TOKEN' | 'BAD_SLOT' | 'BAD_REQUEST' | 'OVERLOADED'

/** Error for a simulation that cannot run; a reverted transaction is a result instead. */
export class SimulationError extends CodedError<SimulationErrorCode> {
  override readonly name = 'SimulationError'
}

import { CodedError } from '@sluice/chains'

/**
 * UNKNOWN_SLOTS: neither slots nor a holder could set the balance up. BAD_TOKEN: tokenIn or tokenOut does not behave as
 * an ERC-20. BAD_SLOT: a given slot did not take. BAD_REQUEST: parameters contradict each other. OVERLOADED: too many
 * simulations wait for their turn.
 */
export type SimulationErrorCode = 'UNKNOWN_SLOTS' | 'BAD_TOKEN' | 'BAD_SLOT' | 'BAD_REQUEST' | 'OVERLOADED'

export class SimulationError extends CodedError<SimulationErrorCode> {
  override readonly name = 'SimulationError'
}

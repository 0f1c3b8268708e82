/** Limits of one simulation, and of all of a chain together. */
export type SimulationLimits = {
  /** Gas limit of the simulated transaction. */
  readonly maxGas: bigint
  /** Bytes of calldata. */
  readonly maxCalldata: number
  /** Bytes of return data that are reported; more is cut off. */
  readonly maxReturnData: number
  /** For each eth_call. */
  readonly timeoutMs: number
  /** Simulations under way; those of heavy targets count for more. */
  readonly maxConcurrent: number
  /** More than that are refused as OVERLOADED. */
  readonly maxQueued: number
}

export const defaultLimits: SimulationLimits = {
  maxGas: 100_000_000n,
  maxCalldata: 128 * 1024,
  maxReturnData: 64 * 1024,
  timeoutMs: 4_000,
  maxConcurrent: 16,
  maxQueued: 400,
}

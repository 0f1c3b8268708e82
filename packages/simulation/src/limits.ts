/** Limits of one simulation, and of all simulations of a chain. */
export type SimulationLimits = {
  /** Maximum gas limit of the transaction. */
  readonly maxGas: bigint
  /** Maximum bytes of calldata. */
  readonly maxCalldata: number
  /** Maximum bytes of reported return data; the rest is cut off. */
  readonly maxReturnData: number
  /** Timeout of each RPC request. */
  readonly timeoutMs: number
  /** Maximum concurrent cost units: a light simulation counts as one, a heavy simulation as more. */
  readonly maxConcurrent: number
  /** Maximum queued simulations; more are rejected with `OVERLOADED`. */
  readonly maxQueued: number
}

/** Limits for callers that set none. */
export const defaultLimits: SimulationLimits = {
  maxGas: 100_000_000n,
  maxCalldata: 128 * 1024,
  maxReturnData: 64 * 1024,
  timeoutMs: 4_000,
  maxConcurrent: 16,
  maxQueued: 400,
}

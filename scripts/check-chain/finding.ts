/** Types and constructors of findings. */
import type { Chain, ChainFile } from '@sluice/chains'
import type { Rpc } from '@sluice/rpc'

export type Status = 'pass' | 'fail' | 'unknown'

/** Result of one check of a chain's file. */
export type Finding = {
  readonly check: string
  readonly status: Status
  readonly detail: string
  /** Sets the right value in a chain file; absent if nothing must change or the right value is unknown. */
  readonly fix?: (file: ChainFile) => void
}

/** The chain that is checked, and the block of the checks. */
export type Subject = {
  readonly chain: Chain
  readonly rpc: Rpc
  readonly block: number
  /** True if the node supports code overrides in calls, which several checks need. */
  readonly supportsOverrides: boolean
}

/**
 * A check of one aspect of a chain.
 *
 * @throws RpcError if the node fails
 */
export type Check = (subject: Subject) => Promise<readonly Finding[]>

export const pass = (check: string, detail: string): Finding => ({ check, status: 'pass', detail })
export const unknown = (check: string, detail: string): Finding => ({ check, status: 'unknown', detail })
export function fail(check: string, detail: string, fix?: Finding['fix']): Finding {
  return { check, status: 'fail', detail, ...(fix && { fix }) }
}
/** Returns a finding about a value that the file lacks, which is not a failure. */
export function missing(check: string, detail: string, fix: NonNullable<Finding['fix']>): Finding {
  return { check, status: 'unknown', detail, fix }
}

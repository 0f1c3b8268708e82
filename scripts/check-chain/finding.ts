import type { Chain, ChainFile } from '@sluice/chains'
import type { Rpc } from '@sluice/rpc'

export type Status = 'pass' | 'fail' | 'unknown'

/** Finding about one claim of a chain's file. */
export type Finding = {
  readonly check: string
  readonly status: Status
  readonly detail: string
  /** Corrects the file where the chain itself tells the right value. */
  readonly fix?: (file: ChainFile) => void
}

export type Subject = {
  readonly chain: Chain
  readonly rpc: Rpc
  /** All reads are made at this block. */
  readonly block: number
  /** True where the node puts code in place for a call; where it does not, much cannot be asked. */
  readonly overrides: boolean
}

/** One aspect of a chain. Throws RpcError when the node fails. */
export type Check = (subject: Subject) => Promise<readonly Finding[]>

export const pass = (check: string, detail: string): Finding => ({ check, status: 'pass', detail })
export const unknown = (check: string, detail: string): Finding => ({ check, status: 'unknown', detail })
export function fail(check: string, detail: string, fix?: Finding['fix']): Finding {
  return { check, status: 'fail', detail, ...(fix && { fix }) }
}
/** Not wrong, only not written down: a value that no source gave. */
export function missing(check: string, detail: string, fix: NonNullable<Finding['fix']>): Finding {
  return { check, status: 'unknown', detail, fix }
}

/**
 * Runs transactions by eth_simulateV1, without a probe at the sender (bare runs), if the nodes of the chain support it.
 */
import { RpcError } from '@sluice/rpc'
import { type BareReport, runBare } from './bare.ts'

/** Milliseconds after which a missing method is tried again: another node may then serve the URL. */
const RETRY_MS = 300_000
/** Matches messages of nodes that lack a method. */
const UNKNOWN_METHOD = /method|not (supported|available|implemented|allowed|whitelisted)|does not exist|unsupported/i

/** Runs transactions by eth_simulateV1, and remembers whether the nodes support it and report gas before refunds. */
export class BareRuns {
  private unsupportedAtMs = Number.NEGATIVE_INFINITY
  /** True if the last run reported the gas before refunds. */
  reportsGrossGas = false

  get isUnsupported(): boolean {
    return performance.now() - this.unsupportedAtMs < RETRY_MS
  }

  /**
   * Runs a transaction; undefined if the nodes do not support it.
   *
   * @throws RpcError for failures other than refusals and malformed answers, such as timeouts
   */
  async run(runOptions: Parameters<typeof runBare>[0]): Promise<BareReport | undefined> {
    if (this.isUnsupported) return undefined
    try {
      const report = await runBare(runOptions)
      this.reportsGrossGas = report.gasUsed !== undefined
      return report
    } catch (error) {
      if (!(error instanceof RpcError && (error.isRefusal || error.code === 'BAD_ANSWER'))) throw error
      if (error.code === 'UNSUPPORTED' || UNKNOWN_METHOD.test(error.message)) {
        this.unsupportedAtMs = performance.now()
        this.reportsGrossGas = false
      }
      return undefined
    }
  }
}

import { RpcError } from '@sluice/rpc'
import { type BareReport, runBare } from './bare.ts'

/** Milliseconds after which nodes that lacked the method are asked again: other nodes may stand behind the same address. */
const RETRY_MS = 300_000
/** Words by which nodes say that they lack a method. */
const UNKNOWN_METHOD = /method|not (supported|available|implemented|allowed|whitelisted)|does not exist|unsupported/i

/** Runs transactions with eth_simulateV1, and remembers whether the nodes of a chain have it and report gas before refunds. */
export class BareRuns {
  private lackedAt = Number.NEGATIVE_INFINITY
  tellGross = false

  get areLacking(): boolean {
    return Date.now() - this.lackedAt < RETRY_MS
  }

  /** Undefined if the nodes cannot run it. @throws RpcError for any failure but a refusal */
  async run(bare: Parameters<typeof runBare>[0]): Promise<BareReport | undefined> {
    if (this.areLacking) return undefined
    try {
      const report = await runBare(bare)
      this.tellGross = report.gasUsed !== undefined
      return report
    } catch (error) {
      if (!(error instanceof RpcError && (error.isRefusal || error.code === 'BAD_ANSWER'))) throw error
      if (error.code === 'UNSUPPORTED' || UNKNOWN_METHOD.test(error.message)) {
        this.lackedAt = Date.now()
        this.tellGross = false
      }
      return undefined
    }
  }
}

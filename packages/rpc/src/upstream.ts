/** One endpoint of a chain with its health, verified chain id, head, and capabilities. */
import type { Hex } from '@sluice/chains'
import type { SendContext } from './calls.ts'
import { type Capabilities, readCapabilities } from './capabilities.ts'
import type { Endpoint } from './endpoint.ts'
import { RpcError, type RpcErrorCode } from './errors.ts'
import { HealthTracker } from './health-tracker.ts'
import { monotonicMs } from './monotonic-clock.ts'

/** Duration of the ejection after an answer for another chain. The configuration may be repaired in this time. */
const WRONG_CHAIN_EJECT_MS = 60_000
/** Timeout of the check whether the endpoint responds. */
const PING_TIMEOUT_MS = 1_000
/** Timeout of reading all capabilities. */
const CAPABILITIES_TIMEOUT_MS = 5_000
/** Time after which a missing capability is checked again, because another node may then serve the same URL. */
const RECHECK_AFTER_MS = 300_000
/** Maximum attempts of each request that reads capabilities. */
const MAX_CAPABILITY_ATTEMPTS = 5
/** Timeout of the first attempt to read a capability; the timeout of each later attempt is twice as long. */
const FIRST_ATTEMPT_TIMEOUT_MS = 300
/** Time without a success after which the chain id is verified again, because another node may then serve the URL. */
const REVERIFY_AFTER_MS = 3_000
/** Time for which a reported head is used to decide whether other endpoints lag. */
const MAX_HEAD_AGE_MS = 30_000

/** Failures without a response from the node. */
const noResponseCodes: ReadonlySet<RpcErrorCode> = new Set(['UNREACHABLE', 'TIMEOUT', 'BAD_ANSWER', 'ABORTED'])

/** An endpoint with everything that `race` and `chooseUpstream` need to choose between endpoints. */
export class Upstream {
  /** Index in `RpcOptions.urls`. */
  readonly index: number
  readonly endpoint: Endpoint
  readonly health: HealthTracker
  private readonly chainId: number
  private readonly ejectMs: number
  private chainVerified = false
  private pendingCapabilities: Promise<Capabilities> | undefined
  private capabilitiesReadAt = 0
  private pendingPing: Promise<boolean> | undefined
  /** Last failure that counted against the endpoint; undefined after the next success. */
  lastFailure: RpcError | undefined
  private seenHead = { number: -1, seenAt: 0 }
  /** End of the ejection for lag. Answers do not end this ejection, because a lagging node also answers requests. */
  private lagEjectedUntil = Number.NEGATIVE_INFINITY
  private hashRefusedAt = Number.NEGATIVE_INFINITY
  private isBlockIgnored = false

  constructor(index: number, endpoint: Endpoint, chainId: number, ejectMs: number) {
    this.index = index
    this.endpoint = endpoint
    this.chainId = chainId
    this.ejectMs = ejectMs
    this.health = new HealthTracker(ejectMs)
  }

  get isEjected(): boolean {
    return this.health.isEjected || this.lagEjectedUntil > monotonicMs()
  }

  /** True if the endpoint does not respond at all or its plan is used up. */
  get isUnusable(): boolean {
    return this.health.isDead || (this.lastFailure?.code === 'CREDIT' && this.health.isEjected)
  }

  /** Highest recently reported block; -1 if none. */
  get head(): number {
    return monotonicMs() - this.seenHead.seenAt < MAX_HEAD_AGE_MS ? this.seenHead.number : -1
  }

  /** Records a head that does not lag. */
  recordHead(number: number): void {
    this.seenHead = { number, seenAt: monotonicMs() }
    this.lagEjectedUntil = Number.NEGATIVE_INFINITY
  }

  /** Records a head that lags, and ejects the endpoint. */
  recordLaggingHead(number: number): void {
    this.recordHead(number)
    this.lagEjectedUntil = monotonicMs() + this.ejectMs
    this.forgetVerification()
  }

  /** True unless the endpoint recently refused a block hash as the block parameter (EIP-1898). */
  get acceptsBlockHashes(): boolean {
    return monotonicMs() - this.hashRefusedAt > RECHECK_AFTER_MS
  }

  recordHashRefused(): void {
    this.hashRefusedAt = monotonicMs()
  }

  /** True if the endpoint runs every call at its newest block, according to the last read of its capabilities. */
  get ignoresBlock(): boolean {
    return this.isBlockIgnored
  }

  /** True after the endpoint reported the expected chain id. */
  get isChainVerified(): boolean {
    return this.chainVerified
  }

  /** Verifies the chain id of the endpoint once. @throws RpcError `WRONG_CHAIN` */
  async checkChain(sendContext: SendContext): Promise<void> {
    if (this.health.isDown && this.health.msSinceSuccess > REVERIFY_AFTER_MS) this.forgetVerification()
    if (this.chainVerified) return
    const chainId = Number(await this.endpoint.request<Hex>('eth_chainId', [], sendContext))
    // Forget when this request was sent, so that the latency of the next operation is measured from its own request.
    delete sendContext.sentAt
    if (chainId !== this.chainId)
      throw new RpcError('WRONG_CHAIN', `an RPC endpoint of chain ${this.chainId} answers for chain ${chainId}`)
    this.chainVerified = true
    this.recordSuccess()
  }

  /**
   * Returns the capabilities of the endpoint, which are read once. Failures are not cached. If the endpoint cannot
   * override state, its capabilities are read again after `RECHECK_AFTER_MS`.
   */
  async capabilities(): Promise<Capabilities> {
    this.pendingCapabilities ??= this.readCapabilities()
    const capabilities = await this.pendingCapabilities
    if (!capabilities.canOverrideState && monotonicMs() - this.capabilitiesReadAt > RECHECK_AFTER_MS)
      this.pendingCapabilities = undefined
    return capabilities
  }

  /**
   * Reads the capabilities again, because an answer suggests that the node ignores overrides.
   *
   * @param sentAtMs - when the request of that answer was sent; capabilities that were read later are kept
   */
  async recheckCapabilities(sentAtMs: number): Promise<Capabilities> {
    if (this.capabilitiesReadAt <= sentAtMs) this.pendingCapabilities = undefined
    return this.capabilities()
  }

  private readCapabilities(): Promise<Capabilities> {
    // Several callers share this read. So it has its own timeout, and a caller's signal does not abort it.
    const signal = AbortSignal.timeout(CAPABILITIES_TIMEOUT_MS)
    const request = async (method: string, params: readonly unknown[]): Promise<Hex> => {
      for (let attempt = 1; ; attempt++) {
        try {
          // All callers wait for this request. So it is repeated on a new connection if it hangs.
          const attemptSignal = AbortSignal.any([
            signal,
            AbortSignal.timeout(FIRST_ATTEMPT_TIMEOUT_MS * 2 ** (attempt - 1)),
          ])
          return await this.endpoint.request<Hex>(method, params, {
            signal: attemptSignal,
            priority: 'quote',
            ...(attempt > 1 && { newConnection: true }),
          })
        } catch (error) {
          // `LAGGING` is the expected answer to a probe at a future block, so it is not retried.
          const isTransient = error instanceof RpcError && error.isTransient && error.code !== 'LAGGING'
          const isRetried = isTransient || (error instanceof RpcError && error.isInternal && attempt === 1)
          if (attempt === MAX_CAPABILITY_ATTEMPTS || !isRetried) throw error
        }
      }
    }
    const pending = readCapabilities(request)
    this.capabilitiesReadAt = monotonicMs()
    return pending.then(
      (capabilities) => {
        this.isBlockIgnored = capabilities.ignoresBlock
        return capabilities
      },
      (error: unknown) => {
        this.pendingCapabilities = undefined
        throw error
      },
    )
  }

  /**
   * Records a failure of an attempt. A timeout counts only if the endpoint does not respond to a ping either; otherwise
   * the call was too heavy.
   */
  recordFailure(error: RpcError): void {
    switch (error.code) {
      case 'WRONG_CHAIN':
        this.lastFailure = error
        return void this.eject(WRONG_CHAIN_EJECT_MS)
      case 'CREDIT':
        this.lastFailure = error
        return void this.health.eject()
      case 'UNREACHABLE':
      case 'RATE_LIMITED':
      case 'BAD_ANSWER':
        this.lastFailure = error
        this.health.recordFailure(error.code === 'RATE_LIMITED' ? 'refused' : 'silent')
        return
      case 'TIMEOUT':
        void this.isReachable().then((isReachable) => {
          if (isReachable) return
          this.lastFailure = error
          this.health.recordFailure()
        })
        return
      default:
        this.recordSuccess()
    }
  }

  recordSuccess(): void {
    this.lastFailure = undefined
    this.health.recordSuccess()
  }

  eject(ms?: number): void {
    this.health.eject(ms)
    this.forgetVerification()
  }

  /** Forgets chain id and capabilities, because another node may answer at the same URL next time. */
  private forgetVerification(): void {
    this.chainVerified = false
    this.pendingCapabilities = undefined
  }

  /** Checks whether the endpoint responds at all; concurrent calls share one request. */
  isReachable(): Promise<boolean> {
    this.pendingPing ??= this.ping().finally(() => {
      this.pendingPing = undefined
    })
    return this.pendingPing
  }

  private async ping(): Promise<boolean> {
    // A paused endpoint (`Retry-After`) counts as reachable; do not send a request to check.
    if (this.endpoint.waitMs('lookup') > 0) return true
    if (this.lastFailure?.code === 'CREDIT' && this.health.isEjected) return false
    try {
      await this.endpoint.request('eth_blockNumber', [], {
        signal: AbortSignal.timeout(PING_TIMEOUT_MS),
        priority: 'quote',
      })
    } catch (error) {
      // An error from the node is a response too.
      if (!(error instanceof RpcError) || noResponseCodes.has(error.code)) return false
    }
    this.health.recordReply()
    return true
  }
}

/** An endpoint and what is known of it: whether it serves this chain, keeps up, answers, and what it can do. */
import type { Hex } from '@sluice/chains'
import type { Send } from './calls.ts'
import { type Capabilities, readCapabilities } from './capabilities.ts'
import type { Endpoint } from './endpoint.ts'
import { RpcError, type RpcErrorCode } from './errors.ts'
import { Standing } from './standing.ts'

/** Endpoints of another chain are looked at again now and then: somebody may have repaired the configuration. */
const WRONG_CHAIN_MS = 60_000
const PING_MS = 1_000
const PROBE_MS = 5_000
/** Time after which an inability of an endpoint is asked for again: another node may stand behind the same address. */
const INABILITY_MS = 300_000
/** Tries at each question of what it can do, and the time of the first; each has twice that of the last. */
const PROBE_TRIES = 5
const PROBE_TRY_MS = 300
/** One that failed again and again for that long may be another node when it is back. */
const AWAY_MS = 3_000
/** Time for which a head that was seen says something about others. */
const HEAD_MS = 30_000

/** Failures in which the node itself said nothing. */
const silences: ReadonlySet<RpcErrorCode> = new Set(['UNREACHABLE', 'TIMEOUT', 'BAD_ANSWER', 'ABORTED'])

export class Upstream {
  /** Place in the list of endpoints. */
  readonly index: number
  readonly endpoint: Endpoint
  readonly standing: Standing
  private readonly chainId: number
  private chainChecked = false
  private known: Promise<Capabilities> | undefined
  private knownAt = 0
  private ping: Promise<boolean> | undefined
  /** The last failure that counted against it; undefined once it has answered again. */
  lastFailure: RpcError | undefined
  private seenHead = { number: -1, at: 0 }
  private numbersOnlyAt = Number.NEGATIVE_INFINITY

  constructor(index: number, endpoint: Endpoint, chainId: number, ejectMs: number) {
    this.index = index
    this.endpoint = endpoint
    this.chainId = chainId
    this.standing = new Standing(ejectMs)
  }

  get ejected(): boolean {
    return this.standing.ejected
  }

  /** Not worth asking: it gives no answer at all, or its plan is used up. */
  get isOut(): boolean {
    return this.standing.dead || (this.lastFailure?.code === 'CREDIT' && this.standing.ejected)
  }

  /** Highest block it has reported lately; -1 when none. */
  get head(): number {
    return Date.now() - this.seenHead.at < HEAD_MS ? this.seenHead.number : -1
  }

  sawHead(number: number): void {
    this.seenHead = { number, at: Date.now() }
  }

  /** True where it takes a block's hash where a number may stand (EIP-1898), as far as is known. */
  get takesHashes(): boolean {
    return Date.now() - this.numbersOnlyAt > INABILITY_MS
  }

  takesNumbersOnly(): void {
    this.numbersOnlyAt = Date.now()
  }

  /** It has said which chain it is of. */
  get isChecked(): boolean {
    return this.chainChecked
  }

  /** @throws RpcError `WRONG_CHAIN` */
  async checkChain(send: Send): Promise<void> {
    if (this.standing.down && this.standing.silentMs > AWAY_MS) this.forget()
    if (this.chainChecked) return
    const chainId = Number(await this.endpoint.request<Hex>('eth_chainId', [], send))
    // The time that the task itself takes is counted from its own request.
    delete send.sentAt
    if (chainId !== this.chainId)
      throw new RpcError('WRONG_CHAIN', `an RPC endpoint of chain ${this.chainId} answers for chain ${chainId}`)
    this.chainChecked = true
    this.worked()
  }

  /** Asked once. A failure of the endpoint is not remembered, and an inability only for a while. */
  async capabilities(): Promise<Capabilities> {
    this.known ??= this.readCapabilities()
    const able = await this.known
    if (!able.stateOverrides && Date.now() - this.knownAt > INABILITY_MS) this.known = undefined
    return able
  }

  /**
   * An answer was as of a node that ignores overrides: what it can do is asked again.
   *
   * @param since - when that was asked for; what was found out after it holds
   */
  async doubtCapabilities(since: number): Promise<Capabilities> {
    if (this.knownAt <= since) this.known = undefined
    return this.capabilities()
  }

  private readCapabilities(): Promise<Capabilities> {
    // Its own time limit: the caller who asks first may give up before the others who wait for the answer.
    const signal = AbortSignal.timeout(PROBE_MS)
    const ask = async (method: string, params: readonly unknown[]): Promise<Hex> => {
      for (let tries = 1; ; tries++) {
        try {
          // Everybody waits for it: one that hangs is asked again on a connection of its own.
          const inTime = AbortSignal.any([signal, AbortSignal.timeout(PROBE_TRY_MS * 2 ** (tries - 1))])
          return await this.endpoint.request<Hex>(method, params, {
            signal: inTime,
            priority: 'quote',
            ...(tries > 1 && { fresh: true }),
          })
        } catch (error) {
          if (tries === PROBE_TRIES || !(error instanceof RpcError && error.passes)) throw error
        }
      }
    }
    const known = readCapabilities(ask)
    this.knownAt = Date.now()
    known.catch(() => {
      this.known = undefined
    })
    return known
  }

  /** Counts against it when it is the endpoint that failed, and not the call that was too heavy for it. */
  failed(error: RpcError): void {
    switch (error.code) {
      case 'WRONG_CHAIN':
        this.lastFailure = error
        return void this.eject(WRONG_CHAIN_MS)
      case 'CREDIT':
        this.lastFailure = error
        return void this.standing.eject()
      case 'UNREACHABLE':
      case 'RATE_LIMITED':
      case 'BAD_ANSWER':
        this.lastFailure = error
        this.standing.failed(error.code === 'RATE_LIMITED' ? 'refused' : 'silent')
        return
      case 'TIMEOUT':
        void this.answers().then((answers) => {
          if (answers) return
          this.lastFailure = error
          this.standing.failed()
        })
        return
      default:
        this.worked()
    }
  }

  worked(): void {
    this.lastFailure = undefined
    this.standing.worked()
  }

  eject(ms?: number): void {
    this.standing.eject(ms)
    this.forget()
  }

  /** Whoever answers next time may be another node behind the same address. */
  private forget(): void {
    this.chainChecked = false
    this.known = undefined
  }

  /** Asks whether it is there at all; once at a time. */
  answers(): Promise<boolean> {
    this.ping ??= this.askWhetherThere().finally(() => {
      this.ping = undefined
    })
    return this.ping
  }

  private async askWhetherThere(): Promise<boolean> {
    // One that is left alone on its own wish is not asked whether it is there.
    if (this.endpoint.waitMs('lookup') > 0) return true
    if (this.lastFailure?.code === 'CREDIT' && this.standing.ejected) return false
    try {
      await this.endpoint.request('eth_blockNumber', [], { signal: AbortSignal.timeout(PING_MS), priority: 'quote' })
    } catch (error) {
      // A refusal is an answer.
      if (!(error instanceof RpcError) || silences.has(error.code)) return false
    }
    this.standing.answered()
    return true
  }
}

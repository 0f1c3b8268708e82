/** An endpoint and what is known of it: whether it serves this chain, keeps up, answers, and what it can do. */
import type { Hex } from '@sluice/chains'
import { type Capabilities, readCapabilities } from './capabilities.ts'
import type { RawBlock } from './encode.ts'
import type { Endpoint, EndpointCall, Send } from './endpoint.ts'
import { RpcError } from './errors.ts'

/** Endpoints of another chain are looked at again now and then: somebody may have repaired the configuration. */
const WRONG_CHAIN_MS = 60_000
const PING_MS = 1_000
const PROBE_MS = 5_000
/** How long a head that was seen says something about others. */
const HEAD_MS = 30_000
const LATEST: EndpointCall = ['eth_getBlockByNumber', ['latest', false]]

export class Seat {
  readonly endpoint: Endpoint
  private readonly chainId: number
  private readonly ejectMs: number
  private ejectedUntil = 0
  private chainChecked = false
  private known: Promise<Capabilities> | undefined
  private seenHead = { number: -1, at: 0 }

  constructor(endpoint: Endpoint, chainId: number, ejectMs: number) {
    this.endpoint = endpoint
    this.chainId = chainId
    this.ejectMs = ejectMs
  }

  get ejected(): boolean {
    return this.ejectedUntil > Date.now()
  }

  /** Highest block it has reported lately; -1 when none. */
  get head(): number {
    return Date.now() - this.seenHead.at < HEAD_MS ? this.seenHead.number : -1
  }

  async latestBlock(send: Send): Promise<RawBlock> {
    return this.seen(await this.endpoint.request<RawBlock>(...LATEST, send))
  }

  /** A call and the head in one HTTP request: a quote that wants both waits for both anyway. */
  async callWithHead(params: readonly unknown[], send: Send): Promise<readonly [unknown, RawBlock]> {
    const [answer, raw] = await Promise.all(this.endpoint.requestTogether([['eth_call', params], LATEST], send))
    return [answer, this.seen(raw as RawBlock)]
  }

  /** In an HTTP request of its own. */
  call(params: readonly unknown[], send: Send): Promise<unknown> {
    return this.endpoint.requestTogether([['eth_call', params]], send)[0]!
  }

  /** @throws RpcError `WRONG_CHAIN` */
  async checkChain(send: Send): Promise<void> {
    if (this.chainChecked) return
    const chainId = Number(await this.endpoint.request<Hex>('eth_chainId', [], send))
    if (chainId !== this.chainId)
      throw new RpcError('WRONG_CHAIN', `an RPC endpoint of chain ${this.chainId} answers for chain ${chainId}`)
    this.chainChecked = true
  }

  /** Asked once. A failure of the endpoint is not remembered. */
  capabilities(): Promise<Capabilities> {
    if (!this.known) {
      // Its own time limit: the caller who asks first may give up before the others who wait for the answer.
      const send: Send = { signal: AbortSignal.timeout(PROBE_MS), priority: 'quote' }
      const known = readCapabilities((method, params) => this.endpoint.request(method, params, send))
      this.known = known
      known.catch(() => {
        this.known = undefined
      })
    }
    return this.known
  }

  works(): void {
    this.ejectedUntil = 0
  }

  /** Passed over for a while when it is the endpoint that failed, and not the call that was too heavy for it. */
  async failed(error: RpcError): Promise<void> {
    if (['REJECTED', 'NO_OVERRIDES', 'GAS_CAP'].includes(error.code)) return
    if (error.code === 'TIMEOUT' && (await this.answers())) return
    this.eject(error.code === 'WRONG_CHAIN' ? WRONG_CHAIN_MS : this.ejectMs)
  }

  eject(ms = this.ejectMs): void {
    this.ejectedUntil = Date.now() + ms
    // Whoever answers next time may be another node behind the same address.
    this.chainChecked = false
    this.known = undefined
  }

  private seen(raw: RawBlock): RawBlock {
    this.seenHead = { number: Number(raw.number), at: Date.now() }
    return raw
  }

  private async answers(): Promise<boolean> {
    const ping = this.endpoint.request('eth_blockNumber', [], {
      signal: AbortSignal.timeout(PING_MS),
      priority: 'quote',
    })
    return ping.then(
      () => true,
      () => false,
    )
  }
}

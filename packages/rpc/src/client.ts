/** One chain over one or more endpoints: time limits, a retry, failover, and endpoints that lie or lag set aside. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Address, type Hex, toAddress } from '@sluice/chains'
import type { Capabilities, CoinbaseField } from './capabilities.ts'
import { withDeadline } from './deadline.ts'
import {
  blockParam,
  callParam,
  decodeBlock,
  decodeLog,
  logFilterParam,
  overridesParam,
  quantity,
  type RawBlock,
  type RawLog,
} from './encode.ts'
import { Endpoint, type Send } from './endpoint.ts'
import { RpcError } from './errors.ts'
import { type BackgroundBudget, Budget, defaultBackground } from './priority.ts'
import { Seat } from './seat.ts'
import type {
  AnswerAtHead,
  BlockHeader,
  BlockOverrides,
  BlockRef,
  CallOptions,
  CallRequest,
  Log,
  LogFilter,
  RequestOptions,
  Rpc,
} from './types.ts'

export type RpcOptions = {
  readonly chainId: number
  /** In order of preference. */
  readonly urls: readonly string[]
  /** For one call at one endpoint. */
  readonly timeoutMs?: number
  /** How long an endpoint that failed is passed over while another one works. */
  readonly ejectMs?: number
  /** Most HTTP requests under way at one endpoint. */
  readonly maxConcurrency?: number
  /** What background work may ask of all endpoints together. */
  readonly background?: BackgroundBudget
  /** Told of every failure of an endpoint, by its place in `urls`: addresses may hold keys. */
  readonly onFailure?: (endpoint: number, error: RpcError) => void
}

/** Blocks that an endpoint may be behind another one before it is passed over. */
const MAX_LAG = 5
/** Between two comparisons of all endpoints' heads. */
const COMPARE_MS = 10_000
/** Before everything is tried once more: dropped connections and bursts are over by then. */
const RETRY_MS = 60

export function createRpc(options: RpcOptions): Rpc {
  return new ChainRpc(options)
}

/** What is asked of an endpoint, once it is known which one and by when. */
type Task<T> = (seat: Seat, send: Send) => Promise<T>

class ChainRpc implements Rpc {
  readonly chainId: number
  private readonly timeoutMs: number
  private readonly onFailure: RpcOptions['onFailure']
  private readonly seats: readonly Seat[]
  private readonly closed = new AbortController()
  private comparedAt = 0

  constructor(options: RpcOptions) {
    const { chainId, urls, timeoutMs = 5000, ejectMs = 10_000, maxConcurrency = 32, onFailure } = options
    this.onFailure = onFailure
    this.chainId = chainId
    this.timeoutMs = timeoutMs
    const budget = new Budget(options.background ?? defaultBackground)
    this.seats = urls.map((url) => new Seat(new Endpoint({ url, maxConcurrency, budget }), chainId, ejectMs))
  }

  request<T>(method: string, params: readonly unknown[], options: RequestOptions = {}): Promise<T> {
    return this.run((seat, send) => seat.endpoint.request<T>(method, params, send), options)
  }

  async call(request: CallRequest, block: BlockRef, options: CallOptions = {}): Promise<Hex> {
    if (options.overrides || options.blockOverrides)
      return this.override(request, block, options, async (seat, params, send) =>
        hexAnswer(await seat.call(params, send)),
      )
    return hexAnswer(await this.request('eth_call', [callParam(request), blockParam(block)], options))
  }

  callWithHead(request: CallRequest, block: BlockRef, options: CallOptions = {}): Promise<AnswerAtHead> {
    this.compareHeads()
    return this.override(request, block, options, async (seat, params, send) => {
      const [answer, raw] = await seat.callWithHead(params, send)
      this.refuseLag(seat)
      return { answer: hexAnswer(answer), head: readable(() => decodeBlock(raw)) }
    })
  }

  /** An eth_call at an endpoint that can do what it asks for. */
  private override<T>(
    request: CallRequest,
    block: BlockRef,
    { overrides = {}, blockOverrides, ...rest }: CallOptions,
    ask: (seat: Seat, params: readonly unknown[], send: Send) => Promise<T>,
  ): Promise<T> {
    const params: unknown[] = [callParam(request), blockParam(block), overridesParam(overrides)]
    let capped = false
    const task: Task<T> = async (seat, send) => {
      const able = await seat.capabilities()
      if (!able.stateOverrides) throw new RpcError('NO_OVERRIDES', 'the node cannot override state in eth_call')
      if (!capped && givesLess(able, request.gas)) throw new RpcError('GAS_CAP', 'the node caps the gas of eth_call')
      const more = blockOverrides ? [blockOverridesParam(blockOverrides, able.coinbaseField)] : []
      return ask(seat, [...params, ...more], send)
    }
    // An endpoint that gives all the gas is taken where there is one; less than asked for often does as well.
    return this.run(task, rest).catch((error: unknown) => {
      if (!(error instanceof RpcError && error.code === 'GAS_CAP')) throw error
      capped = true
      return this.run(task, rest)
    })
  }

  /**
   * Tries every endpoint, those in good standing first, and all of them once more when none could be reached. What a
   * node says of the call itself is final.
   */
  private async run<T>(task: Task<T>, options: RequestOptions): Promise<T> {
    const first = await this.tryAll(task, options)
    if (first.done) return first.result
    if (first.error.code !== 'UNREACHABLE') throw first.error
    await sleep(RETRY_MS * (0.5 + Math.random()), undefined, { signal: this.closed.signal }).catch(() => {})
    const second = await this.tryAll(task, options)
    if (second.done) return second.result
    throw second.error
  }

  private async tryAll<T>(task: Task<T>, options: RequestOptions): Promise<Outcome<T>> {
    let error: RpcError | undefined
    for (const seat of [...this.seats].sort((a, b) => Number(a.ejected) - Number(b.ejected))) {
      try {
        const result = await this.inTime(options, async (send) => {
          await seat.checkChain(send)
          return task(seat, send)
        })
        seat.works()
        return { done: true, result }
      } catch (cause) {
        if (!(cause instanceof RpcError) || cause.code === 'REVERTED' || cause.code === 'ABORTED') throw cause
        error = cause
        this.onFailure?.(this.seats.indexOf(seat), cause)
        await seat.failed(cause)
      }
    }
    return {
      done: false,
      error: error ?? new RpcError('UNREACHABLE', `no RPC endpoint is known for chain ${this.chainId}`),
    }
  }

  async getBlock(block: BlockRef, options?: RequestOptions): Promise<BlockHeader | null> {
    const raw =
      typeof block === 'object'
        ? await this.request<RawBlock | null>('eth_getBlockByHash', [block.blockHash, false], options)
        : block === 'latest'
          ? await this.latestBlock(options)
          : await this.request<RawBlock | null>('eth_getBlockByNumber', [blockParam(block), false], options)
    return raw && readable(() => decodeBlock(raw))
  }

  async getLogs(filter: LogFilter, options?: RequestOptions): Promise<readonly Log[]> {
    const raw = await this.request<RawLog[]>('eth_getLogs', [logFilterParam(filter)], options)
    return readable(() => raw.map(decodeLog))
  }

  async getCode(address: Address, block: BlockRef, options?: RequestOptions): Promise<Hex> {
    return hexAnswer(await this.request('eth_getCode', [address, blockParam(block)], options))
  }

  async gasPrice(options?: RequestOptions): Promise<bigint> {
    const raw = await this.request<Hex>('eth_gasPrice', [], options)
    return readable(() => BigInt(raw))
  }

  close(): void {
    this.closed.abort()
    for (const { endpoint } of this.seats) endpoint.close()
  }

  /** An endpoint that has fallen behind another one is passed over until it may have caught up. */
  private latestBlock(options: RequestOptions = {}): Promise<RawBlock> {
    this.compareHeads()
    return this.run(async (seat, send) => {
      const raw = await seat.latestBlock(send)
      this.refuseLag(seat)
      return raw
    }, options)
  }

  /** @throws RpcError when another endpoint is further than the one that was just asked for its head */
  private refuseLag(seat: Seat): void {
    const best = Math.max(...this.seats.filter((other) => other !== seat && !other.ejected).map(({ head }) => head))
    if (best - seat.head > MAX_LAG)
      throw new RpcError('UNREACHABLE', `an RPC endpoint is at block ${seat.head}, another one at ${best}`)
  }

  private inTime<T>(
    { timeoutMs = this.timeoutMs, signal, priority = 'quote' }: RequestOptions,
    work: (send: Send) => Promise<T>,
  ): Promise<T> {
    return withDeadline(timeoutMs, [this.closed.signal, signal], (signal) => work({ signal, priority }))
  }

  /** Every now and then, so that it shows when the endpoint in use has fallen behind those not in use. */
  private compareHeads(): void {
    if (this.seats.length === 1 || Date.now() - this.comparedAt < COMPARE_MS) return
    this.comparedAt = Date.now()
    for (const seat of this.seats.filter(({ ejected }) => !ejected)) {
      // Nobody waits for it, and the request that comes to this endpoint next meets the same failure.
      this.inTime({}, async (send) => {
        await seat.checkChain(send)
        return seat.latestBlock(send)
      }).catch(() => seat.eject())
    }
  }
}

type Outcome<T> = { readonly done: true; readonly result: T } | { readonly done: false; readonly error: RpcError }

/** What measuring the cap may have used of it. */
const CAP_TOLERANCE = 100_000n

function givesLess({ gasCap }: Capabilities, gas: bigint | undefined): boolean {
  return gas !== undefined && gasCap !== null && gas > gasCap + CAP_TOLERANCE
}

/** @throws RpcError `NO_OVERRIDES` when the node has no name for what should be overridden */
function blockOverridesParam(
  { coinbase, baseFeePerGas }: BlockOverrides,
  coinbaseField: CoinbaseField | null,
): Record<string, Hex> {
  if (!coinbaseField) throw new RpcError('NO_OVERRIDES', 'the node cannot override the block in eth_call')
  return {
    ...(coinbase !== undefined && { [coinbaseField]: toAddress(coinbase) }),
    ...(baseFeePerGas !== undefined && { baseFeePerGas: quantity(baseFeePerGas) }),
  }
}

/** @throws RpcError when a node answers with something else than the method's result */
function readable<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw new RpcError('UNREACHABLE', 'the node answered with something that cannot be read', '0x', { cause })
  }
}

function hexAnswer(answer: unknown): Hex {
  if (typeof answer === 'string' && /^0x[0-9a-fA-F]*$/.test(answer)) return answer as Hex
  throw new RpcError('UNREACHABLE', 'the node answered with something that is not hex')
}

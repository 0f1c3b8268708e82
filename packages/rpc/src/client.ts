/** One chain over one or more endpoints that fail, lag, lie and differ. How a request gets its answer is `race`'s. */
import { type Address, type Hex, toAddress } from '@sluice/chains'
import { span } from '@sluice/tracing'
import { Abort } from './abort.ts'
import type { EndpointCall, Send } from './calls.ts'
import type { Capabilities } from './capabilities.ts'
import type { Course, Task } from './course.ts'
import { blockParam, callParam, logFilterParam, overridesParam, quantity, type RawBlock } from './encode.ts'
import { Endpoint } from './endpoint.ts'
import { RpcError } from './errors.ts'
import { Heads, readable, readBlock } from './heads.ts'
import { HedgeBudget } from './hedges.ts'
import { Outage } from './outage.ts'
import { type AtBlock, pinned } from './pinned.ts'
import { type BackgroundBudget, Budgets } from './priority.ts'
import { race } from './race.ts'
import { hexAnswer, readLogs } from './results.ts'
import { readSimulation, simulationParam } from './simulate-v1.ts'
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
  RpcEvent,
  RpcHealth,
  SimulatedTransaction,
} from './types.ts'
import { Upstream } from './upstream.ts'

export type RpcOptions = {
  readonly chainId: number
  /** In order of preference: a later one is asked first where it answers more surely, or much sooner. */
  readonly urls: readonly string[]
  /** For one attempt at one endpoint, 5,000 by default; all attempts of a request together get twice that. */
  readonly timeoutMs?: number
  /** Time for which an endpoint that failed is passed over while another one works. */
  readonly ejectMs?: number
  /** Most HTTP requests under way at one endpoint. */
  readonly maxConcurrency?: number
  /** Allowances at all endpoints together, of background work and of searches of past logs. */
  readonly background?: BackgroundBudget
  readonly scan?: BackgroundBudget
  /** Told of every failure of an endpoint, by its place in `urls`: addresses may hold keys. */
  readonly onFailure?: (endpoint: number, error: RpcError) => void
  readonly onEvent?: (event: RpcEvent) => void
}

/** Between two comparisons of all endpoints' heads. */
const COMPARE_MS = 10_000
const LATEST: EndpointCall = ['eth_getBlockByNumber', ['latest', false]]

export function createRpc(options: RpcOptions): Rpc {
  return new ChainRpc(options)
}

class ChainRpc implements Rpc {
  readonly chainId: number
  private readonly timeoutMs: number
  private readonly upstreams: readonly Upstream[]
  private readonly heads: Heads
  private readonly course: Course
  private readonly outage: Outage
  private readonly closed = new Abort()
  private comparedAt = 0

  constructor(options: RpcOptions) {
    const { chainId, urls, timeoutMs = 5000, ejectMs = 10_000, maxConcurrency = 32, onFailure, onEvent } = options
    this.chainId = chainId
    this.timeoutMs = timeoutMs
    const { background, scan } = options
    const budgets = new Budgets({ ...(background && { background }), ...(scan && { scan }) })
    this.upstreams = urls.map((url, index) => {
      const endpoint = new Endpoint({
        ...{ url, maxConcurrency, budgets },
        ...(onEvent && { onEvent: (event) => onEvent({ ...event, endpoint: index }) }),
      })
      return new Upstream(index, endpoint, chainId, ejectMs)
    })
    this.heads = new Heads(this.upstreams)
    this.outage = new Outage(this.upstreams)
    this.course = {
      upstreams: this.upstreams,
      hedges: new HedgeBudget(),
      momentMs: () => this.heads.habit.momentMs,
      onFailure: ({ index }, error) => onFailure?.(index, error),
      onExtra: (kind, { index }) => onEvent?.({ kind, endpoint: index }),
    }
  }

  request<T>(method: string, params: readonly unknown[], options: RequestOptions = {}): Promise<T> {
    return this.run((upstream, send) => upstream.endpoint.request<T>(method, params, send), method, options)
  }

  async call(request: CallRequest, block: BlockRef, options: CallOptions = {}): Promise<Hex> {
    if (options.overrides || options.blockOverrides) return (await this.override(request, block, options, []))[0]
    return this.atBlock(block, (at) => ['eth_call', [callParam(request), at]], hexAnswer, options)
  }

  async callWithHead(request: CallRequest, block: BlockRef, options: CallOptions = {}): Promise<AnswerAtHead> {
    this.compareHeads()
    const [answer, head] = await this.override(request, block, options, [LATEST])
    return { answer, head: head! }
  }

  /** An eth_call at an endpoint that can do what it asks for. @param more - `LATEST`, where the head is wanted too */
  private override(
    request: CallRequest,
    block: BlockRef,
    { overrides = {}, blockOverrides, ...rest }: CallOptions,
    more: readonly EndpointCall[],
  ): Promise<readonly [Hex, BlockHeader?]> {
    let call = callParam(request)
    const state = overridesParam(overrides)
    let maxGas: bigint | undefined
    let ofBlock: readonly unknown[] = []
    const at: AtBlock = (ref) => ['eth_call', [call, ref, state, ...ofBlock]]
    const ask = pinned(this.heads, block, at, { alone: true, more })
    const task: Task<readonly [Hex, BlockHeader?]> = async (upstream, send) => {
      const able = await upstream.capabilities()
      if (!able.stateOverrides) throw new RpcError('NO_OVERRIDES', 'the node cannot override state in eth_call')
      if (maxGas === undefined) {
        if (givesLess(able, request.gas)) throw new RpcError('GAS_CAP', 'the node caps the gas of eth_call')
      } else call = callParam({ ...request, gas: least(maxGas, able.gasCap ?? maxGas) })
      ofBlock = blockOverrides ? blockOverridesParam(blockOverrides, able) : []
      const askedAt = Date.now()
      const [answer, raw] = await ask(upstream, send)
      // Code that was put in place answers something.
      if (
        answer === '0x' &&
        request.to &&
        overrides[request.to]?.code &&
        !(await upstream.doubtCapabilities(askedAt)).stateOverrides
      )
        throw new RpcError('NO_OVERRIDES', 'the node no longer overrides state in eth_call')
      return more.length === 0
        ? [hexAnswer(answer)]
        : [hexAnswer(answer), await this.heads.accept(upstream, raw as RawBlock, send)]
    }
    const kind = more.length > 0 ? 'eth_call at head' : 'eth_call with overrides'
    const withLess = (error: unknown): Promise<readonly [Hex, BlockHeader?]> => {
      if (!(error instanceof RpcError && error.code === 'GAS_CAP')) throw error
      // An endpoint that gives all the gas is taken where there is one; less than asked for often does as well.
      maxGas = maxGas === undefined ? (request.gas ?? DEFAULT_GAS) : maxGas / 2n
      if (maxGas < MIN_GAS) throw error
      return this.run(task, kind, rest).catch(withLess)
    }
    return this.run(task, kind, rest).catch(withLess)
  }

  simulateV1(
    calls: readonly CallRequest[],
    block: BlockRef,
    { overrides = {}, blockOverrides = {}, ...options }: CallOptions = {},
  ): Promise<readonly SimulatedTransaction[]> {
    const simulation = simulationParam(calls, overrides, blockOverrides)
    return this.atBlock(block, (at) => ['eth_simulateV1', [simulation, at]], readSimulation, options)
  }

  async getBlock(block: BlockRef, options: RequestOptions = {}): Promise<BlockHeader | null> {
    if (block === 'latest') return this.latestBlock(options)
    const [method, ref] =
      typeof block === 'object' ? ['eth_getBlockByHash', block.blockHash] : ['eth_getBlockByNumber', blockParam(block)]
    let asked = 0
    return this.run(
      async (upstream, send) => {
        const raw = await upstream.endpoint.request<RawBlock | null>(method, [ref, false], send)
        if (raw) return this.heads.know(readBlock(raw))
        // A node that lags says the same of a block as one that knows of none; twice is believed.
        if (asked++ === 0) throw new RpcError('LAGGING', 'the node lacks the block')
        return null
      },
      method,
      options,
    )
  }

  getLogs(filter: LogFilter, options: RequestOptions = {}): Promise<readonly Log[]> {
    if (!('blockHash' in filter))
      return this.run(
        async (upstream, send) =>
          readLogs(await upstream.endpoint.request('eth_getLogs', [logFilterParam(filter)], send)),
        'eth_getLogs',
        options,
      )
    const { blockHash, ...rest } = filter
    const at: AtBlock = (ref) => [
      'eth_getLogs',
      [logFilterParam(typeof ref === 'object' ? filter : { ...rest, fromBlock: Number(ref), toBlock: Number(ref) })],
    ]
    const read = async (raw: unknown) => {
      const logs = await readLogs(raw)
      if (logs.some((log) => log.blockHash !== blockHash))
        throw new RpcError('BAD_ANSWER', 'the node answered with logs of another block')
      return logs
    }
    return this.atBlock({ blockHash }, at, read, options)
  }

  getCode(address: Address, block: BlockRef, options: RequestOptions = {}): Promise<Hex> {
    return this.atBlock(block, (at) => ['eth_getCode', [address, at]], hexAnswer, options)
  }

  gasPrice(options: RequestOptions = {}): Promise<bigint> {
    return this.amount('eth_gasPrice', options).catch(async (error: unknown) => {
      if (!isMissing(error)) throw error
      const [{ baseFeePerGas }, tip] = await Promise.all([
        this.latestBlock(options),
        this.amount('eth_maxPriorityFeePerGas', options).catch((error: unknown) => {
          if (!isMissing(error)) throw error
          return null
        }),
      ])
      if (baseFeePerGas === null) throw error
      // A block's base fee is at most an eighth above the one before.
      return baseFeePerGas + (tip ?? baseFeePerGas / 8n)
    })
  }

  private amount(method: string, options: RequestOptions): Promise<bigint> {
    return this.run(
      async (upstream, send) => {
        const raw = await upstream.endpoint.request<Hex>(method, [], send)
        return readable(() => BigInt(raw))
      },
      method,
      options,
    )
  }

  health(): RpcHealth {
    const { newest, habit } = this.heads
    return {
      head: newest ? { number: newest.number, timestamp: newest.timestamp } : null,
      clock: habit.clock,
      endpoints: this.upstreams.map(({ endpoint, standing, head }) => ({
        successRate: standing.successRate,
        ejected: standing.ejected,
        head: head < 0 ? null : head,
        queued: endpoint.queued,
        callsPerSecond: endpoint.limits.rate,
        batchSize: endpoint.limits.batch,
      })),
    }
  }

  close(): void {
    this.closed.abort()
    for (const { endpoint } of this.upstreams) endpoint.close()
  }

  private run<T>(task: Task<T>, kind: string, options: RequestOptions): Promise<T> {
    if (this.outage.isOpen) return this.outage.end().then(() => this.raced(task, kind, options))
    return this.raced(task, kind, options)
  }

  private raced<T>(task: Task<T>, kind: string, options: RequestOptions): Promise<T> {
    const { signal, timeoutMs, priority = 'quote' } = options
    const attemptMs = timeoutMs ?? this.timeoutMs
    const totalMs = timeoutMs ?? 2 * this.timeoutMs
    const work = { kind, priority, attemptMs, totalMs, signals: [this.closed, signal] }
    return span(
      `node ${kind}`,
      () => race(this.course, task, work),
      { 'sluice.chain_id': this.chainId, priority },
      'client',
    )
  }

  private atBlock<T>(
    block: BlockRef,
    call: AtBlock,
    read: (raw: unknown) => T | Promise<T>,
    options: RequestOptions,
  ): Promise<T> {
    const ask = pinned(this.heads, block, call)
    const [kind] = call('latest')
    return this.run(async (upstream, send) => read((await ask(upstream, send))[0]), kind, options)
  }

  /** An endpoint that has fallen behind another one is passed over until it may have caught up. */
  private latestBlock(options: RequestOptions): Promise<BlockHeader> {
    this.compareHeads()
    return this.run((upstream, send) => this.headOf(upstream, send), 'latest', options)
  }

  private async headOf(upstream: Upstream, send: Send): Promise<BlockHeader> {
    return this.heads.accept(upstream, await upstream.endpoint.request<RawBlock>(...LATEST, send), send)
  }

  /** Every now and then, so that it shows when the endpoint in use has fallen behind those not in use. */
  private compareHeads(): void {
    if (this.upstreams.length === 1 || this.outage.isOpen || Date.now() - this.comparedAt < COMPARE_MS) return
    this.comparedAt = Date.now()
    for (const upstream of this.upstreams.filter(({ ejected }) => !ejected)) {
      // Nobody waits for it.
      const course = { ...this.course, upstreams: [upstream] }
      const work = {
        kind: 'latest',
        priority: 'background',
        attemptMs: this.timeoutMs,
        totalMs: this.timeoutMs,
      } as const
      race(course, (_, send) => this.headOf(upstream, send), { ...work, signals: [this.closed] }).catch(() => {})
    }
  }
}

/** Gas of a call that names none, and the least that is tried at a node that refuses more. */
const DEFAULT_GAS = 50_000_000n
const MIN_GAS = 2_000_000n
/** Gas of the cap that measuring it may have used. */
const CAP_TOLERANCE = 100_000n

function givesLess({ gasCap }: Capabilities, gas: bigint | undefined): boolean {
  return gas !== undefined && gasCap !== null && gas > gasCap + CAP_TOLERANCE
}

/** True where the endpoints do not have a method. */
function isMissing(error: unknown): boolean {
  return error instanceof RpcError && error.isRefusal
}

function least(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

/**
 * The last parameter of an eth_call; none where nothing is left of it.
 *
 * @throws RpcError `NO_OVERRIDES` when the node has no name for an override that must not be left out
 */
function blockOverridesParam(
  { coinbase, baseFeePerGas, number, timestamp }: BlockOverrides,
  { coinbaseField, blockTime }: Capabilities,
): readonly Record<string, Hex>[] {
  const isLater = timestamp !== undefined && blockTime
  const baseFee = timestamp === undefined || blockTime ? baseFeePerGas : undefined
  if ((coinbase !== undefined || (baseFee !== undefined && !isLater)) && !coinbaseField)
    throw new RpcError('NO_OVERRIDES', 'the node cannot override the block in eth_call')
  const param = {
    ...(coinbase !== undefined && { [coinbaseField!]: toAddress(coinbase) }),
    ...(baseFee !== undefined && { baseFeePerGas: quantity(baseFee) }),
    ...(isLater && { time: quantity(timestamp), ...(number !== undefined && { number: quantity(number) }) }),
  }
  return Object.keys(param).length > 0 ? [param] : []
}

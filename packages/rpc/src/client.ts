/**
 * Creates the JSON-RPC client of a chain. The client builds each request and reads its answer; `race` decides which
 * endpoints of the chain the request is sent to. An endpoint is one URL; an upstream is an endpoint with its health.
 */
import { type Address, type Hex, toAddress } from '@sluice/chains'
import { span } from '@sluice/tracing'
import { Abort } from './abort.ts'
import type { EndpointCall, SendContext } from './calls.ts'
import type { Capabilities } from './capabilities.ts'
import { blockParam, callParam, logFilterParam, NO_HASH, overridesParam, quantity, type RawBlock } from './encode.ts'
import { Endpoint } from './endpoint.ts'
import { RpcError } from './errors.ts'
import { Heads, readBlock } from './heads.ts'
import { HedgeBudget } from './hedges.ts'
import { monotonicMs } from './monotonic-clock.ts'
import { Outage } from './outage.ts'
import { type BuildCall, pinToBlock } from './pinned-rpc.ts'
import { type BackgroundBudget, Budgets } from './priority.ts'
import { race } from './race.ts'
import type { EndpointOperation, RaceContext } from './race-context.ts'
import { hexAnswer, orBadAnswer, readLogs } from './results.ts'
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

/** Options of a client. */
export type RpcOptions = {
  readonly chainId: number
  /** Endpoint URLs in order of preference. A later endpoint is used first if it is more reliable or much faster. */
  readonly urls: readonly string[]
  /** Timeout of one attempt in milliseconds; default 5,000. All attempts of a request together get twice as long. */
  readonly timeoutMs?: number
  /** Milliseconds for which a failed endpoint is skipped while another one works; default 10,000. */
  readonly ejectMs?: number
  /** Maximum concurrent HTTP requests per endpoint; default 32. */
  readonly maxConcurrency?: number
  /** Rate limit of background work, over all endpoints together. */
  readonly background?: BackgroundBudget
  /** Rate limit of scans of past logs, over all endpoints together. */
  readonly scan?: BackgroundBudget
  /**
   * Called after each failure of an endpoint. Gets the index in `urls` and not the URL, which may contain an API key.
   */
  readonly onFailure?: (endpoint: number, error: RpcError) => void
  readonly onEvent?: (event: RpcEvent) => void
}

/** Milliseconds between two comparisons of the heads of all endpoints. */
const COMPARE_MS = 10_000
/** Call that reads the newest block. */
const LATEST: EndpointCall = ['eth_getBlockByNumber', ['latest', false]]

/**
 * Creates the RPC client of one chain. Sends nothing until the first request.
 *
 * @example
 * const rpc = createRpc({ chainId: 1, urls: ['https://one.example', 'https://two.example'] })
 * const header = await rpc.getBlock('latest')
 */
export function createRpc(options: RpcOptions): Rpc {
  return new ChainRpc(options)
}

class ChainRpc implements Rpc {
  readonly chainId: number
  private readonly timeoutMs: number
  private readonly upstreams: readonly Upstream[]
  private readonly heads: Heads
  private readonly context: RaceContext
  private readonly outage: Outage
  private readonly closeAbort = new Abort()
  private headsComparedAt = Number.NEGATIVE_INFINITY

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
    this.context = {
      upstreams: this.upstreams,
      hedgeBudget: new HedgeBudget(),
      catchUpMs: () => this.heads.cadence.catchUpMs,
      onFailure: ({ index }, error) => onFailure?.(index, error),
      onExtraRequest: (kind, { index }) => onEvent?.({ kind, endpoint: index }),
    }
  }

  request<T>(method: string, params: readonly unknown[], options: RequestOptions = {}): Promise<T> {
    return this.run(
      (upstream, sendContext) => upstream.endpoint.request<T>(method, params, sendContext),
      method,
      options,
    )
  }

  async call(request: CallRequest, block: BlockRef, options: CallOptions = {}): Promise<Hex> {
    if (options.overrides || options.blockOverrides)
      return (await this.callWithOverrides(request, block, options, []))[0]
    return this.runAtBlock(block, (atBlock) => ['eth_call', [callParam(request), atBlock]], hexAnswer, options)
  }

  async callWithHead(request: CallRequest, block: BlockRef, options: CallOptions = {}): Promise<AnswerAtHead> {
    this.compareHeads()
    const [answer, head] = await this.callWithOverrides(request, block, options, [LATEST])
    return { answer, head: head! }
  }

  /**
   * Runs an eth_call with overrides, at an endpoint that supports them.
   *
   * @param extraCalls - `[LATEST]` to read the head in the same HTTP request; otherwise empty
   */
  private callWithOverrides(
    request: CallRequest,
    block: BlockRef,
    { overrides = {}, blockOverrides, ...callOptions }: CallOptions,
    extraCalls: readonly EndpointCall[],
  ): Promise<readonly [Hex, BlockHeader?]> {
    const stateOverridesParam = overridesParam(overrides)
    let retryGas: bigint | undefined
    const runPinned = pinToBlock(this.heads, block, { needsOwnBody: true, extraCalls })
    const operation: EndpointOperation<readonly [Hex, BlockHeader?]> = async (upstream, sendContext) => {
      const capabilities = await upstream.capabilities()
      if (!capabilities.canOverrideState)
        throw new RpcError('NO_OVERRIDES', 'the node cannot override state in eth_call')
      if (retryGas === undefined && isGasAboveCap(capabilities, request.gas))
        throw new RpcError('GAS_CAP', 'the node caps the gas of eth_call')
      const gas = retryGas === undefined ? request.gas : minOf(retryGas, capabilities.gasCap ?? retryGas)
      const call = callParam({ ...request, ...(gas !== undefined && { gas }) })
      const blockOverridesParams = blockOverrides ? blockOverridesParam(blockOverrides, capabilities) : []
      const sentAtMs = monotonicMs()
      const [answer, raw] = await runPinned(upstream, sendContext, (ref) => [
        'eth_call',
        [call, ref, stateOverridesParam, ...blockOverridesParams],
      ])
      // Overridden code returns data, so an empty result may mean that the node ignored the overrides.
      if (
        answer === '0x' &&
        request.to &&
        overrides[request.to]?.code &&
        !(await upstream.recheckCapabilities(sentAtMs)).canOverrideState
      )
        throw new RpcError('NO_OVERRIDES', 'the node no longer overrides state in eth_call')
      return extraCalls.length === 0
        ? [hexAnswer(answer)]
        : [hexAnswer(answer), await this.heads.accept(upstream, raw as RawBlock, sendContext)]
    }
    const kind = extraCalls.length > 0 ? 'eth_call at head' : 'eth_call with overrides'
    const retryWithLessGas = (error: unknown): Promise<readonly [Hex, BlockHeader?]> => {
      if (!(error instanceof RpcError && error.code === 'GAS_CAP')) throw error
      // No endpoint gives the requested gas. Retry with less gas, which often suffices.
      retryGas = retryGas === undefined ? (request.gas ?? FIRST_RETRY_GAS) : retryGas / 2n
      if (retryGas < MIN_RETRY_GAS) throw error
      return this.run(operation, kind, callOptions).catch(retryWithLessGas)
    }
    return this.run(operation, kind, callOptions).catch(retryWithLessGas)
  }

  simulateV1(
    calls: readonly CallRequest[],
    block: BlockRef,
    { overrides = {}, blockOverrides = {}, ...options }: CallOptions = {},
  ): Promise<readonly SimulatedTransaction[]> {
    const simulation = simulationParam(calls, overrides, blockOverrides)
    return this.runAtBlock(block, (atBlock) => ['eth_simulateV1', [simulation, atBlock]], readSimulation, options)
  }

  async getBlock(block: BlockRef, options: RequestOptions = {}): Promise<BlockHeader | null> {
    if (block === 'latest') return this.getLatestBlock(options)
    const [method, ref] =
      typeof block === 'object' ? ['eth_getBlockByHash', block.blockHash] : ['eth_getBlockByNumber', blockParam(block)]
    let misses = 0
    return this.run(
      async (upstream, sendContext) => {
        const raw = await upstream.endpoint.request<RawBlock | null>(method, [ref, false], sendContext)
        if (raw) {
          // Geth gives a pending block no hash.
          const header = readBlock(block === 'pending' ? { ...raw, hash: raw.hash ?? NO_HASH } : raw)
          return header.hash === NO_HASH ? header : this.heads.remember(header)
        }
        // The first null may come from a node that lags; a second one means that the block does not exist.
        if (misses++ === 0) throw new RpcError('LAGGING', 'the node lacks the block')
        return null
      },
      method,
      options,
    )
  }

  getLogs(filter: LogFilter, options: RequestOptions = {}): Promise<readonly Log[]> {
    if (!('blockHash' in filter))
      return this.run(
        async (upstream, sendContext) =>
          readLogs(await upstream.endpoint.request('eth_getLogs', [logFilterParam(filter)], sendContext)),
        'eth_getLogs',
        options,
      )
    const { blockHash, ...filterFields } = filter
    const buildCall: BuildCall = (ref) => [
      'eth_getLogs',
      [
        logFilterParam(
          typeof ref === 'object' ? filter : { ...filterFields, fromBlock: Number(ref), toBlock: Number(ref) },
        ),
      ],
    ]
    let nullCount = 0
    const read = async (raw: unknown) => {
      // The first null may come from a failing node; a second one means that there are no logs.
      if (raw === null && nullCount++ === 0) throw new RpcError('LAGGING', 'eth_getLogs: the answer is null')
      const logs = await readLogs(raw ?? [])
      if (logs.some((log) => log.blockHash !== blockHash))
        throw new RpcError('BAD_ANSWER', 'the node answered with logs of another block')
      return logs
    }
    return this.runAtBlock({ blockHash }, buildCall, read, options)
  }

  getCode(address: Address, block: BlockRef, options: RequestOptions = {}): Promise<Hex> {
    return this.runAtBlock(block, (atBlock) => ['eth_getCode', [address, atBlock]], hexAnswer, options)
  }

  gasPrice(options: RequestOptions = {}): Promise<bigint> {
    return this.readQuantity('eth_gasPrice', options).catch(async (error: unknown) => {
      if (!isPriceMissing(error)) throw error
      const [{ baseFeePerGas }, tip] = await Promise.all([
        this.getLatestBlock(options),
        this.readQuantity('eth_maxPriorityFeePerGas', options).catch((error: unknown) => {
          if (!isPriceMissing(error)) throw error
          return null
        }),
      ])
      if (baseFeePerGas === null) throw error
      // Without a tip, add 1/8: the base fee of the next block is at most that much higher.
      return baseFeePerGas + (tip ?? baseFeePerGas / 8n)
    })
  }

  private readQuantity(method: string, options: RequestOptions): Promise<bigint> {
    const misreadUpstreams = new Set<Upstream>()
    return this.run(
      async (upstream, sendContext) => {
        try {
          const raw = await upstream.endpoint.request<Hex>(method, [], sendContext)
          return orBadAnswer(() => BigInt(raw))
        } catch (error) {
          if (!(error instanceof RpcError && error.code === 'BAD_ANSWER')) throw error
          // The first null may come from a failing node; a second one means that the node does not support the method.
          if (misreadUpstreams.has(upstream)) throw new RpcError('UNSUPPORTED', error.message)
          misreadUpstreams.add(upstream)
          throw error
        }
      },
      method,
      options,
    )
  }

  health(): RpcHealth {
    const { newest, cadence } = this.heads
    return {
      head: newest ? { number: newest.number, timestamp: newest.timestamp } : null,
      clock: cadence.clock,
      endpoints: this.upstreams.map(({ endpoint, health, head, isEjected }) => ({
        successRate: health.successRate,
        ejected: isEjected,
        head: head < 0 ? null : head,
        queued: endpoint.queuedCount,
        callsPerSecond: endpoint.limits.rate,
        batchSize: endpoint.limits.maxBatch,
      })),
    }
  }

  close(): void {
    this.closeAbort.abort()
    for (const { endpoint } of this.upstreams) endpoint.close()
  }

  private run<T>(operation: EndpointOperation<T>, kind: string, options: RequestOptions): Promise<T> {
    if (this.outage.isOpen) return this.outage.waitForRecovery().then(() => this.startRace(operation, kind, options))
    return this.startRace(operation, kind, options)
  }

  private startRace<T>(operation: EndpointOperation<T>, kind: string, options: RequestOptions): Promise<T> {
    const { signal, timeoutMs, priority = 'quote' } = options
    const attemptTimeoutMs = timeoutMs ?? this.timeoutMs
    const requestTimeoutMs = timeoutMs ?? 2 * this.timeoutMs
    const raceOptions = { kind, priority, attemptTimeoutMs, requestTimeoutMs, signals: [this.closeAbort, signal] }
    return span(
      `node ${kind}`,
      () => race(this.context, operation, raceOptions),
      { 'sluice.chain_id': this.chainId, priority },
      'client',
    )
  }

  private runAtBlock<T>(
    block: BlockRef,
    buildCall: BuildCall,
    read: (raw: unknown) => T | Promise<T>,
    options: RequestOptions,
  ): Promise<T> {
    const runPinned = pinToBlock(this.heads, block)
    const [kind] = buildCall('latest')
    return this.run(
      async (upstream, sendContext) => read((await runPinned(upstream, sendContext, buildCall))[0]),
      kind,
      options,
    )
  }

  /** Reads the newest block. `Heads` ejects an endpoint that lags behind another endpoint. */
  private getLatestBlock(options: RequestOptions): Promise<BlockHeader> {
    this.compareHeads()
    return this.run((upstream, sendContext) => this.headOf(upstream, sendContext), 'latest', options)
  }

  private async headOf(upstream: Upstream, sendContext: SendContext): Promise<BlockHeader> {
    return this.heads.accept(upstream, await upstream.endpoint.request<RawBlock>(...LATEST, sendContext), sendContext)
  }

  /** Reads the heads of all endpoints, at most every `COMPARE_MS`, to notice when the endpoint in use lags. */
  private compareHeads(): void {
    if (this.upstreams.length === 1 || this.outage.isOpen || monotonicMs() - this.headsComparedAt < COMPARE_MS) return
    this.headsComparedAt = monotonicMs()
    for (const upstream of this.upstreams.filter(({ isEjected }) => !isEjected)) {
      const context = { ...this.context, upstreams: [upstream] }
      const raceOptions = {
        kind: 'latest',
        priority: 'background',
        attemptTimeoutMs: this.timeoutMs,
        requestTimeoutMs: this.timeoutMs,
      } as const
      race(context, (_, sendContext) => this.headOf(upstream, sendContext), {
        ...raceOptions,
        signals: [this.closeAbort],
      }).catch(() => {})
    }
  }
}

/** Gas limit of the first retry at nodes that cap gas, for a call without a gas limit. */
const FIRST_RETRY_GAS = 50_000_000n
/** Lowest gas limit that is tried at nodes that cap gas. */
const MIN_RETRY_GAS = 2_000_000n
/** Maximum gas by which a node's real cap may exceed the measured cap, because the measurement itself uses gas. */
const CAP_TOLERANCE = 100_000n

function isGasAboveCap({ gasCap }: Capabilities, gas: bigint | undefined): boolean {
  return gas !== undefined && gasCap !== null && gas > gasCap + CAP_TOLERANCE
}

/**
 * Returns true if the error means that no endpoint reports the requested price. A request without parameters is refused
 * only if the method is missing. Instead, an endpoint may answer with something that is not a number, such as null.
 */
function isPriceMissing(error: unknown): boolean {
  return error instanceof RpcError && (error.isRefusal || error.code === 'BAD_ANSWER')
}

function minOf(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

/**
 * Returns the block-override parameter of eth_call in an array, or an empty array if nothing is overridden. If the node
 * cannot override the time, drops the time, the block number, and the base fee that belong to it.
 *
 * @throws RpcError `NO_OVERRIDES` if the node cannot override the coinbase, or the base fee of the current block
 */
function blockOverridesParam(
  { coinbase, baseFeePerGas, number, timestamp }: BlockOverrides,
  { coinbaseField, canOverrideTime }: Capabilities,
): readonly Record<string, Hex>[] {
  const overridesTime = timestamp !== undefined && canOverrideTime
  const baseFee = timestamp === undefined || canOverrideTime ? baseFeePerGas : undefined
  if ((coinbase !== undefined || (baseFee !== undefined && !overridesTime)) && !coinbaseField)
    throw new RpcError('NO_OVERRIDES', 'the node cannot override the block in eth_call')
  const param = {
    ...(coinbase !== undefined && { [coinbaseField!]: toAddress(coinbase) }),
    ...(baseFee !== undefined && { baseFeePerGas: quantity(baseFee) }),
    ...(overridesTime && { time: quantity(timestamp), ...(number !== undefined && { number: quantity(number) }) }),
  }
  return Object.keys(param).length > 0 ? [param] : []
}

/**
 * Imitates public RPC providers for tests. A `NodeProxy` in front of a node applies a provider's limits on block ranges
 * of logs, on calls per second, and on batches, and returns the provider's own error responses. The file
 * packages/rpc/test/fixtures/provider-messages.tsv has these responses with their sources.
 */
import type { FaultInjector, Interceptor, NodeProxy, RpcCall } from './node-proxy.ts'

/** An imitated RPC provider. */
export type Provider = {
  readonly name: string
  /** Pattern of our error if this provider makes a scan of past logs impossible; absent if a scan can finish. */
  readonly scanErrorPattern?: RegExp
  readonly injectFault?: FaultInjector
  readonly intercept?: Interceptor
}

type RpcError = { readonly code: number; readonly message: string; readonly data?: unknown }
type BlockRange = { readonly from: number; readonly to: number; readonly blocks: number }

const hex = (number: number) => `0x${number.toString(16)}`
const errorBody = (error: RpcError) => JSON.stringify({ jsonrpc: '2.0', id: null, error })

function rangeOf({ method, params }: RpcCall): BlockRange | undefined {
  const filter = params[0] as { fromBlock?: string; toBlock?: string } | undefined
  if (method !== 'eth_getLogs' || filter?.fromBlock === undefined) return undefined
  const [from, to] = [Number(filter.fromBlock), Number(filter.toBlock)]
  return { from, to, blocks: to - from + 1 }
}

/** Rejects each log query over more than `maxBlocks` blocks with a JSON-RPC error. The HTTP status is 200. */
function limitRange(maxBlocks: number, errorFor: (range: BlockRange) => RpcError): Interceptor {
  return (call) => {
    const range = rangeOf(call)
    return range && range.blocks > maxBlocks ? { error: errorFor(range) } : undefined
  }
}

/** Like `limitRange`, but rejects the whole HTTP request with an HTTP status. */
function limitRangeWithStatus(
  maxBlocks: number,
  status: number,
  errorFor: (range: BlockRange) => RpcError,
): FaultInjector {
  return (calls) => {
    const range = calls.map(rangeOf).find((range) => range && range.blocks > maxBlocks)
    return range && { status, body: errorBody(errorFor(range)) }
  }
}

/** Combines injectors. The fault of the first injector that returns a fault applies. */
function firstFaultOf(...injectors: readonly (FaultInjector | undefined)[]): FaultInjector {
  return (...args) => {
    for (const inject of injectors) {
      const fault = inject?.(...args)
      if (fault) return fault
    }
    return undefined
  }
}

/** Rejects requests beyond `perSecond` calls per second (a token bucket with a capacity of one second's calls). */
function limitRate(perSecond: number, fault: ReturnType<FaultInjector>): FaultInjector {
  let availableCalls = perSecond
  let updatedAtMs = Date.now()
  return (calls) => {
    availableCalls = Math.min(perSecond, availableCalls + (perSecond * (Date.now() - updatedAtMs)) / 1_000)
    updatedAtMs = Date.now()
    if (availableCalls < calls.length) return fault
    availableCalls -= calls.length
    return undefined
  }
}

const status429 = (error: RpcError, headers: Readonly<Record<string, string>> = {}): ReturnType<FaultInjector> => ({
  status: 429,
  body: errorBody(error),
  headers,
})

/** First block whose logs the imitated node without old history keeps. */
const FIRST_KEPT_BLOCK = 20

/** Returns the imitated providers. */
export function providers(): readonly Provider[] {
  return [...rateLimitedProviders(), ...rangeLimitedProviders()]
}

/** Returns the providers that limit both calls per second and block ranges. */
function rateLimitedProviders(): readonly Provider[] {
  return [
    {
      name: 'Alchemy, free',
      injectFault: firstFaultOf(
        limitRate(
          25,
          status429({
            code: 429,
            message:
              'Your app has exceeded its compute units per second capacity. If you have retries enabled, you can safely ignore this message.',
          }),
        ),
        limitRangeWithStatus(10, 400, ({ from }) => ({
          code: -32600,
          message: `Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Based on your parameters, this block range should work: [${hex(from)}, ${hex(from + 9)}]`,
        })),
      ),
    },
    {
      name: 'QuickNode, free',
      injectFault: firstFaultOf(
        limitRate(15, {
          status: 200,
          body: errorBody({
            code: -32007,
            message:
              '15/second request limit reached - reduce calls per second or upgrade your account at quicknode.com',
          }),
        }),
        limitRangeWithStatus(5, 413, () => ({ code: -32614, message: 'eth_getLogs is limited to a 5 range' })),
      ),
    },
    {
      name: '1RPC',
      injectFault: limitRate(20, status429({ code: -32029, message: 'Too many requests' }, { 'retry-after': '1' })),
      intercept: limitRange(30, () => ({ code: -32000, message: 'eth_getLogs is limited to a 30 blocks range' })),
    },
  ]
}

function rangeLimitedProviders(): readonly Provider[] {
  return [
    {
      name: 'Infura, free',
      intercept: limitRange(60, ({ from, to }) => ({
        code: -32005,
        message: `query returned more than 10000 results. Try with this block range [${hex(from)}, ${hex(from + 59)}].`,
        data: { from: hex(from), limit: 10_000, to: hex(Math.min(to, from + 59)) },
      })),
    },
    {
      name: 'Infura, by results',
      intercept: limitRange(40, () => ({ code: -32005, message: 'query returned more than 10000 results' })),
    },
    {
      name: 'Chainstack, developer',
      intercept: limitRange(100, () => ({ code: -32602, message: 'Block range limit exceeded.' })),
    },
    {
      name: 'Ankr',
      intercept: limitRange(50, () => ({ code: -32600, message: 'block range is too wide' })),
    },
    {
      name: 'dRPC, free',
      injectFault: (calls) =>
        calls.length > 3
          ? {
              status: 500,
              body: errorBody({ code: 31, message: 'Batch of more than 3 requests are not allowed on free tier' }),
            }
          : undefined,
      intercept: limitRange(80, () => ({ code: 35, message: 'ranges over 80 blocks are not supported on freetier' })),
    },
    {
      name: 'PublicNode',
      intercept: limitRange(90, () => ({ code: -32701, message: 'exceed maximum block range: 90' })),
    },
    {
      name: 'LlamaRPC',
      intercept: limitRange(70, ({ from }) => ({
        code: -32602,
        message: `query exceeds max results 20000, retry with the range ${from}-${from + 69}`,
      })),
    },
    {
      name: 'Tenderly',
      intercept: limitRange(20, ({ blocks }) => ({
        code: -32602,
        message: 'invalid params',
        data: { payload: `range ${blocks} is bigger than range limit 20` },
      })),
    },
    {
      name: 'Base, public',
      intercept: limitRange(64, () => ({ code: -32011, message: 'block range too large' })),
    },
    {
      name: 'BSC dataseed',
      scanErrorPattern: /refuses logs of even one block/,
      intercept: (call) => (rangeOf(call) ? { error: { code: -32005, message: 'limit exceeded' } } : undefined),
    },
    {
      name: 'a node without old history',
      scanErrorPattern: /does not keep logs that are so old/,
      intercept: (call) => {
        const range = rangeOf(call)
        return range && range.from < FIRST_KEPT_BLOCK
          ? {
              error: {
                code: 4444,
                message: `pruned history unavailable: requested ${range.from}, earliest available ${FIRST_KEPT_BLOCK}`,
              },
            }
          : undefined
      },
    },
  ]
}

/** Makes a proxy imitate a provider. */
export function setProvider(proxy: NodeProxy, { injectFault, intercept }: Provider): void {
  proxy.injectFault = injectFault ?? (() => undefined)
  proxy.intercept = intercept ?? (() => undefined)
}

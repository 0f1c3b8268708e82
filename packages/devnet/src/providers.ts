/**
 * Imitations of RPC providers in front of a real node: their limits on logs, calls per second, batches, and bodies, and
 * their error responses. The responses and their sources are in packages/rpc/test/fixtures/provider-messages.tsv.
 */
import type { Fault, Interceptor, NodeProxy, RpcCall } from './node-proxy.ts'

/** An imitated RPC provider. */
export type Provider = {
  readonly name: string
  /** Reason why a scan of past logs cannot finish; absent if it can. */
  readonly failsWith?: RegExp
  readonly fault?: Fault
  readonly answer?: Interceptor
}

type Refusal = { readonly code: number; readonly message: string; readonly data?: unknown }
type Range = { readonly from: number; readonly to: number; readonly blocks: number }

const hex = (number: number) => `0x${number.toString(16)}`
const body = (error: Refusal) => JSON.stringify({ jsonrpc: '2.0', id: null, error })

function rangeOf({ method, params }: RpcCall): Range | undefined {
  const filter = params[0] as { fromBlock?: string; toBlock?: string } | undefined
  if (method !== 'eth_getLogs' || filter?.fromBlock === undefined) return undefined
  const [from, to] = [Number(filter.fromBlock), Number(filter.toBlock)]
  return { from, to, blocks: to - from + 1 }
}

/** Rejects log queries over more than `blocks` blocks. */
function maxRange(blocks: number, refusal: (range: Range) => Refusal): Interceptor {
  return (call) => {
    const range = rangeOf(call)
    return range && range.blocks > blocks ? { error: refusal(range) } : undefined
  }
}

/** Like `maxRange`, but with an HTTP status other than 200. */
function maxRangeByStatus(blocks: number, status: number, refusal: (range: Range) => Refusal): Fault {
  return (calls) => {
    const range = calls.map(rangeOf).find((range) => range && range.blocks > blocks)
    return range && { status, body: body(refusal(range)) }
  }
}

/** Returns the first fault that applies. */
function firstOf(...faults: readonly (Fault | undefined)[]): Fault {
  return (...args) => {
    for (const fault of faults) {
      const refusal = fault?.(...args)
      if (refusal) return refusal
    }
    return undefined
  }
}

/** Allows `perSecond` calls per second, with a burst of one second's calls, and rejects the others. */
function limitRate(perSecond: number, refusal: ReturnType<Fault>): Fault {
  let level = perSecond
  let nextAt = Date.now()
  return (calls) => {
    level = Math.min(perSecond, level + (perSecond * (Date.now() - nextAt)) / 1_000)
    nextAt = Date.now()
    if (level < calls.length) return refusal
    level -= calls.length
    return undefined
  }
}

const tooMany = (error: Refusal, headers: Readonly<Record<string, string>> = {}): ReturnType<Fault> => ({
  status: 429,
  body: body(error),
  headers,
})

/**
 * Returns the imitated providers.
 *
 * @param firstBlock - first block whose logs a node without history keeps
 */
export function providers(firstBlock = 20): readonly Provider[] {
  return [...rateLimited(), ...rangeLimited(firstBlock)]
}

/** Returns free tiers that also limit requests per second. */
function rateLimited(): readonly Provider[] {
  return [
    {
      name: 'Alchemy, free',
      fault: firstOf(
        limitRate(
          25,
          tooMany({
            code: 429,
            message:
              'Your app has exceeded its compute units per second capacity. If you have retries enabled, you can safely ignore this message.',
          }),
        ),
        maxRangeByStatus(10, 400, ({ from }) => ({
          code: -32600,
          message: `Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Based on your parameters, this block range should work: [${hex(from)}, ${hex(from + 9)}]`,
        })),
      ),
    },
    {
      name: 'QuickNode, free',
      fault: firstOf(
        limitRate(15, {
          status: 200,
          body: body({
            code: -32007,
            message:
              '15/second request limit reached - reduce calls per second or upgrade your account at quicknode.com',
          }),
        }),
        maxRangeByStatus(5, 413, () => ({ code: -32614, message: 'eth_getLogs is limited to a 5 range' })),
      ),
    },
    {
      name: '1RPC',
      fault: limitRate(20, tooMany({ code: -32029, message: 'Too many requests' }, { 'retry-after': '1' })),
      answer: maxRange(30, () => ({ code: -32000, message: 'eth_getLogs is limited to a 30 blocks range' })),
    },
  ]
}

function rangeLimited(firstBlock: number): readonly Provider[] {
  return [
    {
      name: 'Infura, free',
      answer: maxRange(60, ({ from, to }) => ({
        code: -32005,
        message: `query returned more than 10000 results. Try with this block range [${hex(from)}, ${hex(from + 59)}].`,
        data: { from: hex(from), limit: 10_000, to: hex(Math.min(to, from + 59)) },
      })),
    },
    {
      name: 'Infura, by results',
      answer: maxRange(40, () => ({ code: -32005, message: 'query returned more than 10000 results' })),
    },
    {
      name: 'Chainstack, developer',
      answer: maxRange(100, () => ({ code: -32602, message: 'Block range limit exceeded.' })),
    },
    {
      name: 'Ankr',
      answer: maxRange(50, () => ({ code: -32600, message: 'block range is too wide' })),
    },
    {
      name: 'dRPC, free',
      fault: (calls) =>
        calls.length > 3
          ? {
              status: 500,
              body: body({ code: 31, message: 'Batch of more than 3 requests are not allowed on free tier' }),
            }
          : undefined,
      answer: maxRange(80, () => ({ code: 35, message: 'ranges over 80 blocks are not supported on freetier' })),
    },
    {
      name: 'PublicNode',
      answer: maxRange(90, () => ({ code: -32701, message: 'exceed maximum block range: 90' })),
    },
    {
      name: 'LlamaRPC',
      answer: maxRange(70, ({ from }) => ({
        code: -32602,
        message: `query exceeds max results 20000, retry with the range ${from}-${from + 69}`,
      })),
    },
    {
      name: 'Tenderly',
      answer: maxRange(20, ({ blocks }) => ({
        code: -32602,
        message: 'invalid params',
        data: { payload: `range ${blocks} is bigger than range limit 20` },
      })),
    },
    {
      name: 'Base, public',
      answer: maxRange(64, () => ({ code: -32011, message: 'block range too large' })),
    },
    {
      name: 'BSC dataseed',
      failsWith: /refuses logs of even one block/,
      answer: (call) => (rangeOf(call) ? { error: { code: -32005, message: 'limit exceeded' } } : undefined),
    },
    {
      name: 'a node without old history',
      failsWith: /does not keep logs that are so old/,
      answer: (call) => {
        const range = rangeOf(call)
        return range && range.from < firstBlock
          ? {
              error: {
                code: 4444,
                message: `pruned history unavailable: requested ${range.from}, earliest available ${firstBlock}`,
              },
            }
          : undefined
      },
    },
  ]
}

/** Makes a proxy imitate a provider. */
export function setProvider(proxy: NodeProxy, { fault, answer }: Provider): void {
  proxy.fault = fault ?? (() => undefined)
  proxy.answer = answer ?? (() => undefined)
}

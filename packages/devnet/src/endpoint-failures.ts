/** Typical failures of public RPC endpoints, which tests inject through a `NodeProxy`. */
import type { FaultInjector, Interceptor, NodeProxy, RpcCall } from './node-proxy.ts'

/** A kind of endpoint failure. */
export type EndpointFailure = {
  readonly name: string
  /**
   * Probability, from 0 to 1, that the failure applies to an HTTP request (`injectFault`) or to a call of it
   * (`intercept`). With 1, the failure itself selects requests or calls: `batches refused`, for example, selects the
   * requests with several calls.
   */
  readonly share: number
  /** True if the service must serve a chain even if all endpoints of the chain fail this way. */
  readonly survivable: boolean
  readonly injectFault?: FaultInjector
  readonly intercept?: Interceptor
  readonly rewriteAnswers?: NodeProxy['rewriteAnswers']
}

const rpcError = (code: number, message: string) => ({ error: { code, message } })
const errorBody = (code: number, message: string) =>
  JSON.stringify({ jsonrpc: '2.0', id: null, ...rpcError(code, message) })
const HTML = '<!doctype html><html><body><h1>Attention required</h1></body></html>'
const BLOCK_METHODS = /^eth_(call|getCode|getLogs|getBlockByHash)$/
const hasBlockHash = ({ params }: RpcCall) =>
  params.some((param) => typeof param === 'object' && param !== null && 'blockHash' in param)

type CallBehavior = Pick<EndpointFailure, 'injectFault' | 'intercept'>
type Behavior = CallBehavior & Pick<EndpointFailure, 'rewriteAnswers'>

/**
 * Returns the kinds of failures.
 *
 * @param random - returns numbers from 0 (inclusive) to 1 (exclusive)
 */
export function endpointFailures(random: () => number = Math.random): readonly EndpointFailure[] {
  const sometimes = (name: string, share: number, { injectFault, intercept }: CallBehavior): EndpointFailure => ({
    name,
    share,
    survivable: true,
    ...(injectFault && { injectFault: (...args) => (random() < share ? injectFault(...args) : undefined) }),
    ...(intercept && { intercept: (...args) => (random() < share ? intercept(...args) : undefined) }),
  })
  const always = (name: string, survivable: boolean, behavior: Behavior): EndpointFailure => ({
    ...{ name, share: 1, survivable },
    ...behavior,
  })
  return [
    sometimes('HTTP 429', 0.3, { injectFault: () => ({ status: 429, body: 'too many requests' }) }),
    sometimes('HTTP 429 with Retry-After', 0.3, {
      injectFault: () => ({ status: 429, body: 'too many requests', headers: { 'retry-after': '1' } }),
    }),
    sometimes('error -32005', 0.3, { intercept: () => rpcError(-32005, 'limit exceeded') }),
    sometimes('HTTP 503', 0.3, { injectFault: () => ({ status: 503, body: 'no healthy upstream' }) }),
    always('batches refused', true, {
      injectFault: (_, isBatch) =>
        isBatch ? { status: 400, body: errorBody(-32600, 'batch requests are not supported') } : undefined,
    }),
    always('two calls a batch', true, {
      injectFault: (calls) =>
        calls.length > 2 ? { status: 200, body: errorBody(-32600, 'batch too large, limit 2') } : undefined,
    }),
    sometimes('lagging backends', 0.3, {
      intercept: ({ method }) => {
        if (!BLOCK_METHODS.test(method)) return undefined
        return method === 'eth_getBlockByHash' ? { result: null } : rpcError(-32000, 'header not found')
      },
    }),
    sometimes('pages of HTML', 0.2, {
      injectFault: () => ({ status: 200, body: HTML, headers: { 'content-type': 'text/html' } }),
    }),
    sometimes('two seconds late', 0.3, { injectFault: () => ({ delayMs: 2_000 }) }),
    sometimes('hanging', 0.3, { injectFault: () => 'hang' }),
    always('dead', false, { injectFault: () => 'drop' }),
    always('silent', false, { injectFault: () => 'hang' }),
    sometimes('cut short', 0.3, { injectFault: () => 'cut' }),
    sometimes('dropped connections', 0.3, { injectFault: () => 'drop' }),
    sometimes('empty logs', 0.3, {
      intercept: ({ method }) => (method === 'eth_getLogs' ? { result: [] } : undefined),
    }),
    sometimes('wrong chain id', 0.3, {
      intercept: ({ method }) => (method === 'eth_chainId' ? { result: '0x7' } : undefined),
    }),
    sometimes('heads that are not there', 0.3, {
      intercept: ({ method, params }) =>
        method === 'eth_getBlockByNumber' && params[0] === 'latest' ? { result: syntheticHead(random) } : undefined,
    }),
    always('no overrides', false, {
      intercept: (call) => {
        if (call.method === 'eth_call') call.params = call.params.slice(0, 2)
        return undefined
      },
    }),
    always('answers twice, and late', true, {
      injectFault: () => (random() < 0.3 ? { delayMs: 60 } : undefined),
      rewriteAnswers: (answers) => [...answers, ...answers].reverse(),
    }),
    always('no block hashes (EIP-1898)', true, {
      intercept: (call) =>
        /^eth_(call|getCode)$/.test(call.method) && hasBlockHash(call)
          ? rpcError(-32602, 'invalid argument 1: json: cannot unmarshal object into Go value of type string')
          : undefined,
    }),
    sometimes('null for answers', 0.3, {
      intercept: ({ method }) => (/^eth_(call|getLogs|getCode|gasPrice)$/.test(method) ? { result: null } : undefined),
    }),
    sometimes('foreign ids', 0.3, {
      injectFault: () => ({ status: 200, body: '{"jsonrpc":"2.0","id":9000001,"result":"0x"}' }),
    }),
  ]
}

/** Makes a proxy fail in the given way. Without a failure, makes it forward all calls unchanged. */
export function setEndpointFailure(
  proxy: NodeProxy,
  { injectFault, intercept, rewriteAnswers }: Partial<EndpointFailure> = {},
): void {
  proxy.injectFault = injectFault ?? (() => undefined)
  proxy.intercept = intercept ?? (() => undefined)
  proxy.rewriteAnswers = rewriteAnswers ?? ((answers) => answers)
}

function syntheticHead(random: () => number): object {
  const randomWord = () => `0x${Array.from({ length: 64 }, () => Math.floor(random() * 16).toString(16)).join('')}`
  const seconds = Math.floor(Date.now() / 1_000)
  return {
    number: '0xfffff',
    hash: randomWord(),
    parentHash: randomWord(),
    timestamp: `0x${seconds.toString(16)}`,
    gasLimit: '0x1c9c380',
    baseFeePerGas: '0x7',
    miner: `0x${'0'.repeat(40)}`,
  }
}

/**
 * Calls the package with random responses of service, wallet and node; every failure must be a ClientError. As a script, it runs
 * 100,000 cases and writes `results/failures.json`.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { approve } from '../../src/approve.ts'
import { canBatch } from '../../src/batch.ts'
import {
  ClientError,
  fromEip1193,
  fromEthers,
  fromViem,
  type Hex,
  NATIVE,
  privately,
  resumeSwap,
  SluiceClient,
  type SwapState,
  signPermit,
  swap,
  verify,
  type Wallet,
  withPermit,
} from '../../src/index.ts'
import { randomOf } from './random.ts'

type Random = ReturnType<typeof randomOf>

export type Report = {
  readonly seed: number
  readonly cases: number
  readonly succeeded: number
  /** Number of ClientErrors by code. */
  readonly failed: Readonly<Record<string, number>>
  readonly byCall: Readonly<Record<string, number>>
  /** Number of failures that were not a ClientError, and descriptions of the first ones. */
  readonly others: number
  readonly examples: readonly string[]
}

const address: Hex = `0x${'11'.repeat(20)}`
const token: Hex = `0x${'22'.repeat(20)}`
const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`

/** Returns a random value, including values that JSON cannot represent. */
function anything(random: Random, depth = 0): unknown {
  const simple = [
    ...[undefined, null, true, false, 0, -1, 1.5, 1e308, Number.NaN, 2 ** 53, 7, ''],
    ...[
      '0x',
      '0x1',
      '0x0',
      '0xzz',
      'abc',
      '1',
      '-1',
      '1e18',
      '0',
      '9'.repeat(90),
      NATIVE,
      address,
      token,
      word(1n),
      '\ud800',
    ],
    ...[10n, Symbol('x'), () => 1, `0x${'ff'.repeat(300)}`, '0x2dfcad76', `0x2dfcad76${'0'.repeat(64 * 9)}`],
  ]
  const kind = depth > 2 ? 0 : random.below(4)
  if (kind < 2) return simple[random.below(simple.length)]
  const size = random.below(4)
  if (kind === 2) return Array.from({ length: size }, () => anything(random, depth + 1))
  const names = [
    'code',
    'message',
    'error',
    'status',
    'id',
    'receipts',
    'tx',
    'data',
    'cause',
    'length',
    'then2',
    'toAmount',
    'atomic',
  ]
  return Object.fromEntries(
    Array.from({ length: size }, () => [names[random.below(names.length)], anything(random, depth + 1)]),
  )
}

/** Copies a value, in most cases with one random value inside. */
function damaged(random: Random, value: unknown): unknown {
  if (random.below(4) === 0) return value
  if (typeof value !== 'object' || value === null || random.below(6) === 0) return anything(random)
  const entries = Object.entries(value)
  if (entries.length === 0) return anything(random)
  const at = random.below(entries.length)
  const changed = entries.map(([name, one], k) => [name, k === at ? damaged(random, one) : one] as const)
  return Array.isArray(value) ? changed.map(([, one]) => one) : Object.fromEntries(changed)
}

function thrown(random: Random): unknown {
  const errors = [
    new Error('x'),
    new TypeError('y'),
    'text',
    undefined,
    null,
    7,
    { code: 4001 },
    { code: 5740 },
    Object.create(null),
  ]
  return errors[random.below(errors.length)]
}

const bodyText = (value: unknown): string => {
  try {
    return JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? String(one) : one)) ?? ''
  } catch {
    return ''
  }
}

const route = {
  ...{ src: token, dst: NATIVE, fromAmount: '100', toAmount: '100', gasEstimate: '100000', simulationBlock: 5 },
  swaps: [
    {
      pool: token,
      protocol: 'x',
      dex: 'x',
      tokenIn: token,
      tokenOut: NATIVE,
      amountIn: '100',
      amountOut: '100',
      share: 1,
      gas: '1',
    },
  ],
  tx: { from: address, to: '0xf6d7bcd0794c1bb2d0fb1538caacada9276af277', data: '0x2dfcad76', value: '0' },
  calls: [],
  slippage: { percent: 0.5, reason: 'x' },
}

function fetchOf(random: Random, good: unknown): typeof fetch {
  return async () => {
    if (random.below(12) === 0) throw thrown(random)
    if (random.below(40) === 0) return anything(random) as Response
    const status = [200, 200, 200, 200, 200, 400, 422, 500, 503, 504, 302][random.below(11)]!
    const texts = [
      bodyText(damaged(random, good)),
      '',
      '{',
      'null',
      '<html>',
      `event: quote\ndata: ${bodyText(damaged(random, good))}\n\n`,
      'event: end\ndata: {}\n\n',
      'data\n\nevent: block\ndata: {\n\n',
    ]
    const headers = {
      'retry-after': String(anything(random) === 7 ? 1 : 99),
      'content-type': random.below(2) ? 'text/plain' : 'application/json',
    }
    return new Response(texts[random.below(random.below(2) ? 1 : texts.length)]!, { status, headers })
  }
}

function answerOf(random: Random, method: string): unknown {
  const good: Record<string, unknown> = {
    eth_chainId: '0x1',
    eth_blockNumber: '0x5',
    eth_getCode: random.below(2) ? '0x6000' : '0x',
    eth_call: word(100n),
    eth_estimateGas: '0x186a0',
    eth_sendTransaction: word(9n),
    eth_getTransactionReceipt: { status: '0x1', transactionHash: word(9n) },
    eth_getLogs: [],
    eth_signTypedData_v4: `0x${'1b'.repeat(65)}`,
    wallet_getCapabilities: { '0x1': { atomic: { status: 'supported' } } },
    wallet_sendCalls: { id: '0x1' },
    wallet_getCallsStatus: { status: 200, receipts: [{ transactionHash: word(9n) }] },
  }
  // Polled methods always succeed, because a case must not wait for minutes.
  if (method === 'eth_getTransactionReceipt' || method === 'wallet_getCallsStatus') return good[method]
  return random.below(3) ? good[method] : damaged(random, good[method])
}

function walletOf(random: Random): Wallet {
  const provider = {
    request({ method }: { method: string }): Promise<unknown> {
      if (random.below(25) === 0) throw thrown(random)
      if (random.below(15) === 0 && !/Receipt|Status/.test(method)) return Promise.reject(thrown(random))
      return Promise.resolve(answerOf(random, method))
    },
  }
  return fromEip1193(provider, address)
}

/** Returns the name of a random call of the package, and a function that makes it. Long: one entry per call. */
export function callOf(
  random: Random,
  honest: readonly { readonly route: unknown; readonly request: object; readonly contracts: object }[] = [],
): [string, () => Promise<unknown>] {
  const drawn = honest[random.below(Math.max(1, honest.length))]
  const good = drawn?.route ?? route
  const client = new SluiceClient({
    baseUrl: random.below(30) ? 'http://127.0.0.1:1' : String(bodyText(anything(random))),
    retries: 0,
    fetch: fetchOf(random, good),
  })
  const request = {
    src: token,
    dst: NATIVE,
    amount: '100',
    from: address,
    ...(random.below(3) === 0 && { calls: 1 as const }),
  }
  const honestRequest = (drawn?.request ?? request) as typeof request
  const options = {
    ...(random.below(2) ? { trustQuote: true } : {}),
    ...(random.below(2) && { knownPools: false }),
    ...(drawn && { contracts: drawn.contracts }),
  }
  const chain = drawn ? 31_337 : 1
  const wallet = walletOf(random)
  const calls: Record<string, () => Promise<unknown>> = {
    getSwap: () => client.getSwap(chain, honestRequest),
    getQuote: () => client.getQuote(1, request),
    getQuotes: () => client.getQuotes(1, [request, request]),
    getPermits: () => client.getPermits(1, request),
    simulate: () =>
      client.simulate(1, { from: address, to: token, data: '0x', tokenIn: token, amountIn: 1n, tokenOut: NATIVE }),
    prices: () => client.prices(1, [token]),
    tokenList: () => client.tokenList(1),
    stats: () => client.stats(1),
    chains: () => client.chains(),
    get: () => client.get('/x'),
    streamQuote: async () => {
      for await (const _ of client.streamQuote(1, request)) break
    },
    verify: async () =>
      verify(
        chain,
        damaged(random, good) as never,
        random.below(4) ? honestRequest : (damaged(random, honestRequest) as never),
        options,
      ),
    withPermit: async () =>
      withPermit(damaged(random, route.tx) as never, {
        kind: 'dai',
        amount: 0n,
        nonce: 1n,
        deadline: 1n,
        signature: '0x00',
      }),
    swap: () => swap(client, wallet, chain, honestRequest, options),
    'swap exact output': () => swap(client, wallet, 1, { src: token, dst: NATIVE, amountOut: 5n }, options),
    resumeSwap: () => {
      const state = {
        version: 1,
        chainId: 1,
        from: address,
        request,
        stage: 'sent',
        hash: word(9n),
        fromBlock: 1,
        route,
      }
      return resumeSwap(client, wallet, damaged(random, state) as SwapState, options)
    },
    approve: () => approve(wallet, token, address, 5n),
    canBatch: () => canBatch(wallet, 1),
    signPermit: () => signPermit(wallet, 1, { token, spender: address, amount: 5n }, 99n),
    fromEthers: () => fromEthers(damaged(random, { provider: null, getAddress: async () => address }) as never),
    fromViem: async () => fromViem({ sendTransaction: async () => '0x' }, {} as never),
    privately: () =>
      privately({ ...wallet, sign: async () => '0x02' }, 'http://127.0.0.1:1', {
        fetch: fetchOf(random, { result: '0x1' }),
      }).send({ to: token, data: '0x', value: 0n }),
  }
  const names = Object.keys(calls)
  const name = names[random.below(names.length)]!
  return [name, calls[name]!]
}

const MAX_EXAMPLES = 20

export async function fuzzFailures(
  { cases, seed }: { readonly cases: number; readonly seed: number },
  honest: Parameters<typeof callOf>[1] = [],
): Promise<Report> {
  const random = randomOf(seed)
  const failed: Record<string, number> = {}
  const byCall: Record<string, number> = {}
  const examples: string[] = []
  let [succeeded, others] = [0, 0]
  for (let n = 0; n < cases; n++) {
    const [name, call] = callOf(random, honest)
    byCall[name] = (byCall[name] ?? 0) + 1
    try {
      await call()
      succeeded++
    } catch (error) {
      if (error instanceof ClientError) failed[error.code] = (failed[error.code] ?? 0) + 1
      else {
        others++
        if (examples.length < MAX_EXAMPLES)
          examples.push(`${n} ${name}: ${(error as Error)?.stack?.slice(0, 400) ?? typeof error}`)
      }
    }
  }
  return { seed, cases, succeeded, failed, byCall, others, examples }
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { cases: { type: 'string' }, seed: { type: 'string' } } })
  const report = await fuzzFailures({ cases: Number(values.cases ?? 100_000), seed: Number(values.seed ?? 1) })
  console.log(JSON.stringify(report, null, 2))
  if (report.others === 0)
    writeFileSync(join(import.meta.dirname, 'results/failures.json'), `${JSON.stringify(report, null, 2)}\n`)
  process.exitCode = report.others === 0 ? 0 : 1
}

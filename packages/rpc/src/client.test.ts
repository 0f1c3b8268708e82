import { performance as hooks } from 'node:perf_hooks'
import { EnvironmentProbe__factory } from '@sluice/bindings'
import { type Hex, toAddress } from '@sluice/chains'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createRpc, type RpcOptions } from './client.ts'
import type { RpcError } from './errors.ts'
import { poolOf } from './post.ts'
import type { Rpc, RpcEvent } from './types.ts'

const abi = EnvironmentProbe__factory.createInterface()
const [one, two] = [toAddress(`0x${'1'.repeat(40)}`), toAddress(`0x${'2'.repeat(40)}`)]
const hashAt = (number: number, fork = 'a'): Hex => `0x${fork}${number.toString(16).padStart(63, '0')}`
const block = (number: number, rest: object = {}) => ({
  ...{ number: `0x${number.toString(16)}`, hash: hashAt(number), parentHash: hashAt(number - 1) },
  ...{ timestamp: '0x3e8', gasLimit: '0x1', ...rest },
})

type Params = readonly unknown[]
type Node = Record<string, (params: Params) => unknown>
class NodeFailure {
  readonly error: object
  constructor(message: string, code = -32000) {
    this.error = { code, message }
  }
}
const missing = () => new NodeFailure('the method does not exist', -32601)

let worlds = 0
const rpcs: Rpc[] = []
beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 })
  // Hedges import `performance` from this module, which fake timers do not replace.
  vi.spyOn(hooks, 'now').mockImplementation(() => Date.now())
})
afterEach(() => {
  for (const rpc of rpcs.splice(0)) rpc.close()
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** A fake node with one handler per method; a handler that returns undefined, or a promise of it, never answers. */
function serve(node: Node) {
  const url = `http://client-${worlds++}.test`
  const bodies: { readonly method: string; readonly params: Params }[][] = []
  const answers: Node = { eth_chainId: () => '0x7a69', eth_blockNumber: () => '0x1', ...node }
  const dispatch = (sent: { readonly body: string }, handler: unknown) => {
    const body = JSON.parse(sent.body) as { id: number; method: string; params: Params }
    const calls = Array.isArray(body) ? body : [body]
    const call = handler as Record<string, (...args: unknown[]) => void>
    bodies.push(calls.map(({ method, params }) => ({ method, params })))
    call.onRequestStart!({ abort: (reason: unknown) => call.onResponseError!({}, reason) })
    const answerOf = async ({ id, method, params }: typeof body) => {
      const result = await (answers[method] ?? missing)(params)
      return result instanceof NodeFailure ? { id, error: result.error } : { id, result }
    }
    void Promise.all(calls.map(answerOf)).then((results) => {
      if (results.some((result) => 'result' in result && result.result === undefined)) return
      call.onResponseStart!({}, 200, {})
      call.onResponseData!({}, Buffer.from(JSON.stringify(Array.isArray(body) ? results : results[0])))
      call.onResponseEnd!({}, {})
    })
  }
  vi.spyOn(poolOf(url), 'send').mockImplementation((request) => request({ dispatch } as never))
  const sent = (method: string) =>
    bodies.flat().flatMap((requestBody) => (requestBody.method === method ? [requestBody.params] : []))
  return { url, bodies, sent }
}

function world(nodes: readonly Node[], options: Partial<RpcOptions> = {}) {
  const served = nodes.map(serve)
  const rpc = createRpc({ chainId: 31337, urls: served.map(({ url }) => url), ...options })
  rpcs.push(rpc)
  return { rpc, nodes: served, sent: served[0]?.sent ?? (() => []), bodies: served[0]?.bodies ?? [] }
}
/** Returns the result of a request, or its error code, within a time limit. */
async function ended(request: Promise<unknown>, ms = 60_000): Promise<unknown> {
  const outcome = request.catch(({ code }: RpcError) => code)
  await vi.advanceTimersByTimeAsync(ms)
  return outcome
}

test('the chain is asked for before the first request, once', async () => {
  const { rpc, bodies } = world([{ eth_x: (params) => params }])
  expect(await ended(rpc.request('eth_x', [1, 'a']))).toEqual([1, 'a'])
  expect(await ended(rpc.request('eth_x', []))).toEqual([])
  expect(bodies.map((calls) => calls.map(({ method }) => method).join())).toEqual(['eth_chainId', 'eth_x', 'eth_x'])
  expect(rpc.chainId).toBe(31337)
})

test('events and failures name the endpoint by its place', async () => {
  const events: RpcEvent[] = []
  const failures: unknown[] = []
  const { rpc } = world([{ eth_x: () => new NodeFailure('out of credits') }, { eth_x: () => 1 }], {
    onEvent: (event) => events.push(event),
    onFailure: (endpoint, { code }) => failures.push([endpoint, code]),
  })
  expect(await ended(rpc.request('eth_x', [], { priority: 'lookup' }))).toBe(1)
  expect(failures).toEqual([[0, 'CREDIT']])
  expect(events).toEqual([
    { kind: 'sent', methods: ['eth_chainId'], priority: 'lookup', endpoint: 0 },
    { kind: 'sent', methods: ['eth_x'], priority: 'lookup', endpoint: 0 },
    { kind: 'retry', endpoint: 1 },
    { kind: 'sent', methods: ['eth_chainId'], priority: 'lookup', endpoint: 1 },
    { kind: 'sent', methods: ['eth_x'], priority: 'lookup', endpoint: 1 },
  ])
})

test.each([
  [{}, {}, 10_000],
  [{ timeoutMs: 700 }, {}, 1_400],
  [{ timeoutMs: 700 }, { timeoutMs: 900 }, 900],
])('with %j a request with %j ends after %i ms', async (options, request, ms) => {
  const { rpc } = world([{ eth_x: () => undefined }], options)
  let code: string | undefined
  rpc.request('eth_x', [], request).catch((error: RpcError) => {
    code = error.code
  })
  await vi.advanceTimersByTimeAsync(ms - 1)
  expect(code).toBeUndefined()
  await vi.advanceTimersByTimeAsync(1)
  expect(code).toBe('TIMEOUT')
})

test('a call is asked for at its block, and its answer must be hex', async () => {
  const { rpc, sent } = world([
    { eth_call: ([request]) => ((request as { data: Hex }).data === '0x01' ? '0xAB' : 'text') },
  ])
  expect(await ended(rpc.call({ to: one, data: '0x01', gas: 16n }, 26))).toBe('0xAB')
  expect(sent('eth_call')).toEqual([[{ to: one, data: '0x01', gas: '0x10' }, '0x1a']])
  expect(await ended(rpc.call({ to: one, data: '0x02' }, 26), 20_000)).toBe('BAD_ANSWER')
})

test('code is asked for at its block', async () => {
  const { rpc, sent } = world([{ eth_getCode: () => '0x60' }])
  expect(await ended(rpc.getCode(two, 'latest'))).toBe('0x60')
  expect(sent('eth_getCode')).toEqual([[two, 'latest']])
})

type Able = {
  field?: string
  blockTime?: boolean
  gasCap?: bigint
  isAble?: () => boolean
  answer?: (params: Params) => unknown
}

/** A fake node that supports overrides of state, block author, and time, as configured. */
function ableNode({
  field,
  blockTime = false,
  gasCap = 10n ** 9n,
  isAble = () => true,
  answer = () => '0x12',
}: Able = {}): Node {
  return {
    eth_call: (params) => {
      const [{ data, to }, , overrides, ofBlock = {}] = params as [
        { data: Hex; to: Hex },
        string,
        object?,
        Record<string, Hex>?,
      ]
      const isProbe = data === abi.encodeFunctionData('read') && overrides !== undefined && to in overrides
      if (!isProbe) return answer(params)
      if (!isAble()) return '0x'
      const coinbase = (field && ofBlock[field]) || one
      return abi.encodeFunctionResult('read', [coinbase, gasCap, 1, blockTime ? BigInt(ofBlock.time ?? 1) : 1])
    },
  }
}
const overrides = { [one]: { code: '0x60' } } as const
const plain = { to: one, data: '0x' } as const

test('a call with overrides needs a node that applies them, and travels alone', async () => {
  const { rpc, sent } = world([ableNode()])
  expect(await ended(rpc.call(plain, 26, { overrides }))).toBe('0x12')
  expect(sent('eth_call').at(-1)).toEqual([plain, '0x1a', { [one]: { code: '0x60' } }])
  expect(await ended(world([ableNode({ isAble: () => false })]).rpc.call(plain, 26, { overrides }))).toBe(
    'NO_OVERRIDES',
  )
  const second = world([ableNode({ isAble: () => false }), ableNode({ answer: () => '0x34' })])
  expect(await ended(second.rpc.call(plain, 26, { overrides }))).toBe('0x34')
})

test('no answer of code that was put in place is doubted', async () => {
  let isAble = true
  const { rpc, sent } = world([ableNode({ isAble: () => isAble, answer: () => '0x' })])
  expect(await ended(rpc.call(plain, 26, { overrides }))).toBe('0x')
  isAble = false
  // A contract creation and an account without code may return nothing.
  expect(await ended(rpc.call({ to: null, data: '0x' }, 26, { overrides }))).toBe('0x')
  expect(await ended(rpc.call({ to: two, data: '0x' }, 26, { overrides }))).toBe('0x')
  expect(await ended(rpc.call(plain, 26, { overrides: { [one]: { balance: 1n } } }))).toBe('0x')
  const { length } = sent('eth_call')
  expect(await ended(rpc.call(plain, 26, { overrides }))).toBe('NO_OVERRIDES')
  // The call, and the six capability requests.
  expect(sent('eth_call').length).toBe(length + 7)
})

const whole = { coinbase: two, baseFeePerGas: 16n, number: 17, timestamp: 18 }

test.each([
  [
    'all',
    { field: 'feeRecipient', blockTime: true },
    whole,
    { feeRecipient: two, baseFeePerGas: '0x10', time: '0x12', number: '0x11' },
  ],
  [
    'the other name',
    { field: 'coinbase', blockTime: true },
    whole,
    { coinbase: two, baseFeePerGas: '0x10', time: '0x12', number: '0x11' },
  ],
  ['no time', { field: 'feeRecipient' }, whole, { feeRecipient: two }],
  ['no time, base fee alone', { field: 'feeRecipient' }, { baseFeePerGas: 16n }, { baseFeePerGas: '0x10' }],
  [
    'only the time',
    { blockTime: true },
    { baseFeePerGas: 16n, timestamp: 18 },
    { baseFeePerGas: '0x10', time: '0x12' },
  ],
  ['a number without a time', { field: 'feeRecipient', blockTime: true }, { number: 17 }, undefined],
  ['nothing', {}, { baseFeePerGas: 16n, number: 17, timestamp: 18 }, undefined],
] as const)('the block is overridden as far as the node can: %s', async (_, able, blockOverrides, expected) => {
  const { rpc, sent } = world([ableNode(able)])
  expect(await ended(rpc.call(plain, 26, { blockOverrides }))).toBe('0x12')
  expect(sent('eth_call').at(-1)).toEqual([plain, '0x1a', {}, ...(expected ? [expected] : [])])
})

test.each([
  [{}, { coinbase: two }],
  [{ blockTime: true }, { coinbase: two, timestamp: 18 }],
  [{}, { baseFeePerGas: 16n }],
  [{ blockTime: true }, { baseFeePerGas: 16n }],
])('a node without the field of an override that must not be left out is refused, %#', async (able, blockOverrides) => {
  expect(await ended(world([ableNode(able)]).rpc.call(plain, 26, { blockOverrides }))).toBe('NO_OVERRIDES')
})

test('a call by number overrides the block as its own node can, if another node is asked in the meantime', async () => {
  const secondAsked = Promise.withResolvers<void>()
  const refusing = ableNode({
    field: 'coinbase',
    answer: ([, ref]) => (typeof ref === 'object' ? new NodeFailure('invalid block hash') : '0x12'),
  })
  const lookUp = () => secondAsked.promise.then(() => block(26))
  const first: Node = { ...refusing, eth_getBlockByHash: lookUp, eth_getBlockByNumber: () => block(26) }
  const second = ableNode({ field: 'feeRecipient', answer: () => void secondAsked.resolve() })
  const { rpc, nodes } = world([first, second])
  const answer = rpc.call(plain, { blockHash: hashAt(26) }, { blockOverrides: { coinbase: two } })
  expect(await ended(answer)).toBe('0x12')
  expect(nodes[1]!.sent('eth_call').at(-1)).toContainEqual({ feeRecipient: two })
  expect(nodes[0]!.sent('eth_call').at(-1)).toEqual([plain, '0x1a', {}, { coinbase: two }])
})

const gasOf = (params: Params) => BigInt((params as [{ gas?: Hex }])[0].gas ?? 0)

test('a call for more gas than the cap gets as much as there is', async () => {
  const { rpc, sent } = world([ableNode({ gasCap: 50_000_000n })])
  await ended(rpc.call({ ...plain, gas: 50_100_000n }, 26, { overrides }))
  expect(gasOf(sent('eth_call').at(-1)!)).toBe(50_100_000n)
  await ended(rpc.call({ ...plain, gas: 50_100_001n }, 26, { overrides }))
  expect(gasOf(sent('eth_call').at(-1)!)).toBe(50_000_000n)
  await ended(rpc.call({ ...plain, gas: 50_100_001n }, 26, { overrides: {} }))
  expect(gasOf(sent('eth_call').at(-1)!)).toBe(50_000_000n)
  const wide = world([ableNode({ gasCap: 50_000_000n }), ableNode()])
  await ended(wide.rpc.call({ ...plain, gas: 60_000_000n }, 26, { overrides }))
  expect(gasOf(wide.nodes[1]!.sent('eth_call').at(-1)!)).toBe(60_000_000n)
})

test('gas that a node refuses is halved, down to two million', async () => {
  const refusing = (max: bigint) =>
    world([
      ableNode({
        answer: (params) =>
          gasOf(params) > max || gasOf(params) === 0n ? new NodeFailure('gas limit too high') : '0x12',
      }),
    ])
  const gases = ({ sent }: ReturnType<typeof refusing>) =>
    sent('eth_call')
      .filter(([request]) => (request as { data: Hex }).data === '0x')
      .map(gasOf)
  const limitedNode = refusing(4_000_000n)
  expect(await ended(limitedNode.rpc.call({ ...plain, gas: 8_000_000n }, 26, { overrides }))).toBe('0x12')
  expect(gases(limitedNode)).toEqual([8_000_000n, 8_000_000n, 4_000_000n])
  const none = refusing(1n)
  expect(await ended(none.rpc.call({ ...plain, gas: 8_000_000n }, 26, { overrides }))).toBe('GAS_CAP')
  expect(gases(none)).toEqual([8_000_000n, 8_000_000n, 4_000_000n, 2_000_000n])
  const unnamed = refusing(13_000_000n)
  expect(await ended(unnamed.rpc.call(plain, 26, { overrides }))).toBe('0x12')
  expect(gases(unnamed)).toEqual([0n, 50_000_000n, 25_000_000n, 12_500_000n])
})

test('a call with the head gets both in one body', async () => {
  const { rpc, bodies } = world([{ ...ableNode(), eth_getBlockByNumber: () => block(7) }])
  expect(await ended(rpc.callWithHead(plain, 26))).toMatchObject({
    answer: '0x12',
    head: { number: 7, hash: hashAt(7) },
  })
  expect(bodies.at(-1)).toEqual([
    { method: 'eth_call', params: [plain, '0x1a', {}] },
    { method: 'eth_getBlockByNumber', params: ['latest', false] },
  ])
  expect(rpc.health().head).toEqual({ number: 7, timestamp: 1_000 })
})

test('only a pending block may have no hash', async () => {
  const { rpc } = world([{ eth_getBlockByNumber: () => block(7, { hash: null, miner: null }) }])
  const header = { number: 7, hash: `0x${'0'.repeat(64)}`, parentHash: hashAt(6) }
  expect(await ended(rpc.getBlock('pending'))).toMatchObject(header)
  expect(await ended(rpc.getBlock(7))).toBe('BAD_ANSWER')
})

test('blocks are asked for by tag, number and hash, and none is believed the second time', async () => {
  const { rpc, sent } = world([
    {
      eth_getBlockByNumber: ([number]) => (number === 'latest' ? block(9) : number === '0x1a' ? block(26) : null),
      eth_getBlockByHash: ([hash]) => (hash === hashAt(5) ? block(5) : null),
    },
  ])
  expect(await ended(rpc.getBlock('latest'))).toMatchObject({ number: 9 })
  expect(await ended(rpc.getBlock(26))).toMatchObject({ number: 26 })
  expect(await ended(rpc.getBlock({ blockHash: hashAt(5) }))).toMatchObject({ number: 5 })
  expect(await ended(rpc.getBlock({ blockHash: hashAt(6) }))).toBeNull()
  expect(sent('eth_getBlockByHash')).toEqual([5, 6, 6].map((number) => [hashAt(number), false]))
  expect(await ended(rpc.getBlock('safe'))).toBeNull()
  expect(sent('eth_getBlockByNumber')).toEqual([
    ['latest', false],
    ['0x1a', false],
    ['safe', false],
    ['safe', false],
  ])
  expect(rpc.health().head?.number).toBe(9)
})

const log = (number: number, fork = 'a') => ({
  ...{ address: one, topics: [], data: '0x', logIndex: '0x0', blockNumber: `0x${number.toString(16)}` },
  blockHash: hashAt(number, fork),
})

test('logs are asked for by range and by hash, and those of another block are refused', async () => {
  const { rpc, sent } = world([{ eth_getLogs: () => [log(5)] }])
  expect(await ended(rpc.getLogs({ fromBlock: 4, toBlock: 6, address: one }))).toMatchObject([{ blockNumber: 5 }])
  expect(await ended(rpc.getLogs({ blockHash: hashAt(5), address: two }))).toMatchObject([{ blockNumber: 5 }])
  expect(sent('eth_getLogs')).toEqual([
    [{ address: one, fromBlock: '0x4', toBlock: '0x6' }],
    [{ address: two, blockHash: hashAt(5) }],
  ])
  expect(await ended(rpc.getLogs({ blockHash: hashAt(6) }))).toBe('BAD_ANSWER')
  const mixed = world([{ eth_getLogs: () => [log(5), log(6)] }])
  expect(await ended(mixed.rpc.getLogs({ blockHash: hashAt(5) }))).toBe('BAD_ANSWER')
})

test('a second null means that a block has no logs, but not that a range has none', async () => {
  const { rpc, sent } = world([{ eth_getLogs: () => null }])
  expect(await ended(rpc.getLogs({ blockHash: hashAt(5) }))).toEqual([])
  expect(sent('eth_getLogs')).toHaveLength(2)
  expect(await ended(rpc.getLogs({ fromBlock: 4, toBlock: 6 }))).toBe('BAD_ANSWER')
  let count = 0
  const failing = world([{ eth_getLogs: () => (count++ === 0 ? null : [log(5)]) }])
  expect(await ended(failing.rpc.getLogs({ blockHash: hashAt(5) }))).toMatchObject([{ blockNumber: 5 }])
})

test('where hashes are refused logs are asked for by number', async () => {
  const { rpc, sent } = world([
    {
      eth_getLogs: ([filter]) => ('blockHash' in (filter as object) ? new NodeFailure('invalid params') : [log(5)]),
      eth_getBlockByHash: () => block(5),
      eth_getBlockByNumber: () => block(5),
    },
  ])
  expect(await ended(rpc.getLogs({ blockHash: hashAt(5), address: two }))).toMatchObject([{ blockNumber: 5 }])
  expect(sent('eth_getLogs').at(-1)).toEqual([{ address: two, fromBlock: '0x5', toBlock: '0x5' }])
})

test('the gas price is that of the node, else base fee and tip, else an eighth above the base fee', async () => {
  const priceOf = (node: Node) =>
    ended(world([{ eth_getBlockByNumber: () => block(5, { baseFeePerGas: '0x50' }), ...node }]).rpc.gasPrice())
  expect(await priceOf({ eth_gasPrice: () => '0x7' })).toBe(7n)
  expect(await priceOf({ eth_maxPriorityFeePerGas: () => '0x3' })).toBe(83n)
  expect(await priceOf({ eth_maxPriorityFeePerGas: () => '0x0' })).toBe(80n)
  expect(await priceOf({})).toBe(90n)
  expect(await priceOf({ eth_getBlockByNumber: () => block(5) })).toBe('UNSUPPORTED')
  for (const answer of ['much', '0x', null]) {
    expect(await priceOf({ eth_gasPrice: () => answer })).toBe(90n)
    expect(await priceOf({ eth_gasPrice: () => answer, eth_maxPriorityFeePerGas: () => '0x3' })).toBe(83n)
    expect(await priceOf({ eth_maxPriorityFeePerGas: () => answer })).toBe(90n)
  }
  expect(await priceOf({ eth_getBlockByNumber: () => block(5), eth_gasPrice: () => null })).toBe('UNSUPPORTED')
})

test('a node that answers null to the gas price is asked once more', async () => {
  const latest = () => block(5, { baseFeePerGas: '0x50' })
  const { rpc, sent } = world([{ eth_getBlockByNumber: latest, eth_gasPrice: () => null }])
  expect(await ended(rpc.gasPrice())).toBe(90n)
  expect(sent('eth_gasPrice')).toHaveLength(2)
  let count = 0
  const failing = world([{ eth_getBlockByNumber: latest, eth_gasPrice: () => (count++ === 0 ? null : '0x7') }])
  expect(await ended(failing.rpc.gasPrice())).toBe(7n)
  const two = world([
    { eth_getBlockByNumber: latest, eth_gasPrice: () => null },
    { eth_getBlockByNumber: latest, eth_gasPrice: () => '0x7' },
  ])
  expect(await ended(two.rpc.gasPrice())).toBe(7n)
})

test('a simulation is asked for at its block', async () => {
  const call = { status: '0x1', returnData: '0x', gasUsed: '0x5', logs: [] }
  const { rpc, sent } = world([{ eth_simulateV1: () => [{ calls: [call] }] }])
  expect(await ended(rpc.simulateV1([plain], 26))).toMatchObject([{ success: true, gasUsed: 5n }])
  expect(sent('eth_simulateV1')).toEqual([
    [
      {
        ...{ blockStateCalls: [{ blockOverrides: {}, stateOverrides: {}, calls: [plain] }] },
        ...{ traceTransfers: true, validation: false },
      },
      '0x1a',
    ],
  ])
})

test('heads of all endpoints are compared every ten seconds, where there are several', async () => {
  const node = () => ({ eth_getBlockByNumber: () => block(7) })
  const { rpc, nodes } = world([node(), node()])
  const heads = () => nodes.map(({ sent }) => sent('eth_getBlockByNumber').length)
  await ended(rpc.getBlock('latest'), 100)
  expect(heads()).toEqual([2, 1])
  await ended(rpc.getBlock('latest'), 9_899)
  expect(heads()).toEqual([3, 1])
  await ended(rpc.getBlock('latest'), 1)
  expect(heads()).toEqual([4, 1])
  await ended(rpc.getBlock('latest'), 100)
  expect(heads()).toEqual([6, 2])
  const alone = world([node()])
  await ended(alone.rpc.getBlock('latest'), 100)
  expect(alone.sent('eth_getBlockByNumber')).toHaveLength(1)
})

test('health tells of each endpoint', async () => {
  const { rpc } = world([{ eth_getBlockByNumber: () => block(7) }, {}])
  const fresh = { successRate: 1, ejected: false, head: null, queued: 0, callsPerSecond: null, batchSize: 50 }
  expect(rpc.health()).toMatchObject({ head: null, clock: { state: 'unknown' }, endpoints: [fresh, fresh] })
  await ended(rpc.getBlock('latest'), 100)
  expect(rpc.health().endpoints[0]).toEqual({ ...fresh, head: 7 })
  expect(rpc.health().head).toEqual({ number: 7, timestamp: 1_000 })
})

test('a chain that is closed ends what is under way and starts nothing more', async () => {
  const { rpc, bodies } = world([{ eth_x: () => undefined }])
  const running = rpc.request('eth_x', [])
  running.catch(() => {})
  await vi.advanceTimersByTimeAsync(5)
  const { length } = bodies
  rpc.close()
  expect(await ended(running, 0)).toBe('ABORTED')
  expect(await ended(rpc.request('eth_x', []), 100)).toBe('ABORTED')
  expect(bodies).toHaveLength(length)
})

test('a caller can give up', async () => {
  const { rpc } = world([{ eth_x: () => undefined }])
  const controller = new AbortController()
  const running = rpc.request('eth_x', [], { signal: controller.signal })
  running.catch(() => {})
  await vi.advanceTimersByTimeAsync(5)
  controller.abort()
  expect(await ended(running, 0)).toBe('ABORTED')
})

test('an endpoint that lags gets no further requests while it is ejected', async () => {
  let laggingHead = 110
  const { rpc, nodes } = world([
    { eth_getBlockByNumber: () => block(laggingHead), eth_x: () => 'old' },
    { eth_getBlockByNumber: () => block(110), eth_x: () => 'new' },
  ])
  await ended(rpc.getBlock('latest'), 1_000)
  laggingHead = 100
  expect(await ended(rpc.getBlock('latest'), 1_000)).toMatchObject({ number: 110 })
  expect(rpc.health().endpoints.map(({ ejected }) => ejected)).toEqual([true, false])
  expect(await ended(rpc.request('eth_x', []), 1_000)).toBe('new')
  expect(nodes[0]!.sent('eth_x')).toEqual([])
})

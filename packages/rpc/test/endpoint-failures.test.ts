/** Fault injection: results of requests, and state learned about the endpoint, for different failures. */
import { toAddress } from '@sluice/chains'
import { type Anvil, type Interceptor, NodeProxy, request, startAnvil } from '@sluice/devnet'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createRpc, type Rpc, type RpcEvent } from '../src/index.ts'

let anvil: Anvil
const proxies: NodeProxy[] = []
const rpcs: Rpc[] = []
beforeAll(async () => {
  anvil = await startAnvil()
})
afterAll(() => anvil?.stop())
afterEach(async () => {
  for (const rpc of rpcs.splice(0)) rpc.close()
  for (const proxy of proxies.splice(0)) await proxy.stop()
})

async function wire(answer?: Interceptor): Promise<NodeProxy> {
  const proxy = await NodeProxy.start(anvil.url, answer)
  proxies.push(proxy)
  return proxy
}
function rpcOf(urls: readonly string[], events: RpcEvent[] = []): Rpc {
  const rpc = createRpc({ chainId: 31337, urls, timeoutMs: 3_000, onEvent: (event) => events.push(event) })
  rpcs.push(rpc)
  return rpc
}
/**
 * Sends a request that changes the node. `Rpc` would repeat a slow one (a hedge or a retry), and the node would still
 * execute it in a later test.
 */
const control = <T>(method: string, ...params: readonly unknown[]) => request<T>(anvil.url, method, params)
/** Deterministic random numbers below 1 (xorshift32). */
function numbers(): () => number {
  let state = 14
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}
const account = toAddress('0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266')
const contract = toAddress('0x00000000000000000000000000000000000c0de0')
const overrides = { [contract]: { code: '0x4360005260206000f3' as const } }
/** Code that returns NUMBER as a word. */
const blockSeen = async (rpc: Rpc, blockHash: `0x${string}`) =>
  Number(await rpc.call({ to: contract, data: '0x' }, { blockHash }, { overrides }))
const three = (rpc: Rpc) => Promise.all([rpc.getBlock('latest'), rpc.gasPrice(), rpc.getCode(account, 'latest')])

describe('batches', () => {
  const whole = (message: string) => JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32600, message } })

  test.each([
    ['an error in the place of all answers', 200, whole('batch requests are disabled')],
    ['HTTP 400', 400, 'no'],
    ['HTTP 405 and a page', 405, '<html>'],
  ])('refused with %s: each call is sent separately, later ones at once', async (_, status, body) => {
    const node = await wire()
    let batches = 0
    node.injectFault = (_calls, isBatch) => {
      if (isBatch) batches++
      return isBatch ? { status, body } : undefined
    }
    const rpc = rpcOf([node.url])
    await rpc.gasPrice()
    expect((await three(rpc))[0]?.number).toBeGreaterThanOrEqual(0)
    if (status === 400 || status === 405) await three(rpc)
    batches = 0
    await three(rpc)
    expect(batches).toBe(0)
    expect(rpc.health().endpoints[0]?.batchSize).toBe(1)
  })

  test('refused for their size are sent in smaller ones', async () => {
    const node = await wire()
    node.injectFault = (calls) => (calls.length > 3 ? { status: 413, body: 'too large' } : undefined)
    const rpc = rpcOf([node.url])
    const codes = await Promise.all(Array.from({ length: 12 }, () => rpc.getCode(account, 'latest')))
    expect(codes).toEqual(Array(12).fill('0x'))
    expect(rpc.health().endpoints[0]?.batchSize).toBe(3)
  })

  test('refused by the error of their first call are sent in smaller ones', async () => {
    const node = await wire()
    node.injectFault = (calls) =>
      calls.length > 3
        ? {
            status: 200,
            body: JSON.stringify([{ id: calls[0]!.id, error: { code: -32600, message: 'batch too large' } }]),
          }
        : undefined
    const rpc = rpcOf([node.url])
    const codes = await Promise.all(Array.from({ length: 12 }, () => rpc.getCode(account, 'latest')))
    expect(codes).toEqual(Array(12).fill('0x'))
    expect(rpc.health().endpoints[0]?.batchSize).toBe(3)
  })

  test.each([
    [-32003, 'response too large'],
    [-32002, 'request timed out'],
  ])('that the node answers in part are completed by smaller ones: %i %s', async (code, message) => {
    const node = await wire()
    node.rewriteAnswers = (answers) =>
      answers.map((answer, k) => (k < 3 ? answer : { id: (answer as { id: number }).id, error: { code, message } }))
    const rpc = rpcOf([node.url])
    const codes = await Promise.all(Array.from({ length: 12 }, () => rpc.getCode(account, 'latest')))
    expect(codes).toEqual(Array(12).fill('0x'))
    expect(rpc.health().endpoints[0]?.batchSize).toBe(3)
  })

  test('and single calls that are refused without the envelope of JSON-RPC count as rate limited', async () => {
    const node = await wire()
    const body = '{"code":-32005,"message":"Too Many Requests","data":{"see":"https://infura.io/dashboard"}}'
    let refusals = 0
    node.injectFault = (calls) =>
      calls.some(({ method }) => method === 'eth_getCode') && refusals++ < 2 ? { status: 200, body } : undefined
    const rpc = rpcOf([node.url])
    expect(await Promise.all([rpc.getCode(account, 'latest'), rpc.gasPrice()])).toEqual(['0x', expect.any(BigInt)])
    expect(await rpc.getCode(account, 'latest')).toBe('0x')
    expect(rpc.health().endpoints[0]?.callsPerSecond).not.toBeNull()
  })

  test.each([
    ['an error without an id', whole('rate limit exceeded')],
    ['an error without an envelope', '{"message":"API rate limit exceeded"}'],
    ['an unusual text', whole('slow down')],
  ])('refused with HTTP 429 and %s wait as long as the header demands', async (_, body) => {
    const node = await wire()
    const rpc = rpcOf([node.url])
    await rpc.gasPrice()
    node.injectFault = (_calls, isBatch) =>
      isBatch ? { status: 429, body, headers: { 'retry-after': '30' } } : undefined
    const refused = Promise.all([rpc.getCode(account, 'latest'), rpc.gasPrice()])
    await expect(refused).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterMs: expect.any(Number) })
    expect(rpc.health().endpoints[0]?.batchSize).toBe(50)
  })

  test('answered in another order, twice, and with string ids are parsed', async () => {
    const node = await wire()
    node.rewriteAnswers = (answers) =>
      [...answers, ...answers].reverse().map((answer) => ({ ...answer, id: String((answer as { id: number }).id) }))
    const [block, price, code] = await three(rpcOf([node.url]))
    expect([typeof block?.number, typeof price, code]).toEqual(['number', 'bigint', '0x'])
  })
})

describe('blocks', () => {
  test.each(['header not found', 'unknown block', 'missing trie node 5e1f', 'Block not found', 'resource not found'])(
    '"%s" is lag: the call is retried shortly after, and the endpoint stays in use',
    async (message) => {
      let lags = 2
      const node = await wire(({ method }) =>
        method === 'eth_getCode' && lags-- > 0 ? { error: { code: -32000, message } } : undefined,
      )
      const rpc = rpcOf([node.url])
      const { hash } = (await rpc.getBlock('latest'))!
      expect(await rpc.getCode(account, { blockHash: hash })).toBe('0x')
      expect(rpc.health().endpoints[0]).toMatchObject({ ejected: false, successRate: 1 })
    },
  )

  test('a block removed by a reorg is reported soon', async () => {
    const rpc = rpcOf([anvil.url])
    const snapshot = await control('evm_snapshot')
    await control('anvil_mine', '0x1')
    const { hash } = (await rpc.getBlock('latest'))!
    await control('evm_revert', snapshot)
    await control('evm_setNextBlockTimestamp', Math.floor(Date.now() / 1_000) + 1_000)
    await control('anvil_mine', '0x1')
    await expect(rpc.getCode(account, { blockHash: hash })).rejects.toMatchObject({ code: 'BLOCK_GONE' })
  })

  test.each([
    ['far behind the head', 100, 1],
    ['a few blocks behind it', 20, 2],
    ['one block behind it', 1, 4],
  ])('a block %s without state at any node is reported soon', async (_, behind, tries) => {
    const node = await wire(({ method }) =>
      method === 'eth_getCode' ? { error: { code: -32000, message: 'missing trie node 1a2b' } } : undefined,
    )
    const rpc = rpcOf([node.url])
    await control('anvil_mine', '0x80')
    const { number } = (await rpc.getBlock('latest'))!
    await expect(rpc.getCode(account, number - behind)).rejects.toThrow('missing trie node')
    expect(node.calledMethods.filter((method) => method === 'eth_getCode').length).toBeLessThanOrEqual(tries)
  })

  const refusesHashes: Interceptor = ({ method, params }) =>
    method === 'eth_call' && typeof params[1] === 'object'
      ? { error: { code: -32602, message: 'invalid argument 1: json: cannot unmarshal object into type string' } }
      : undefined

  test('if block hashes are refused, the number is used, and checked before and after', async () => {
    const node = await wire(refusesHashes)
    const rpc = rpcOf([node.url])
    const { hash, number } = (await rpc.getBlock('latest'))!
    expect(await blockSeen(rpc, hash)).toBe(number)
    node.calledMethods.length = 0
    expect(await blockSeen(rpc, hash)).toBe(number)
    expect(node.calledMethods).toEqual(['eth_getBlockByNumber', 'eth_call', 'eth_getBlockByNumber'])
  })

  test('a response from another block at that number is rejected', async () => {
    let replaced = false
    const node = await wire((call) => {
      if (replaced && call.method === 'eth_getBlockByNumber') call.params[0] = '0x0'
      return refusesHashes(call, '/')
    })
    const rpc = rpcOf([node.url])
    await control('anvil_mine', '0x1')
    const { hash } = (await rpc.getBlock('latest'))!
    replaced = true
    await expect(blockSeen(rpc, hash)).rejects.toMatchObject({ code: expect.stringMatching(/LAGGING|BLOCK_GONE/) })
  })

  test('a head that jumps ahead without a parent is rejected', async () => {
    let lies = 1
    const node = await wire(({ method, params }) => {
      if (method !== 'eth_getBlockByNumber' || params[0] !== 'latest' || lies-- <= 0) return undefined
      const word = `0x${'7'.repeat(64)}` as const
      return { result: { number: '0xfffff', hash: word, parentHash: word, timestamp: '0x6', gasLimit: '0x6' } }
    })
    const rpc = rpcOf([node.url])
    lies = 0
    const { number } = (await rpc.getBlock('latest'))!
    lies = 1
    expect((await rpc.getBlock('latest'))?.number).toBe(number)
  })
})

test('if both endpoints lose requests, hedges succeed before any timeout', async () => {
  const random = numbers()
  const failures: string[] = []
  const nodes = [await wire(), await wire()]
  const rpc = createRpc({
    ...{ chainId: 31337, urls: nodes.map(({ url }) => url), timeoutMs: 20_000 },
    onFailure: (_, { code }) => failures.push(code),
  })
  rpcs.push(rpc)
  for (let request = 0; request < 6; request++) await rpc.gasPrice()
  for (const node of nodes) node.injectFault = () => (random() < 0.45 ? 'hang' : undefined)
  for (let request = 0; request < 100; request++) expect(await rpc.gasPrice()).toBeGreaterThan(0n)
  expect(failures).toEqual([])
})

test('endpoints that refuse at random are throttled, not ejected', async () => {
  const random = numbers()
  const nodes = [await wire(), await wire()]
  const rpc = rpcOf(nodes.map(({ url }) => url))
  await Promise.all(Array.from({ length: 40 }, () => rpc.gasPrice()))
  for (const node of nodes) node.injectFault = () => (random() < 0.3 ? { status: 429, body: 'no' } : undefined)
  for (let round = 0; round < 30; round++) {
    await Promise.all(Array.from({ length: 8 }, () => rpc.gasPrice()))
    expect(rpc.health().endpoints.map(({ ejected }) => ejected)).toEqual([false, false])
  }
})

describe('a slow endpoint', () => {
  test('gets a hedge at another endpoint', async () => {
    const [slow, quick] = [await wire(), await wire()]
    const events: RpcEvent[] = []
    const rpc = rpcOf([slow.url, quick.url], events)
    for (let request = 0; request < 6; request++) await rpc.gasPrice()
    slow.injectFault = () => 'hang'
    expect(await rpc.gasPrice()).toBeGreaterThan(0n)
    expect(events).toContainEqual({ kind: 'hedge', endpoint: 1 })
  })

  test('that failed several requests is still used as a hedge for a slow one', async () => {
    const [first, second] = [await wire(), await wire()]
    const rpc = rpcOf([first.url, second.url])
    for (let request = 0; request < 6; request++) await rpc.gasPrice()
    first.injectFault = () => 'hang'
    await Promise.all(
      [0, 1, 2, 3].map(async (place) => {
        await new Promise((resolve) => setTimeout(resolve, 10 * place))
        await rpc.gasPrice()
      }),
    )
    expect(rpc.health().endpoints.map(({ ejected }) => ejected)).toEqual([false, false])
    first.injectFault = () => undefined
    second.injectFault = () => 'hang'
    const before = first.requestCount
    expect(await rpc.gasPrice()).toBeGreaterThan(0n)
    expect(first.requestCount).toBeGreaterThan(before)
  })

  test('without alternatives gets the hedge on a new connection', async () => {
    const node = await wire()
    const events: RpcEvent[] = []
    const rpc = rpcOf([node.url], events)
    for (let request = 0; request < 6; request++) await rpc.gasPrice()
    let hangs = 1
    node.injectFault = () => (hangs-- > 0 ? 'hang' : undefined)
    expect(await rpc.gasPrice()).toBeGreaterThan(0n)
    expect(events).toContainEqual({ kind: 'hedge', endpoint: 0 })
  })
})

test('a node that stops overriding state is detected at once', async () => {
  let ignores = false
  const changing = await wire((call) => {
    if (ignores && call.method === 'eth_call') call.params = call.params.slice(0, 2)
    return undefined
  })
  const rpc = rpcOf([changing.url, (await wire()).url])
  const ask = () => rpc.call({ to: contract, data: '0x' }, 'latest', { overrides })
  const answer = await ask()
  expect(answer).not.toBe('0x')
  ignores = true
  for (let request = 0; request < 3; request++) expect(await ask()).toBe(answer)
})

test('background requests honor Retry-After', async () => {
  const node = await wire()
  const rpc = rpcOf([node.url])
  await rpc.gasPrice()
  node.injectFault = () => ({ status: 429, body: 'no', headers: { 'retry-after': '60' } })
  const failing = Array.from({ length: 6 }, () => rpc.gasPrice({ timeoutMs: 100 }).catch(() => {}))
  await Promise.all(failing)
  node.injectFault = () => undefined
  const before = node.requestCount
  await expect(rpc.gasPrice({ timeoutMs: 200, priority: 'background' })).rejects.toMatchObject({
    code: 'RATE_LIMITED',
    retryAfterMs: expect.any(Number),
  })
  expect(node.requestCount).toBe(before)
})

test('closing ends running and queued requests at once', async () => {
  const node = await wire()
  const rpc = createRpc({ chainId: 31337, urls: [node.url], maxConcurrency: 2 })
  await rpc.gasPrice()
  node.injectFault = () => 'hang'
  const pending = Array.from({ length: 10 }, () => rpc.call({ to: contract, data: '0x' }, 'latest', { overrides }))
  setTimeout(() => rpc.close(), 50)
  for (const outcome of await Promise.allSettled(pending))
    expect(outcome).toMatchObject({ reason: { code: 'ABORTED' } })
  await expect(rpc.gasPrice()).rejects.toMatchObject({ code: 'ABORTED' })
})

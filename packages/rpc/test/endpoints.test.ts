import { toAddress } from '@sluice/chains'
import { type Anvil, type Interceptor, NodeProxy, request, startAnvil } from '@sluice/devnet'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createRpc } from '../src/index.ts'

let anvil: Anvil
let proxies: NodeProxy[] = []
beforeAll(async () => {
  anvil = await startAnvil()
})
afterAll(() => anvil?.stop())
afterEach(async () => {
  await Promise.all(proxies.map((proxy) => proxy.stop()))
  proxies = []
})

/**
 * Sends a request that changes the node. `Rpc` would repeat a slow one (a hedge or a retry), and the node would execute
 * both.
 */
const control = <T>(method: string, ...params: readonly unknown[]) => request<T>(anvil.url, method, params)

const worse = async (intercept: Interceptor) => {
  const proxy = await NodeProxy.start(anvil.url, intercept)
  proxies.push(proxy)
  return proxy
}
const rpcOf = (...urls: string[]) => createRpc({ chainId: 31337, urls, timeoutMs: 1500, ejectMs: 300 })
const contract = toAddress('0x00000000000000000000000000000000000c0de0')
const author = toAddress('0x00000000000000000000000000000000000a7408')

/** Code that returns COINBASE as a word. */
const overrides = { [contract]: { code: '0x4160005260206000f3' as const } }
const readCoinbase = (rpc: ReturnType<typeof rpcOf>) =>
  rpc.call({ to: contract, data: '0x' }, 'latest', { overrides, blockOverrides: { coinbase: author } })
const wordOf = (address: string) => `0x${address.slice(2).padStart(64, '0')}`

const ignoresOverrides: Interceptor = (request) => {
  if (request.method === 'eth_call') request.params = request.params.slice(0, 2)
  return undefined
}
const refusesBlockOverrides: Interceptor = ({ method, params }) =>
  method === 'eth_call' && params.length > 3 ? { error: { code: -32602, message: 'trailing characters' } } : undefined

/** Like older clients: ignores unknown override names. */
const knowsOnly =
  (field: string): Interceptor =>
  ({ params }) => {
    const block = params[3] as Record<string, unknown> | undefined
    if (block) params[3] = block[field] ? { coinbase: block[field] } : {}
    return undefined
  }

test('a node that ignores overrides is skipped in favor of one that applies them', async () => {
  const bad = await worse(ignoresOverrides)
  expect(await readCoinbase(rpcOf(bad.url, anvil.url))).toBe(wordOf(author))
})

test('an error reports that no node can override state', async () => {
  const bad = await worse(ignoresOverrides)
  await expect(readCoinbase(rpcOf(bad.url))).rejects.toMatchObject({ code: 'NO_OVERRIDES' })
})

test('a node without block overrides still serves calls that need only state', async () => {
  const bad = await worse(refusesBlockOverrides)
  const rpc = rpcOf(bad.url)
  expect(await rpc.call({ to: contract, data: '0x' }, 'latest', { overrides })).toHaveLength(66)
  await expect(readCoinbase(rpc)).rejects.toMatchObject({ code: 'NO_OVERRIDES' })
})

test('block number and time of a call are overridden only if the node supports it', async () => {
  // Code that returns NUMBER and TIMESTAMP as two words.
  const clock = { [contract]: { code: '0x436000524260205260406000f3' as const } }
  const later = { number: 77_000_000, timestamp: 3_000_000_000 }
  const read = async (rpc: ReturnType<typeof rpcOf>) => {
    const answer = await rpc.call({ to: contract, data: '0x' }, 'latest', { overrides: clock, blockOverrides: later })
    return { number: Number(answer.slice(0, 66)), timestamp: Number(`0x${answer.slice(66)}`) }
  }
  expect(await read(rpcOf(anvil.url))).toEqual(later)
  const head = (await rpcOf(anvil.url).getBlock('latest'))!
  const bad = await worse(refusesBlockOverrides)
  expect(await read(rpcOf(bad.url))).toMatchObject({ number: head.number })
})

test.each(['feeRecipient', 'coinbase'])(
  'the block author is overridden on a node that names the field %s',
  async (field) => {
    const old = await worse(knowsOnly(field))
    expect(await readCoinbase(rpcOf(old.url))).toBe(wordOf(author))
  },
)

test('a lone node that answers each call once with an internal error is used with its capabilities', async () => {
  const seenCalls = new Set<string>()
  const node = await worse(({ method, params }) => {
    const call = JSON.stringify([method, params])
    if (method === 'eth_chainId' || seenCalls.has(call)) return undefined
    seenCalls.add(call)
    return { error: { code: -32603, message: 'Internal error' } }
  })
  const rpc = rpcOf(node.url)
  expect(await readCoinbase(rpc)).toBe(wordOf(author))
  expect(await rpc.getBlock('latest')).not.toBeNull()
})

test('capabilities are probed once', async () => {
  const node = await worse(() => undefined)
  const rpc = rpcOf(node.url)
  await readCoinbase(rpc)
  const calls = node.calledMethods.length
  await readCoinbase(rpc)
  expect(node.calledMethods.length).toBe(calls + 1)
})

test('a call returns the head at which it ran, in one HTTP request', async () => {
  const node = await worse(() => undefined)
  const rpc = rpcOf(node.url)
  const before = (await rpc.getBlock('latest'))!
  const callBefore = () => rpc.callWithHead({ to: contract, data: '0x' }, { blockHash: before.hash }, { overrides })
  expect((await callBefore()).head).toEqual(before)
  await control('anvil_mine', '0x1')
  node.calledMethods.length = 0
  const { answer, head } = await callBefore()
  expect(answer).toBe(wordOf((await rpc.getBlock(before.number))!.miner))
  expect(head).toMatchObject({ number: before.number + 1, parentHash: before.hash })
  expect(node.calledMethods.slice(0, 2)).toEqual(['eth_call', 'eth_getBlockByNumber'])
})

test('a lagging node is skipped, also if the head is returned with a call', async () => {
  await control('anvil_mine', '0x14')
  const lagging = await worse((request) => {
    if (request.method === 'eth_getBlockByNumber') request.params[0] = '0x1'
    return undefined
  })
  const rpc = rpcOf(lagging.url, anvil.url)
  const call = () => rpc.callWithHead({ to: contract, data: '0x' }, 'latest', { overrides })
  await call()
  await expect.poll(async () => (await call()).head.number).toBeGreaterThanOrEqual(20)
})

test('a node that falls behind another one is skipped', async () => {
  await control('anvil_mine', '0x14')
  const lagging = await worse((request) => {
    if (request.method === 'eth_getBlockByNumber') request.params[0] = '0x1'
    return undefined
  })
  const rpc = rpcOf(lagging.url, anvil.url)
  // The first answer may come from the lagging endpoint; the heads of the others are compared afterwards.
  await rpc.getBlock('latest')
  await expect.poll(async () => (await rpc.getBlock('latest'))?.number).toBeGreaterThanOrEqual(20)
})

test('a single lagging node is followed, also backwards', async () => {
  const snapshot = await control('evm_snapshot')
  const rpc = rpcOf(anvil.url)
  await control('anvil_mine', '0x14')
  const head = (await rpc.getBlock('latest'))!.number
  await control('evm_revert', snapshot)
  expect((await rpc.getBlock('latest'))?.number).toBe(head - 20)
})

test('a dropped request is retried once', async () => {
  let failures = 1
  const flaky = await worse(({ method }) =>
    method === 'eth_gasPrice' && failures-- > 0 ? { error: { code: -32005, message: 'limit exceeded' } } : undefined,
  )
  expect(await rpcOf(flaky.url).gasPrice()).toBeGreaterThan(0n)
})

test('an endpoint that was down is used again after recovery', async () => {
  let down = true
  const node = await worse(() => (down ? { error: { code: -32005, message: 'too many requests' } } : undefined))
  const rpc = rpcOf(node.url)
  await expect(rpc.gasPrice({ timeoutMs: 300 })).rejects.toMatchObject({ code: 'RATE_LIMITED' })
  down = false
  expect(await rpc.gasPrice()).toBeGreaterThan(0n)
})

test('a call that exceeds node limits does not eject a healthy endpoint', async () => {
  let mute = false
  const node = await worse(({ method }) => (mute && method === 'eth_call' ? { result: '0x' } : undefined))
  const rpc = rpcOf(node.url, anvil.url)
  // JUMPDEST PUSH1 0 JUMP: loops until out of gas.
  const loop = { [contract]: { code: '0x5b600056' as const } }
  await rpc.call({ to: contract, data: '0x' }, 'latest', { overrides }).catch(() => {})
  await expect(
    rpc.call({ to: contract, data: '0x', gas: 2_000_000_000n }, 'latest', { overrides: loop, timeoutMs: 50 }),
  ).rejects.toMatchObject({ code: 'TIMEOUT' })
  mute = true
  const before = node.calledMethods.length
  await rpc.gasPrice()
  expect(node.calledMethods.length).toBeGreaterThan(before)
})

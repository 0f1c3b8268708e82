/** Tests statuses and error codes that need a special cause, such as a failing node or token. */
import { type Devnet, NodeProxy } from '@sluice/devnet'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { RunningServer } from '../src/index.ts'
import { request, startChain, startOver } from './src/devnet.ts'
import { ask, warmUp } from './src/service.ts'

let devnet: Devnet
let proxy: NodeProxy
let server: RunningServer

beforeAll(async () => {
  devnet = await startChain()
  proxy = await NodeProxy.start(devnet.url)
  // Searches of huge amounts take seconds on a slow machine.
  server = await startOver(proxy.url)
})
afterAll(async () => {
  await server?.close()
  await proxy?.stop()
  await devnet?.stop()
})
afterEach(() => {
  proxy.intercept = () => undefined
  proxy.delayMs = 0
})

const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
const hexOf = (amount: string) => `0x${BigInt(amount).toString(16)}`
const token = (symbol: string) => devnet.info.tokens[symbol]!.address
const swapPath = (change: Record<string, string> = {}) => {
  const from = devnet.info.accounts[0]!.address
  const swap = { src: token('WETH'), dst: token('USDC'), amount: '1000000000000000000', from, ...change }
  return `/aggregator/31337?${new URLSearchParams(swap)}`
}
type Body = {
  error: string
  code: string
  requestId: string
  reasons?: unknown[]
  priceImpact?: number
  valueLoss?: number
  maxRoutableAmount?: string
}
const get = async (path: string, from = server) => {
  const { status, text, headers } = await ask(from.url + path)
  return { status, body: JSON.parse(text) as Body, headers }
}

/** Stops the node's answers. @returns a function that releases them */
function holdNode(): () => void {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  proxy.intercept = () => promise
  return () => {
    proxy.intercept = () => undefined
    resolve(undefined)
  }
}

describe('422', () => {
  test('UNKNOWN_TOKEN: no pool trades the token', async () => {
    const { status, body } = await get(swapPath({ dst: '0x00000000000000000000000000000000DeaDBeef' }))
    expect(status).toBe(422)
    expect(body).toMatchObject({ code: 'UNKNOWN_TOKEN', reasons: [] })
  })

  test('NO_ROUTE: no source is left', async () => {
    const { status, body } = await get(swapPath({ includeSources: 'nothing' }))
    expect(status).toBe(422)
    expect(body.code).toBe('NO_ROUTE')
  })

  test('PRICE_IMPACT: above the limit, with the figure, and not with the limit at 100', async () => {
    const amount = `${10n ** 24n}`
    const { status, body } = await get(swapPath({ amount }))
    expect(status).toBe(422)
    expect(body.code).toBe('PRICE_IMPACT')
    expect(body.priceImpact).toBeGreaterThan(15)
    expect((await get(swapPath({ amount, maxPriceImpact: '100' }))).status).toBe(200)
  })

  test('VALUE_LOSS: a pool just moved by a large trade, with almost no impact on its own price', async () => {
    const snapshot = await request(devnet.url, 'evm_snapshot')
    const only = { includeSources: 'uniswap-v2', maxHops: '1' }
    const large = { src: NATIVE, amount: `${800n * 10n ** 18n}`, ...only, maxPriceImpact: '100' }
    try {
      const { status, body } = await get(swapPath(large))
      expect(status, JSON.stringify(body)).toBe(200)
      const { from, to, data, value } = (body as unknown as { tx: Record<string, string> }).tx
      const gas = '0x1e8480'
      const hash = await request(devnet.url, 'eth_sendTransaction', { from, to, data, gas, value: hexOf(value!) })
      await expect.poll(() => request(devnet.url, 'eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1' })

      const small = { amount: `${10n ** 16n}`, ...only }
      const refused = await get(swapPath(small))
      expect(refused.status, JSON.stringify(refused.body)).toBe(422)
      expect(refused.body).toMatchObject({ code: 'VALUE_LOSS', valueLoss: expect.any(Number) })
      expect(refused.body.valueLoss).toBeGreaterThan(15)
      expect(refused.body.priceImpact).toBeLessThan(15)
      expect((await get(swapPath({ ...small, maxPriceImpact: '100' }))).status).toBe(200)
      expect((await get(swapPath({ amount: small.amount }))).status).toBe(200)
    } finally {
      await request(devnet.url, 'evm_revert', snapshot)
      await request(devnet.url, 'evm_mine')
    }
  })

  test('INSUFFICIENT_LIQUIDITY: with the largest amount that routes', async () => {
    const whole = `${10n ** 60n}`
    const { status, body } = await get(swapPath({ amount: whole, maxPriceImpact: '100' }))
    expect(status).toBe(422)
    expect(body.code).toBe('INSUFFICIENT_LIQUIDITY')
    expect(body.reasons).toBeInstanceOf(Array)
    const routable = BigInt(body.maxRoutableAmount!)
    expect(routable).toBeGreaterThan(0n)
    expect(routable).toBeLessThan(BigInt(whole))
    expect((await get(swapPath({ amount: `${routable / 2n}`, maxPriceImpact: '100' }))).status).toBe(200)
  })

  test('a pool is not excluded after one simulation that fails and then succeeds', async () => {
    const { accounts } = devnet.info
    const poolsOf = async (amount: string) => {
      const { status, body } = await get(swapPath({ amount, from: accounts[2]!.address }))
      expect(status, JSON.stringify(body)).toBe(200)
      return (body as unknown as { swaps: { pool: string }[] }).swaps.map(({ pool }) => pool)
    }
    const honest = await poolsOf('4000000000000000000')
    let failed = 0
    proxy.intercept = ({ method, params }) => {
      const [call, , overrides] = params as [{ to?: string }, unknown, Record<string, object>?]
      const isSwap = method === 'eth_call' && overrides && call.to === accounts[2]!.address.toLowerCase()
      // In the first simulation only, the output token reverts on every call.
      if (isSwap && failed++ === 0) overrides[token('USDC').toLowerCase()] = { code: '0x60006000fd' }
      return undefined
    }
    expect(await poolsOf('4000000000000000001')).toEqual(honest)
    // At least two simulations ran; each may be repeated at the time of the deadline.
    expect(failed).toBeGreaterThanOrEqual(2)
  })

  test('ROUTE_REVERTED: the token refuses every transfer', async () => {
    const address = token('PEPE')
    const code = await request(devnet.url, 'eth_getCode', address, 'latest')
    expect((await get(swapPath({ dst: address }))).status).toBe(200)
    // PUSH1 0 PUSH1 0 REVERT
    await request(devnet.url, 'anvil_setCode', address, '0x60006000fd')
    await request(devnet.url, 'evm_mine')
    try {
      const { status, body } = await get(swapPath({ dst: address }))
      expect(status, JSON.stringify(body)).toBe(422)
      expect(body.code).toBe('ROUTE_REVERTED')
    } finally {
      await request(devnet.url, 'anvil_setCode', address, code)
      await request(devnet.url, 'evm_mine')
    }
  })

  test('GUARD_NOT_DEPLOYED: the Executor has other code than recorded', async () => {
    const { executor } = devnet.info as unknown as { executor: string }
    const code = await request(devnet.url, 'eth_getCode', executor, 'latest')
    await request(devnet.url, 'anvil_setCode', executor, '0x00')
    await request(devnet.url, 'evm_mine')
    try {
      const { status, body } = await get(swapPath())
      expect(status).toBe(422)
      expect(body.code).toBe('GUARD_NOT_DEPLOYED')
    } finally {
      await request(devnet.url, 'anvil_setCode', executor, code)
      await request(devnet.url, 'evm_mine')
    }
  })
})

describe('502', () => {
  test('the node is down', async () => {
    const proxy = await NodeProxy.start(devnet.url)
    const orphan = await startOver(proxy.url)
    try {
      expect((await get(swapPath(), orphan)).status).toBe(200)
      await proxy.stop()
      const { status, body } = await get(swapPath(), orphan)
      expect(status).toBe(502)
      expect(body).toMatchObject({ code: 'RPC_FAILED', error: 'no node of the chain answered' })
    } finally {
      await orphan.close()
    }
  })

  test('the node answers for another chain', async () => {
    proxy.intercept = ({ method }) => (method === 'eth_chainId' ? { result: '0x1' } : undefined)
    const lied = await startOver(proxy.url)
    try {
      const { status, body } = await get(swapPath(), lied)
      expect(status).toBe(502)
      expect(body.error).toBe('the node answers for another chain')
    } finally {
      await lied.close()
    }
  })

  test('the node refuses state overrides', async () => {
    proxy.intercept = ({ method, params }) =>
      method === 'eth_call' && params.length > 2
        ? { error: { code: -32602, message: 'too many arguments, want at most 2' } }
        : undefined
    const plain = await startOver(proxy.url)
    try {
      const { status, body } = await get(swapPath(), plain)
      expect(status, JSON.stringify(body)).toBe(502)
      expect(body.code).toBe('RPC_FAILED')
    } finally {
      await plain.close()
    }
  })

  test('the node returns malformed responses', async () => {
    await get(swapPath())
    proxy.intercept = () => ({ result: { not: 'what was asked for' } })
    const { status, body } = await get(swapPath())
    expect(status, JSON.stringify(body)).toBe(502)
  })
})

describe('503', () => {
  test('a request beyond the running and queued limits is refused at once', async () => {
    // On a slow machine the waiting request would be refused for the time that it is expected to wait.
    const patient = { MAX_WAIT_MS: '60000' }
    const small = await startOver(proxy.url, { MAX_CONCURRENT: '1', MAX_QUEUED: '1', ...patient })
    try {
      await warmUp(small.url, swapPath())
      const release = holdNode()
      const refused: Awaited<ReturnType<typeof get>>[] = []
      const { promise: allRefused, resolve } = Promise.withResolvers<void>()
      const asking = Array.from({ length: 8 }, async (_, i) => {
        const answer = await get(swapPath({ amount: `${10n ** 18n + BigInt(i)}` }), small)
        if (answer.status === 503 && refused.push(answer) === 6) resolve()
        return answer.status
      })
      // Wait for the refusals while no admitted request can finish.
      await allRefused
      release()
      expect((await Promise.all(asking)).filter((status) => status === 200)).toHaveLength(2)
      for (const { body, headers } of refused) {
        expect(body.code).toBe('OVERLOADED')
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
        expect(headers.get('access-control-allow-origin')).toBe('*')
        expect(headers.get('x-request-id')).toBe(body.requestId)
      }
      expect(new Set(refused.map(({ body }) => body.requestId)).size).toBe(6)
      const { text } = await ask(`${small.url}/metrics`)
      expect(text).toMatch(/sluice_requests_total{endpoint="\/aggregator\/:chainId",status="503",code="OVERLOADED"} 6/)
    } finally {
      await small.close()
    }
  })

  test('minimumBlock ahead of the head', async () => {
    const head = Number(await request(devnet.url, 'eth_blockNumber'))
    for (const ahead of [1, 10]) {
      const { status, body, headers } = await get(swapPath({ minimumBlock: `${head + ahead}` }))
      expect(status).toBe(503)
      expect(body.code).toBe('BEHIND')
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect((await get(swapPath({ minimumBlock: `${head}` }))).status).toBe(200)
  })
})

test('504: the timeout passes while the node does not answer', async () => {
  const hurried = await startOver(proxy.url, { REQUEST_TIMEOUT_MS: '400' })
  try {
    await get(swapPath(), hurried)
    const release = holdNode()
    const { status, body } = await get(swapPath({ amount: `${10n ** 17n}` }), hurried)
    release()
    expect(status).toBe(504)
    expect(body.code).toBe('TIMEOUT')
  } finally {
    await hurried.close()
  }
})

test('a running request is answered although the service is stopping', async () => {
  const stopping = await startOver(proxy.url, { SHUTDOWN_GRACE_MS: '10000' })
  await get(swapPath(), stopping)
  proxy.delayMs = 300
  const answer = get(swapPath({ amount: `${10n ** 17n}` }), stopping)
  await new Promise((resolve) => setTimeout(resolve, 100))
  await stopping.close()
  expect((await answer).status).toBe(200)
  await expect(fetch(`${stopping.url}/health`)).rejects.toThrow()
})

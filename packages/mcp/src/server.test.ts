/** Tests of the tools and of their failures over a transport in memory, with a service that answers by a function. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterEach, describe, expect, test, vi } from 'vitest'
import * as honest from '../../client/test/routes.ts'
import { serverFactory } from './server.ts'
import { allTools } from './tools.ts'

const at = (digit: string) => `0x${digit.repeat(40)}`
const [A, B, SENDER, GUARD] = ['a', 'b', '1', '9'].map(at) as [string, string, string, string]
const SERVICE = 'http://service.example/api'

afterEach(() => void vi.unstubAllGlobals())

type Reply = { readonly status?: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }

/** Connects a client to a server whose service answers by `respond`. */
async function connect(respond: (url: URL) => Reply | Promise<Reply>, timeoutSeconds = 30) {
  const urls: URL[] = []
  vi.stubGlobal('fetch', async (target: URL | string, { signal }: { signal?: AbortSignal } = {}) => {
    const url = new URL(target)
    urls.push(url)
    const aborted = new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
    const { status = 200, body = {}, headers = {} } = await Promise.race([respond(url), aborted])
    return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } })
  })
  const contracts = { 31337: { guard: GUARD, executors: [at('8')] } }
  const server = serverFactory({ service: SERVICE, timeoutSeconds, contracts })()
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  await server.connect(theirs)
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(ours)
  const call = async (name: string, input: Record<string, unknown>) => {
    const result = (await client.callTool({ name, arguments: input })) as {
      readonly isError?: boolean
      readonly content: readonly { readonly text: string }[]
      readonly structuredContent?: Record<string, unknown>
    }
    return { isError: result.isError === true, text: result.content[0]!.text, output: result.structuredContent }
  }
  return { client, call, urls }
}

const quoteBody = {
  ...{ src: A, dst: B, fromAmount: '100', toAmount: '90', minToAmount: '89', gasEstimate: '5', simulationBlock: 7 },
  ...{ blockHash: `0x${'07'.repeat(32)}`, quoteId: 'q', priceImpact: 0.1, swaps: [], warnings: ['thin\u202e\n pool'] },
}
const quote = { chainId: 1, src: A, dst: B, amount: '100' }

describe('the tool quote', () => {
  test('takes null for absent arguments', async () => {
    const { call, urls } = await connect(() => ({ body: quoteBody }))
    const absent = { amountOut: null, slippage: null, maxHops: null, includeSources: null }
    expect(await call('quote', { ...quote, ...absent })).toMatchObject({ isError: false, output: { toAmount: '90' } })
    expect(Object.fromEntries(urls[0]!.searchParams)).toEqual({ src: A, dst: B, amount: '100' })
    for (const [change, text] of [
      [{ src: null }, 'src'],
      [{ amount: null }, 'exactly one of amount and amountOut must be given at amount'],
      [{ excludePools: [null] }, 'excludePools'],
      [{ slippage: '0.5' }, 'must be a number from 0 to 50, or "auto" at slippage'],
    ] as const)
      expect(await call('quote', { ...quote, ...change })).toMatchObject({
        isError: true,
        text: expect.stringContaining(text),
      })
    expect(urls).toHaveLength(1)
  })

  test('takes null in place of all arguments, as an argument error of the tool', async () => {
    const { client } = await connect(() => ({ body: {} }))
    const callWith = (name: string, args: unknown) =>
      client.request({ method: 'tools/call', params: { name, arguments: args } } as never, CallToolResultSchema)
    expect(await callWith('quote', null)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('chainId') }],
    })
    expect(await callWith('chains', null)).toMatchObject({ structuredContent: { chains: [] } })
    for (const args of [[null], 'x', 5]) await expect(callWith('chains', args)).rejects.toThrow('record')
  })

  test('asks for exactly what it was asked, and names that in its answer', async () => {
    const { call, urls } = await connect(() => ({ body: { ...quoteBody, src: at('7') } }))
    const { text, output, isError } = await call('quote', { ...quote, maxHops: 2 })
    expect(isError).toBe(false)
    expect([urls[0]!.pathname, Object.fromEntries(urls[0]!.searchParams)]).toEqual([
      ...['/api/quote/1', { src: A, dst: B, amount: '100', maxHops: '2' }],
    ])
    expect(output).toMatchObject({ chainId: 1, src: A, dst: B, fromAmount: '100', warnings: ['thin pool'] })
    expect(text).toContain(`100 base units of ${A} for 90 base units of ${B} (at least 89) by 0 trades, at block 7`)
  })

  test('has no minimum if the service names none, and at most twenty warnings', async () => {
    const { minToAmount: _, ...body } = quoteBody
    const { call } = await connect(() => ({ body: { ...body, warnings: Array(30).fill('w') } }))
    const { text, output } = await call('quote', quote)
    expect(text).not.toContain('at least')
    expect(output!.warnings).toHaveLength(20)
  })

  test.each([
    [{ amountOut: '5' }, 'exactly one of amount and amountOut'],
    [{ amount: undefined }, 'exactly one of amount and amountOut'],
    [{ amount: '0' }, 'must be above 0'],
    [{ amount: '1e3' }, 'amount'],
    [{ chainId: 0 }, 'chainId'],
    [{ src: A.slice(1) }, 'src'],
    [{ maxSplits: 65 }, 'maxSplits'],
    [{ unknown: 1 }, 'unknown'],
  ])('refuses %o before it asks the service', async (change, message) => {
    const { call, urls } = await connect(() => ({ body: quoteBody }))
    const { isError, text } = await call('quote', JSON.parse(JSON.stringify({ ...quote, ...change })))
    expect([isError, text.includes(message)]).toEqual([true, true])
    expect(urls).toEqual([])
  })
})

describe('the tool build_swap', () => {
  const swap = { ...quote, from: SENDER, minToAmount: '89' }

  test('needs what the user accepts, for either kind of amount', async () => {
    const { call, urls } = await connect(() => ({ body: quoteBody }))
    const { minToAmount: _, ...withoutMin } = swap
    expect((await call('build_swap', withoutMin)).text).toContain('is required with amount')
    const { amount: __, ...withoutAmount } = swap
    expect((await call('build_swap', { ...withoutAmount, amountOut: '5' })).text).toContain(
      'is required with amountOut',
    )
    expect(urls).toEqual([])
  })

  test('does not ask for a chain whose contracts it does not know', async () => {
    const { call, urls } = await connect(() => ({ body: quoteBody }))
    const { isError, text } = await call('build_swap', { ...swap, chainId: 123_456 })
    expect(isError).toBe(true)
    expect(text).toContain('UNSAFE: the contracts of chain 123456 are not known to this server')
    expect(text).toContain('Do not sign anything')
    expect(urls).toEqual([])
  })

  test('returns nothing of an answer that it cannot prove', async () => {
    const tx = { from: SENDER, to: GUARD, data: '0x12345678', value: '0' }
    const { call, urls } = await connect(() => ({ body: { ...quoteBody, tx } }))
    for (const chainId of [1, 31_337]) {
      const { text, isError, output } = await call('build_swap', { ...swap, chainId })
      expect([isError, output, text.split(':')[0]]).toEqual([true, undefined, 'UNSAFE'])
    }
    expect(urls.map(({ searchParams }) => searchParams.get('calls'))).toEqual(['1', '1'])
    expect(urls[0]!.searchParams.has('minToAmount')).toBe(false)
  })

  test('does not say that no approval is missing if the answer leaves out the calls', async () => {
    const build = async ({ request, route }: honest.Honest, calls?: object) => {
      const { minToAmount: _, ...fields } = quoteBody
      const body = { ...fields, ...route, ...(calls && { calls }) }
      const { call } = await connect(() => ({ body }))
      const { src, dst, from, amount, deadline } = request
      const input = { chainId: 1, src, dst, from, amount: String(amount), deadline, minToAmount: '1' }
      return call('build_swap', input)
    }
    const missing = await build(honest.single)
    expect([missing.isError, missing.text.split(':')[0]]).toEqual([true, 'BAD_ANSWER'])
    const { to, data, value } = honest.single.route.tx
    const complete = await build(honest.single, [{ to, data, value }])
    expect(complete.text).toContain('No approval is missing.')
    // A native token has no approvals.
    expect((await build(honest.nativeIn)).text).toContain('No approval is missing.')
  })
})

test('the tool prices has null for what the service does not price, and no inherited names', async () => {
  const { call } = await connect(() => ({ body: { [A]: 1.5, [B]: null } }))
  const { output, text } = await call('prices', { chainId: 1, tokens: [A, B, SENDER] })
  expect(output!.prices).toEqual([
    { token: A, usd: 1.5 },
    { token: B, usd: null },
    { token: SENDER, usd: null },
  ])
  expect(text).toBe('1 of 3 tokens have a price.')
})

test('the tool tokens has at most as many as asked for', async () => {
  const token = { chainId: 1, address: A, name: 'N', symbol: 'S', decimals: 18, tags: ['found'] }
  const body = {
    name: 'l',
    timestamp: '',
    version: {},
    tokens: Array(9).fill({ ...token, extensions: { depthUsd: 5 } }),
  }
  const { call, urls } = await connect(() => ({ body }))
  const { output } = await call('tokens', { chainId: 1, q: 'S', limit: 3 })
  expect(output!.tokens).toHaveLength(3)
  expect((output!.tokens as object[])[0]).toMatchObject({ address: A, depthUsd: 5 })
  expect(Object.fromEntries(urls[0]!.searchParams)).toEqual({ q: 'S', limit: '3' })
})

test('the tool chains says which chains it can prove, by the Guard that it knows', async () => {
  const entry = (id: number, guard: string) => ({
    ...{ ChainID: String(id), ChainName: `c${id}`, RouterAddress: guard, Status: 'live', CoinsPrefix: null },
  })
  const body = {
    31337: entry(31_337, GUARD.toUpperCase().replace('X', 'x')),
    5: entry(5, GUARD),
    7: entry(7, at('7')),
    1: entry(1, at('7')),
  }
  const { call } = await connect(() => ({ body }))
  const { output, text } = await call('chains', {})
  const provable = (output!.chains as { chainId: number; canBuildSwap: boolean }[]).map(({ chainId, canBuildSwap }) => [
    ...[chainId, canBuildSwap],
  ])
  expect(provable).toEqual([
    [1, false],
    [5, false],
    [7, false],
    [31_337, true],
  ])
  expect(text).toBe('4 chains; swaps can be proven on 1.')
})

describe('the tool simulate', () => {
  const input = { chainId: 1, from: SENDER, to: GUARD, data: '0x', tokenIn: A, amountIn: '5', tokenOut: B }
  const result = { success: true, amountOut: '9', gasUsed: 5, returnData: '0x', block: '7' }

  test('shortens return data, and has its whole length', async () => {
    const { call } = await connect(() => ({ body: { ...result, returnData: `0x${'ab'.repeat(2_000)}` } }))
    const { output, text } = await call('simulate', input)
    expect(output).toMatchObject({ returnData: `0x${'ab'.repeat(1_024)}`, returnDataBytes: 2_000 })
    expect(text).toBe('The call succeeds: 9 base units received, 5 gas.')
  })

  test('has a revert as an answer, with its reason as quoted text', async () => {
    const reverted = { ...result, success: false, amountOut: '0', revertReason: 'say "yes"\n' }
    const { call } = await connect(() => ({ body: reverted }))
    const { isError, text } = await call('simulate', input)
    expect(isError).toBe(false)
    expect(text).toContain('Reason given by the contract: "say \\"yes\\""')
  })
})

describe('a failure', () => {
  const refusal = { error: 'no\u202e route', code: 'NO_ROUTE', cure: 'Try another amount.', requestId: 'r-1' }

  test('of the service has its code, its cure, and whether it may succeed later', async () => {
    const { call } = await connect(() => ({ status: 404, body: refusal }))
    const { isError, text, output } = await call('quote', quote)
    expect([isError, output]).toEqual([true, undefined])
    expect(text.split('\n')).toEqual([
      'NO_ROUTE: no route',
      'Cure: Try another amount.',
      '(status 404, request ID r-1, fails again if unchanged)',
    ])
  })

  test('that says when to retry may succeed later', async () => {
    const overloaded = { ...refusal, code: 'OVERLOADED', cure: undefined }
    const { call } = await connect(() => ({ status: 503, body: overloaded, headers: { 'retry-after': '120' } }))
    const { text } = await call('quote', quote)
    expect(text).toContain('retry after 120 s, may succeed later')
  })

  test('of the network names the option', async () => {
    const { call } = await connect(() => Promise.reject(new TypeError('fetch failed')))
    expect((await call('quote', quote)).text).toContain(`at ${SERVICE} runs (option --service)`)
  })

  test('of an answer in another form is BAD_ANSWER, and names the field', async () => {
    const { call } = await connect(() => ({ body: { ...quoteBody, priceImpact: 'much' } }))
    expect((await call('quote', quote)).text).toMatch(/^BAD_ANSWER: priceImpact of the answer/)
    const other = await connect(() => ({ body: { ...quoteBody, toAmount: 'many' } }))
    expect((await other.call('quote', quote)).text).toMatch(/^BAD_ANSWER: the quote is not/)
  })
})

describe('calls', () => {
  test('are at most sixteen at a time, and end after the timeout', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const { call, urls } = await connect(() => new Promise<Reply>(() => {}), 1)
      const running = Array.from({ length: 16 }, () => call('quote', quote))
      await vi.waitFor(() => expect(urls).toHaveLength(16))
      const refused = await call('quote', quote)
      expect(refused.text).toBe('OVERLOADED: 16 calls are in progress\nCure: Retry in a second.')
      const texts = (await Promise.all(running)).map(({ text }) => text.split('\n')[0])
      expect(new Set(texts)).toEqual(new Set(['TIMEOUT: the service did not answer within 1 s']))
      const next = call('quote', quote)
      await vi.waitFor(() => expect(urls).toHaveLength(17))
      expect((await next).text).toContain('TIMEOUT')
    } finally {
      vi.useRealTimers()
    }
  })
})

test('schemas of tools name no dialect, and are valid in all that clients support', async () => {
  const { tools } = await (await connect(() => ({}))).client.listTools()
  expect(tools).toHaveLength(allTools.length)
  for (const { name, inputSchema, outputSchema } of tools) {
    for (const schema of [inputSchema, outputSchema!]) {
      expect(Object.keys(schema), name).not.toContain('$schema')
      // Keywords with another meaning in draft-07 than in 2020-12.
      expect(JSON.stringify(schema), name).not.toMatch(/"(definitions|dependencies|additionalItems)":|"items":\[/)
    }
  }
})

test('tools only read, and only explain needs no service', async () => {
  const { client, call, urls } = await connect(() => ({}))
  const { tools } = await client.listTools()
  expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint, annotations?.openWorldHint])).toEqual([
    ['quote', true, true],
    ['build_swap', true, true],
    ['simulate', true, true],
    ['explain', true, false],
    ['prices', true, true],
    ['tokens', true, true],
    ['chains', true, true],
  ])
  expect((await call('explain', { chainId: 1, to: GUARD, data: '0x12345678', value: '0' })).isError).toBe(true)
  expect(urls).toEqual([])
})

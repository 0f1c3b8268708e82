/** Tests each tool over each transport, against a real service on the local chain. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  answerOf,
  BIN,
  CHAIN,
  type Connection,
  callerOf,
  connectStdio,
  type Stage,
  startStage,
  textOf,
} from './stage.ts'

const TOOLS = ['build_swap', 'chains', 'explain', 'prices', 'quote', 'simulate', 'tokens']
const ETHER = 10n ** 18n
/** Random requests. */
const RUNS = process.env.LONG ? 500 : 60

let stage: Stage
let options: readonly string[]
let stdio: Connection
let http: { readonly process: ChildProcess; readonly url: string }
const clients: Client[] = []

beforeAll(async () => {
  stage = await startStage()
  options = ['--service', stage.url, '--contracts', stage.contractsFile, '--timeout', '55']
  stdio = await connectStdio(options)
  http = await startHttp([...options, '--http', '0'])
})
afterAll(async () => {
  for (const client of clients) await client.close()
  await stdio?.close()
  http?.process.kill()
  await stage?.stop()
})

async function startHttp(args: readonly string[]): Promise<typeof http> {
  const child = spawn(process.execPath, [BIN, ...args], { stdio: ['ignore', 'ignore', 'pipe'] })
  let log = ''
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr.on('data', (chunk) => {
      log += chunk
      const address = /serving (http:\S+)/.exec(log)?.[1]
      if (address) resolve(address)
    })
    child.once('exit', (code) => reject(new Error(`exit code ${code}: ${log}`)))
  })
  return { process: child, url }
}

async function connectHttp(): Promise<Connection['call']> {
  const client = new Client({ name: 'test', version: '1' })
  clients.push(client)
  await client.connect(new StreamableHTTPClientTransport(new URL(http.url)) as Transport)
  await client.listTools()
  return callerOf(client)
}

const swapOf = (src: string, dst: string, amount: bigint) => ({
  ...{ chainId: CHAIN, src: stage.token(src), dst: stage.token(dst), amount: amount.toString() },
})

type Outgoing = { readonly from?: string; readonly to: string; readonly data: string; readonly value: string }

/** Sends a transaction from an unlocked account of the local node. */
async function send(from: string, { to, data, value }: Outgoing): Promise<void> {
  const call = { from, to, data, value: `0x${BigInt(value).toString(16)}` }
  const hash = await stage.rpc<string>('eth_sendTransaction', call)
  await expect
    .poll(() => stage.rpc<{ status: string } | null>('eth_getTransactionReceipt', hash), { timeout: 60_000 })
    .toMatchObject({ status: '0x1' })
}

async function balance(token: string, owner: string): Promise<bigint> {
  const data = `0x70a08231${owner.slice(2).toLowerCase().padStart(64, '0')}`
  return BigInt(await stage.rpc<string>('eth_call', { to: token, data }, 'latest'))
}

function toolTests(transport: 'stdio' | 'Streamable HTTP'): void {
  let call: Connection['call']
  beforeAll(async () => {
    call = transport === 'stdio' ? stdio.call : await connectHttp()
  })

  test('chains, tokens, and prices', async () => {
    const { chains } = answerOf(await call('chains'))
    expect(chains.find(({ chainId }: { chainId: number }) => chainId === CHAIN)).toMatchObject({
      ...{ guard: stage.devnet.info.guard, canBuildSwap: true },
    })
    expect(chains.length).toBeGreaterThan(1)
    const { tokens } = answerOf(await call('tokens', { chainId: CHAIN, q: 'USDC', limit: 5 }))
    expect(tokens.length).toBeLessThanOrEqual(5)
    const usdc = tokens.find(({ symbol }: { symbol: string }) => symbol === 'USDC')
    expect(usdc).toMatchObject({ decimals: 6, name: 'USD Coin' })
    expect(usdc.address.toLowerCase()).toBe(stage.token('USDC').toLowerCase())
    const nobody = `0x${'57'.repeat(20)}`
    const priced = async () =>
      answerOf(await call('prices', { chainId: CHAIN, tokens: [stage.token('USDC'), nobody] })).prices
    // The first response may have no prices yet, because the service does not wait for them.
    await expect.poll(priced, { timeout: 60_000 }).toEqual([
      { token: stage.token('USDC'), usd: expect.closeTo(1, 1) },
      { token: nobody, usd: null },
    ])
  })

  test('quote, build_swap, simulate, and explain agree, and the swap pays the quoted amount', async () => {
    const from = stage.account(transport === 'stdio' ? 0 : 1)
    const request = swapOf('WETH', 'USDC', ETHER)
    const quote = answerOf(await call('quote', request))
    expect(BigInt(quote.toAmount)).toBeGreaterThan(0n)
    const minToAmount = ((BigInt(quote.toAmount) * 98n) / 100n).toString()
    const built = await call('build_swap', { ...request, from, minToAmount })
    const { tx, approvals, proof, gasLimit, toAmount } = answerOf(built)
    expect(textOf(built)).toContain('unsigned')
    expect(tx).toMatchObject({ from, to: stage.devnet.info.guard, value: '0' })
    expect(BigInt(proof.minOutput)).toBeGreaterThanOrEqual(BigInt(minToAmount))
    expect(proof).toMatchObject({ recipient: from, amountIn: request.amount, mode: 'custody' })
    expect(BigInt(gasLimit)).toBeGreaterThan(100_000n)
    expect(approvals).toHaveLength(1)

    const { tokenIn, tokenOut } = proof
    const simulated = answerOf(
      await call('simulate', {
        ...{ chainId: CHAIN, from, to: tx.to, data: tx.data, tokenIn, amountIn: request.amount, tokenOut },
      }),
    )
    expect(simulated).toMatchObject({ success: true, amountOut: toAmount })

    const { to, data, value } = tx
    const explained = answerOf(await call('explain', { chainId: CHAIN, from, to, data, value }))
    const { unknownPools: _, ...facts } = proof
    expect(explained).toMatchObject({ ...facts, isKnownGuard: true, isKnownExecutor: true, fee: null, permit: null })
    expect(explained.steps.length).toBeGreaterThan(0)

    const before = await balance(stage.token('USDC'), from)
    for (const approval of approvals) await send(from, approval)
    await send(from, tx)
    expect((await balance(stage.token('USDC'), from)) - before).toBe(BigInt(toAmount))
    // The approval covered exactly one input, so the next swap needs an approval again.
    expect(answerOf(await call('build_swap', { ...request, from, minToAmount: '1' })).approvals).toHaveLength(1)
  }, 120_000)

  test('the native token needs no approval, and an exact output pays at least that', async () => {
    const from = stage.account(2)
    const request = { chainId: CHAIN, src: stage.token('ETH'), dst: stage.token('DAI'), amountOut: `${100n * ETHER}` }
    const { fromAmount } = answerOf(await call('quote', request))
    const maxFromAmount = ((BigInt(fromAmount) * 102n) / 100n).toString()
    const built = answerOf(await call('build_swap', { ...request, from, maxFromAmount }))
    expect(built.approvals).toEqual([])
    expect(BigInt(built.tx.value)).toBeLessThanOrEqual(BigInt(maxFromAmount))
    expect(built.proof.minOutput).toBe(request.amountOut)
    const before = await balance(stage.token('DAI'), from)
    await send(from, built.tx)
    expect((await balance(stage.token('DAI'), from)) - before).toBeGreaterThanOrEqual(100n * ETHER)
  }, 120_000)
}

describe('over stdio', () => toolTests('stdio'))
// The next test and transports.test.ts cover the transport in the daily profile.
describe('over Streamable HTTP', { tags: 'long' }, () => toolTests('Streamable HTTP'))

test('two concurrent clients get their own answers', async () => {
  const amounts = Array.from({ length: 6 }, (_, k) => (ETHER * BigInt(k + 1)) / 10n)
  const calls = [stdio.call, await connectHttp(), await connectHttp()]
  const answers = await Promise.all(
    calls.flatMap((call) => amounts.map((amount) => call('quote', swapOf('WETH', 'USDC', amount)))),
  )
  const expected = calls.flatMap(() => amounts.map(String))
  expect(answers.map((answer) => answerOf(answer).fromAmount)).toEqual(expected)
}, 120_000)

describe('the inspector', () => {
  const cli = createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector-cli/build/index.js')
  const inspect = async (...args: readonly string[]) => {
    const line = [cli, process.execPath, BIN, '--method', ...args, '--', ...options]
    // The inspector looks for its own package.json in the working directory.
    const { stdout } = await promisify(execFile)(process.execPath, line, { cwd: dirname(cli), maxBuffer: 16 << 20 })
    return JSON.parse(stdout)
  }

  test('lists every tool with schemas that hosts accept', async () => {
    const { tools } = await inspect('tools/list')
    expect(tools.map(({ name }: { name: string }) => name).sort()).toEqual(TOOLS)
    for (const { inputSchema, outputSchema, annotations, description } of tools) {
      expect(description.length).toBeGreaterThan(20)
      expect(annotations).toMatchObject({ readOnlyHint: true, destructiveHint: false })
      expect(outputSchema.type).toBe('object')
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
      // Some hosts reject the whole tool list if a schema has these keywords at the top level.
      for (const word of ['anyOf', 'oneOf', 'allOf', 'not', '$ref', '$defs'])
        expect(inputSchema).not.toHaveProperty(word)
      for (const [name, field] of Object.entries<{ description?: string; type?: string }>(inputSchema.properties)) {
        expect(field.description, name).toBeTruthy()
        expect(name).not.toMatch(/key|secret|mnemonic|seed|password/i)
        if (/amount|value/i.test(name)) expect(field.type, name).toBe('string')
      }
    }
  }, 120_000)

  test('calls a tool, and shows an error as a result', { tags: 'long', timeout: 120_000 }, async () => {
    const chain = `chainId=${CHAIN}`
    const result = await inspect('tools/call', '--tool-name', 'tokens', '--tool-arg', chain, 'q=DAI', 'limit=3')
    expect(result.structuredContent.tokens[0]).toMatchObject({ symbol: 'DAI', decimals: 18 })
    const [src, dst] = [`src=${stage.token('WETH')}`, `dst=${stage.token('USDC')}`]
    const args = ['--tool-name', 'quote', '--tool-arg', chain, src, dst]
    // Without quotes, the inspector would send a number.
    expect(answerOf(await inspect('tools/call', ...args, `amount="${ETHER}"`)).fromAmount).toBe(`${ETHER}`)
    const refused = await inspect('tools/call', ...args, `amount=${ETHER}`)
    expect(refused.isError).toBe(true)
    expect(textOf(refused)).toMatch(/amount.*decimal string|decimal string.*amount/s)
  })
})

test('random combinations of documented parameters get a valid answer or an error that names its code', async () => {
  const token = fc.constantFrom(
    ...['ETH', 'WETH', 'USDC', 'USDT', 'DAI', 'WBTC', 'LINK', 'TAXED', 'SDAI'].map(stage.token),
  )
  const amount = fc
    .tuple(fc.integer({ min: 1, max: 999 }), fc.integer({ min: 3, max: 19 }))
    .map(([digits, zeros]) => `${digits}${'0'.repeat(zeros)}`)
  const families = [...new Set(stage.devnet.info.pools.map(({ family }) => family))]
  const pools = stage.devnet.info.pools.flatMap(({ id, address }) => id ?? address ?? [])
  const request = fc.record(
    {
      ...{ chainId: fc.constant(CHAIN), src: token, dst: token },
      amount,
      slippage: fc.constantFrom(0, 0.01, 0.5, 50, 'auto'),
      maxPriceImpact: fc.constantFrom(0.1, 15, 50, 100),
      ...{ maxHops: fc.integer({ min: 1, max: 4 }), maxSplits: fc.integer({ min: 1, max: 64 }) },
      includeSources: fc.shuffledSubarray(families, { minLength: families.length - 3 }),
      excludeSources: fc.shuffledSubarray([...families, 'nobody'], { minLength: 1, maxLength: 2 }),
      excludePools: fc.uniqueArray(fc.constantFrom(...pools), { minLength: 1, maxLength: 3 }),
      intermediates: fc.constantFrom('named', 'earned', 'any'),
    },
    { requiredKeys: ['chainId', 'src', 'dst', 'amount'] },
  )
  const exact = fc.boolean()
  const built = fc.record(
    {
      minToAmount: fc.oneof(fc.constant('1'), amount),
      deadline: fc.constant(4_000_000_000),
      direct: fc.boolean(),
      accept: fc.constant(['curve.pool']),
    },
    { requiredKeys: ['minToAmount'] },
  )
  const counts = { quotes: 0, swaps: 0, errors: new Map<string, number>() }
  await fc.assert(
    fc.asyncProperty(request, built, exact, fc.boolean(), async (drawn, more, isExact, isBuild) => {
      const { amount, ...rest } = drawn
      const { minToAmount, ...terms } = more
      const amounts = isExact ? { amountOut: amount } : { amount }
      const limit = isExact ? { maxFromAmount: minToAmount } : { minToAmount }
      const extra = isBuild ? { from: stage.account(0), ...limit, ...terms } : {}
      const result = await stdio.call(isBuild ? 'build_swap' : 'quote', { ...rest, ...amounts, ...extra })
      if (!result.isError) {
        if (isBuild) counts.swaps++
        else counts.quotes++
        if (!isBuild) return
        const { proof } = answerOf(result)
        if (isExact) expect(BigInt(proof.amountIn)).toBeLessThanOrEqual(BigInt(minToAmount))
        else expect(BigInt(proof.minOutput)).toBeGreaterThanOrEqual(BigInt(minToAmount))
        return
      }
      expect(result.structuredContent).toBeUndefined()
      const code = /^([A-Z_]{3,40}): .+\nCure: .+/s.exec(textOf(result))?.[1]
      expect(code, textOf(result)).toBeDefined()
      expect(['INTERNAL', 'BAD_ANSWER', 'TIMEOUT', 'NETWORK']).not.toContain(code)
      counts.errors.set(code!, (counts.errors.get(code!) ?? 0) + 1)
    }),
    { numRuns: RUNS },
  )
  expect(counts.quotes).toBeGreaterThan(RUNS / 6)
  expect(counts.swaps).toBeGreaterThan(RUNS / 12)
  expect(counts.errors.size).toBeGreaterThan(2)
}, 600_000)

/** Tests of the command of the referee, with a fake chain. */
import { type Address, NATIVE, toAddress } from '@sluice/chains'
import type { SwapVerdict } from '@sluice/quoting'
import { RpcError } from '@sluice/rpc'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Config } from './config.ts'
import { runReferee } from './referee-command.ts'
import { unsupportedChainError } from './requests.ts'

const HASH = `0x${'Ab'.repeat(32)}`
const [ANN, TOKEN, OTHER] = ['1', '2', '3'].map((digit) => toAddress(`0x${digit.repeat(40)}`)) as [
  Address,
  Address,
  Address,
]
const chain = { chainId: 7, nativeCurrency: { symbol: 'XYZ', decimals: 3 }, wrappedNative: null }
const verdict = (change: object = {}) =>
  ({
    ...{ hash: HASH.toLowerCase(), outcome: 'swap', reason: null, mined: null, sandwich: null, gaps: [], trades: [] },
    ...change,
  }) as unknown as SwapVerdict
const comparison = (poolsPending: boolean) => ({
  state: 'parent',
  best: {
    id: 'q',
    amountOut: 9n,
    netAmountOut: null,
    pools: [],
    poolsPending,
    route: { legs: [], amountIn: 0n, amountOut: 0n, gas: 0 },
  },
  ...{ bound: null, leftBps: null, leftAtMostBps: null, leftNetBps: null },
})
const trade = (tokenIn: Address | typeof NATIVE, tokenOut: Address, ...pending: readonly boolean[]) => ({
  ...{ trader: ANN, recipient: ANN, tokenIn, tokenOut, amountIn: 1_500n, amountOut: 250n },
  ...{ netAmountOut: null, paidAtParent: null, fees: [], comparisons: pending.map(comparison) },
})

const output = { log: [] as string[], error: [] as string[] }
const calls: unknown[] = []
let chainIds: number[]
let config: Config | undefined
beforeEach(() => {
  for (const list of [output.log, output.error, calls]) list.length = 0
  chainIds = []
  for (const level of ['log', 'error'] as const)
    vi.spyOn(console, level).mockImplementation((text: string) => void output[level].push(text))
})
afterEach(() => void vi.restoreAllMocks())

/** Runs the command. @param verdicts - verdicts of the chain, one for each call; the last one repeats */
function run(
  args: readonly string[],
  verdicts: readonly (SwapVerdict | Error)[] = [verdict()],
  environment: NodeJS.ProcessEnv = {},
) {
  const remaining = [...verdicts]
  const liveChain = {
    rpc: 'rpc',
    judge: async (hash: string) => {
      const result = remaining.length > 1 ? remaining.shift()! : remaining[0]!
      calls.push(hash)
      if (result instanceof Error) throw result
      return result
    },
    waitUntilSettled: async (timeoutMs: number) => void calls.push(timeoutMs),
    tokens: {
      symbols: async (tokens: readonly Address[]) => {
        calls.push(tokens)
        return new Map([[TOKEN, 'TKN']])
      },
      facts: { decimals: (token: Address) => (token === TOKEN ? 2 : undefined) },
    },
  }
  const openServices = (_: unknown, loaded: Config) => {
    config = loaded
    return {
      chain: (chainId: number) => {
        chainIds.push(chainId)
        if (chainId === 8) throw unsupportedChainError(8)
        return { chain, liveChain }
      },
      close: async () => void calls.push('close'),
    }
  }
  return runReferee({ command: 'referee', args, environment, openServices: openServices as never })
}
const usage = expect.stringMatching(/^usage: referee <tx hash> --rpc <url>/)
const judged = [HASH, '--chain', '7']

test('a faulty environment is a message, and no data directory is shared with a service that runs', async () => {
  expect(await run([...judged, '--rpc', 'nowhere'])).toBe(2)
  expect(output.error.join()).toContain('RPC_URL_7: must be http')
  expect(await run(judged, [verdict()], { CHAINS_DIR: '/nowhere' })).toBe(2)
  expect(output.error.at(-1)).toContain('/nowhere')
  expect(calls).toEqual([])
  expect(await run(judged, [verdict()], { DATA_DIR: '/data' })).toBe(0)
  expect(config).toMatchObject({ dataDir: undefined })
})

describe('the command line', () => {
  test.each([
    ['no hash', ['--chain', '7']],
    ['two hashes', [HASH, HASH, '--chain', '7']],
    ['a short hash', [HASH.slice(0, -1), '--chain', '7']],
    ['a long hash', [`${HASH}0`, '--chain', '7']],
    ['text before the hash', [`x${HASH}`, '--chain', '7']],
    ['neither a node nor a chain', [HASH]],
  ])('with %s exits with 2 and the usage', async (_, args) => {
    expect(await run(args)).toBe(2)
    expect([output, calls]).toEqual([{ log: [], error: [usage] }, []])
  })

  test.each([
    ['a chain that is no number', ['--chain', 'x'], {}, /^--chain: x is not a chain id\nusage: referee/],
    ['an endpoint that is no URL', ['--chain', '7', '--rpc', 'nowhere'], {}, /RPC_URL_7: must be http/],
    ['a folder that does not exist', ['--chain', '7'], { CHAINS_DIR: '/nowhere' }, /^\/nowhere: cannot be listed/],
  ])('or environment with %s exits with 2 and names it', async (_, args, environment, message) => {
    expect(await run([HASH, ...args], undefined, environment)).toBe(2)
    expect([output, calls]).toEqual([{ log: [], error: [expect.stringMatching(message)] }, []])
  })

  test('with an unknown option names it', async () => {
    expect(await run(['--no'])).toBe(2)
    expect(output.error).toEqual([expect.stringMatching(/^Unknown option '--no'.*\nusage: referee/s)])
  })

  test.each(['--help', '-h'])('%s prints the usage and succeeds', async (option) => {
    expect(await run([option])).toBe(0)
    expect(output).toEqual({ log: [usage], error: [] })
  })
})

describe('the chain', () => {
  const answer = (body: unknown) => vi.spyOn(globalThis, 'fetch').mockResolvedValue(Response.json(body))

  test('is that of the node by default', async () => {
    const fetch = answer({ result: '0x7' })
    expect(await run([HASH, '--rpc', 'http://node/key'])).toBe(0)
    expect(chainIds).toEqual([7])
    expect(config!.rpcUrls.get(7)).toEqual(['http://node/key'])
    const [url, { method, headers, body }] = fetch.mock.calls[0] as [string, RequestInit]
    expect([url, method, headers]).toEqual(['http://node/key', 'POST', { 'content-type': 'application/json' }])
    expect(JSON.parse(body as string)).toEqual({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] })
  })

  test('may be named, and is not asked for then', async () => {
    const fetch = answer({ result: '0x1' })
    expect(await run([...judged, '--rpc', 'http://node'])).toBe(0)
    expect([chainIds, fetch.mock.calls]).toEqual([[7], []])
    expect(config!.rpcUrls.get(7)).toEqual(['http://node'])
    await run(judged)
    expect(config!.rpcUrls.size).toBe(0)
  })

  test.each([
    ['has no such method', { error: {} }],
    ['returns another text', { result: 'x' }],
    ['returns no JSON object', null],
  ])('is not known if the node %s, and its URL is not repeated', async (_, body) => {
    answer(body)
    expect(await run([HASH, '--rpc', 'http://node:8545/key'])).toBe(1)
    expect(output.error).toEqual(['--rpc: node:8545 does not answer eth_chainId'])
    expect(chainIds).toEqual([])
  })

  test('is not known without a response', async () => {
    vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('refused'))
    expect(await run([HASH, '--rpc', 'no url'])).toBe(1)
    expect(output.error).toEqual(['--rpc: no url does not answer eth_chainId'])
  })
})

describe('a verdict', () => {
  test('is printed as JSON, with the hash in lower case', async () => {
    expect(await run([...judged, '--json'])).toBe(0)
    expect(JSON.parse(output.log[0]!)).toMatchObject({ hash: HASH.toLowerCase(), outcome: 'swap', trades: [] })
    expect(output.log[0]).toContain('\n  "hash"')
    expect(calls).toEqual([HASH.toLowerCase(), 'close'])
  })

  test('is printed with symbols and decimals of its tokens', async () => {
    expect(await run(judged, [verdict({ trades: [trade(NATIVE, TOKEN), trade(TOKEN, OTHER)] })])).toBe(0)
    const [text] = output.log
    for (const line of [
      /gave +1\.5 XYZ$/m,
      /received +2\.5 TKN$/m,
      /gave +15\.0 TKN$/m,
      new RegExp(`received +250 ${OTHER}$`, 'm'),
    ])
      expect(text).toMatch(line)
    expect(calls[1]).toEqual([TOKEN, OTHER])
  })

  test('of no swap exits with 1', async () => {
    const reason = { code: 'WRAP', message: 'it wraps' }
    expect(await run(judged, [verdict({ outcome: 'wrap', reason })])).toBe(1)
    expect(output.log).toEqual(['No swap to judge: it wraps.'])
  })

  test.each([
    ['no pools are missing', [[false, false], [false]], false],
    ['pools of one comparison are missing', [[false], [false, true]], true],
    ['pools of all comparisons are missing', [[true], [true]], true],
  ])('is repeated after the search for pools if %s: %j', async (_, pending, isRepeated) => {
    const first = verdict({ trades: pending.map((flags) => trade(NATIVE, TOKEN, ...flags)) })
    const second = verdict({ hash: 'second' })
    expect(await run([...judged, '--json'], [first, second])).toBe(0)
    const hash = HASH.toLowerCase()
    expect(calls).toEqual(isRepeated ? [hash, 60_000, hash, 'close'] : [hash, 'close'])
    expect(JSON.parse(output.log[0]!).hash).toBe(isRepeated ? 'second' : hash)
  })
})

describe('a failure', () => {
  test('exits with 1, closes the chains, and is printed as text or JSON', async () => {
    const failure = new RpcError('TIMEOUT', 'secret details')
    expect(await run(judged, [failure])).toBe(1)
    expect(output.error).toEqual([expect.not.stringContaining('secret')])
    expect([output.log, calls.at(-1)]).toEqual([[], 'close'])
    calls.length = 0
    expect(await run([...judged, '--json'], [failure])).toBe(1)
    expect(JSON.parse(output.log[0]!)).toEqual({ error: output.error[0], code: expect.stringMatching(/^[A-Z_]+$/) })
  })

  test('by an unsupported chain names the directories that add chains', async () => {
    expect(await run([HASH, '--chain', '8'])).toBe(1)
    expect(output.error).toEqual([expect.stringMatching(/\b8 is not supported.*\nCHAINS_DIR and DEPLOYMENTS_DIR/s)])
    expect(output.error[0]).toContain('chain')
  })
})

/** Tests responses of a hostile service: genuine routes with one change each. */
import { decodeGuardSwap, encodeGuardSwap, type GuardSwap } from '@sluice/bindings/guard'
import { request } from '@sluice/devnet'
import { decodeProgram, encodeProgram, type Step } from '@sluice/program'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { orderRows } from '../scripts/field-table.ts'
import {
  atPrice,
  contractsOf,
  explain,
  fromEip1193,
  NATIVE,
  type Outgoing,
  pricedBy,
  quotedBy,
  type Route,
  SluiceClient,
  type SwapOptions,
  type SwapParameters,
  swap,
  verify,
  type Wallet,
} from '../src/index.ts'
import { CHAIN, type Stage, startStage } from './service.ts'

const untrusted = `0x${'57'.repeat(20)}` as const
const MILLENNIUM_SECONDS = 1_000n * 365n * 86_400n
let stage: Stage
beforeAll(async () => {
  stage = await startStage()
  // The accounts sell WETH in these tests.
  for (const { address } of stage.devnet.info.accounts) {
    const wallet = fromEip1193({ request: ({ method, params }) => request(stage.devnet.url, method, params) }, address)
    // deposit()
    await wallet.succeeded(await wallet.send({ to: stage.token('WETH'), data: '0xd0e30db0', value: 10n * amount }))
  }
})
afterAll(() => stage?.stop())

const amount = 10n ** 16n
const wethForUsdc = (): SwapParameters => ({
  src: stage.token('WETH'),
  dst: stage.token('USDC'),
  amount,
  from: stage.devnet.info.accounts[3]!.address,
})

function reordered(route: Route, change: (order: GuardSwap) => Partial<GuardSwap>): Route {
  const order = decodeGuardSwap(route.tx.data, BigInt(route.tx.value))
  return { ...route, tx: { ...route.tx, data: encodeGuardSwap({ ...order, ...change(order) }) } }
}

function rewritten(route: Route, change: (steps: readonly Step[]) => readonly Step[]): Route {
  return reordered(route, ({ tokenIn, program }) => ({
    program: encodeProgram(change(decodeProgram(program, tokenIn as `0x${string}`))),
  }))
}

/** Changes only the output and minimum output of a route, to 1 base unit. */
const cheap = (route: Route): Route => ({ ...reordered(route, () => ({ minOutput: 1n })), toAmount: '1' })

describe('verify', () => {
  const refuses = (route: Route, request: SwapParameters, message: RegExp, terms: SwapOptions = {}) =>
    expect(() => verify(CHAIN, route, request, { ...stage, ...terms })).toThrow(
      expect.objectContaining({ code: 'UNSAFE', message: expect.stringMatching(message) }),
    )

  test('compares the minimum output with the expectation of the caller', async () => {
    const request = wethForUsdc()
    const route = await stage.client.getSwap(CHAIN, request)
    const minToAmount = BigInt(route.minToAmount!)
    expect(verify(CHAIN, route, request, { ...stage, minToAmount }).minOutput).toBe(minToAmount)
    refuses(cheap(route), request, /below minToAmount/, { minToAmount })
    refuses(route, request, /below minToAmount/, { minToAmount: minToAmount + 1n })
    refuses(route, request, /minToAmount must be an integer/, { minToAmount: '1e18' })
  })

  test('refuses a response if any field of the order differs', async () => {
    const request = wethForUsdc()
    const route = await stage.client.getSwap(CHAIN, request)
    const signature = `0x${'11'.repeat(64)}1b` as const
    const permit = { kind: 'eip2612', amount, nonce: 0n, deadline: MILLENNIUM_SECONDS, signature } as const
    const changes: Readonly<Record<keyof typeof orderRows, (order: GuardSwap) => Partial<GuardSwap>>> = {
      tokenIn: () => ({ tokenIn: untrusted }),
      amountIn: ({ amountIn }) => ({ amountIn: amountIn + 1n }),
      tokenOut: () => ({ tokenOut: untrusted }),
      minOutput: ({ minOutput }) => ({ minOutput: minOutput - 1n }),
      deadline: ({ deadline }) => ({ deadline: deadline + MILLENNIUM_SECONDS }),
      executor: () => ({ executor: untrusted }),
      wrapper: () => ({ recipient: request.from, wrapper: untrusted }),
      feePpm: () => ({ recipient: request.from, feePpm: 1n, feeRecipient: untrusted }),
      feeRecipient: () => ({ recipient: request.from, feePpm: 1n, feeRecipient: request.from }),
      recipient: () => ({ recipient: untrusted }),
      direct: () => ({ recipient: request.from, direct: true }),
      program: ({ program }) => ({ program: `${program}00` }),
      permit: () => ({ recipient: request.from, permit }),
    }
    expect(verify(CHAIN, route, request, stage).tokenIn).toBe(request.src)
    for (const [field, change] of Object.entries(changes)) {
      const changed = reordered(route, change)
      expect(changed.tx.data, field).not.toBe(route.tx.data)
      expect(() => verify(CHAIN, changed, request, stage), field).toThrow(expect.objectContaining({ code: 'UNSAFE' }))
    }
  })

  test('allows direct mode only if requested, and with a known Executor', async () => {
    const request = wethForUsdc()
    const route = await stage.client.getSwap(CHAIN, request)
    expect(explain(route.tx)).toMatchObject({ mode: 'custody', executor: stage.devnet.info.executor })
    const direct = reordered(route, () => ({ recipient: request.from, direct: true }))
    expect(explain(direct.tx).mode).toBe('direct')
    refuses(direct, request, /direct mode/)
    expect(verify(CHAIN, direct, request, { ...stage, direct: true }).mode).toBe('direct')
    const unknown = reordered(direct, () => ({ executor: untrusted }))
    expect(explain(unknown.tx).executor).toBe(untrusted)
    refuses(unknown, request, /Executor .* is not known/, { direct: true })
    const contracts = { ...stage.contracts, executors: [untrusted] }
    expect(verify(CHAIN, unknown, request, { contracts, direct: true }).executor).toBe(untrusted)
  })

  test('compares the deadline with the requested or default one', async () => {
    const { timestamp } = await request<{ timestamp: string }>(stage.devnet.url, 'eth_getBlockByNumber', [
      'latest',
      false,
    ])
    const deadline = Math.max(Number(timestamp), Math.floor(Date.now() / 1000)) + 60
    const limited = { ...wethForUsdc(), deadline }
    const route = await stage.client.getSwap(CHAIN, limited)
    expect(verify(CHAIN, route, limited, stage).deadline).toBe(BigInt(deadline))
    for (const later of [1n, MILLENNIUM_SECONDS]) {
      const late = reordered(route, ({ deadline }) => ({ deadline: deadline + later }))
      refuses(late, limited, /the deadline/)
    }
    const late = reordered(route, ({ deadline }) => ({ deadline: deadline + MILLENNIUM_SECONDS }))
    refuses(late, wethForUsdc(), /the deadline/)
  })

  test('refuses an unknown pool manager with a genuine pool id', async () => {
    const v4 = stage.devnet.info.pools.find(({ family }) => family === 'uniswap-v4')!
    const [src, dst] = v4.tokens.map((symbol) => (symbol === 'ETH' ? NATIVE : stage.token(symbol))) as [string, string]
    const request = { ...wethForUsdc(), src, dst, includeSources: ['uniswap-v4'], maxPriceImpact: 100 }
    const route = await stage.client.getSwap(CHAIN, request)
    verify(CHAIN, route, request, stage)
    const fake = rewritten(route, (steps) =>
      steps.map((step) => (step.op === 'uniswap-v4' ? { ...step, manager: untrusted } : step)),
    )
    expect(explain(fake.tx).pools).toEqual(explain(route.tx).pools)
    expect(explain(fake.tx).singletons).toEqual([untrusted])
    refuses(fake, request, /manager .* is not known/)
  })

  test('refuses the vault of one Balancer in a step of the other', async () => {
    const pool = stage.devnet.info.pools.find(({ family }) => family === 'balancer-v2')!
    const [src, dst] = pool.tokens.map((symbol) => stage.token(symbol)) as [string, string]
    const request = { ...wethForUsdc(), src, dst, includeSources: ['balancer-v2'], maxPriceImpact: 100 }
    const route = await stage.client.getSwap(CHAIN, request)
    verify(CHAIN, route, request, stage)
    const vault = stage.contracts.vaultsV3[0] as `0x${string}`
    const other = rewritten(route, (steps) =>
      steps.map((step) => (step.op === 'balancer-v2' ? { ...step, vault } : step)),
    )
    refuses(other, request, /vault .* is not known/)
  })

  test('refuses a batch without hops, which would send the input to its recipient', async () => {
    const request = wethForUsdc()
    const route = await stage.client.getSwap(CHAIN, request)
    const half = (amount / 2n).toString(16).padStart(32, '0')
    const evil = reordered(route, ({ program }) => ({
      program: `0x080c${half}${untrusted.slice(2)}00${program.slice(2)}`,
    }))
    refuses(evil, request, /needs at least one hop/)
  })

  test('refuses bytes after the program', async () => {
    const request = wethForUsdc()
    const route = await stage.client.getSwap(CHAIN, request)
    for (const tail of ['00', '0'.repeat(64), 'f'.repeat(64)]) {
      const longer = { ...route, tx: { ...route.tx, data: `${route.tx.data}${tail}` as const } }
      refuses(longer, request, /not encoded as the compiler does/)
    }
  })

  test('refuses a program that leaves tokens behind, or prepays an input that no step takes', async () => {
    const request = wethForUsdc()
    const route = await stage.client.getSwap(CHAIN, request)
    const last = (change: Partial<Step>) =>
      rewritten(route, (steps) => [...steps.slice(0, -1), { ...steps.at(-1)!, ...change } as Step])
    refuses(last({ output: { kind: 'executor' } }), request, /leaves tokens in the Executor/)
    const [pool] = explain(route.tx).pools
    refuses(last({ output: { kind: 'address', address: pool as `0x${string}` } }), request, /pays a stranger/)
    refuses(last({ input: { kind: 'pull', amount: 1n } }), request, /leaves input|what step/)
  })

  test('refuses an unknown wrapper', async () => {
    const request = { ...wethForUsdc(), src: NATIVE, includeSources: ['uniswap-v2'] }
    const route = await stage.client.getSwap(CHAIN, request)
    verify(CHAIN, route, request, stage)
    expect(() => verify(CHAIN, route, request, { contracts: { ...stage.contracts, wrapper: untrusted } })).toThrow(
      /wrapper/,
    )
  })

  test('refuses an unwrap by the Guard that no step pays for', async () => {
    const request = { ...wethForUsdc(), dst: NATIVE }
    const route = await stage.client.getSwap(CHAIN, request)
    verify(CHAIN, route, request, stage)
    const wrapper = stage.token('WETH')
    refuses(
      reordered(route, () => ({ recipient: request.from, wrapper })),
      request,
      /unwrap what nobody pays it/,
    )
  })

  test('knows the contracts of every chain with a Guard, and requires those of other chains from the caller', async () => {
    const ethereum = contractsOf(1)!
    expect(ethereum.executors).toHaveLength(1)
    expect(ethereum.managers).toEqual(['0x000000000004444c5dc75cb358380d2e3de08a90'])
    expect(ethereum.vaultsV2).toContain('0xba12222222228d8ba445958a75a0704d566bf2c8')
    expect(ethereum.wrapper).toBe('0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2')
    const request = wethForUsdc()
    const route = await stage.client.getSwap(CHAIN, request)
    const { guard } = stage
    expect(() => verify(CHAIN, route, request, { contracts: { guard } })).toThrow(/not known to this version/)
  })
})

describe('swap signs nothing', () => {
  const behind = (change: (route: Route) => Route) => {
    const fetched: typeof fetch = async (input, init) => {
      const answer = await fetch(input, init)
      return String(input).includes('/aggregator/') ? Response.json(change((await answer.json()) as Route)) : answer
    }
    return new SluiceClient({ baseUrl: stage.server.url, timeoutMs: 30_000, fetch: fetched })
  }
  const walletOf = (index: number, refused: readonly string[] = []) => {
    const sent: Outgoing[] = []
    const wallet = fromEip1193(
      {
        request: ({ method, params }) => {
          // Simulates a node without state overrides.
          if (method === 'eth_call' && params.length > 2 && refused.includes('overrides'))
            throw new Error('no overrides')
          return request(stage.devnet.url, method, params ?? [])
        },
      },
      stage.devnet.info.accounts[index]!.address,
    )
    const send = (transaction: Outgoing) => {
      sent.push(transaction)
      return wallet.send(transaction)
    }
    return { sent, wallet: { ...wallet, send } as Wallet }
  }
  const wanted = () => {
    const { from, ...rest } = wethForUsdc()
    return rest
  }

  test('if the simulated output exceeds the minimum output by too much', async () => {
    const { sent, wallet } = walletOf(4)
    const result = swap(behind(cheap), wallet, CHAIN, wanted(), stage)
    await expect(result).rejects.toMatchObject({ code: 'UNSAFE', message: expect.stringContaining('brings') })
    expect(sent).toEqual([])
  })

  test('if a second service, its prices, or the caller contradict the amount', async () => {
    const { client } = stage
    for (const witness of [quotedBy(client, CHAIN), pricedBy(client, CHAIN), atPrice(2_000)]) {
      const { sent, wallet } = walletOf(4)
      const result = swap(behind(cheap), wallet, CHAIN, wanted(), { ...stage, witness })
      await expect(result).rejects.toMatchObject({
        code: 'UNSAFE',
        message: expect.stringContaining('below minToAmount'),
      })
      expect(sent).toEqual([])
    }
  })

  test('if simulation is impossible, and signs if the caller trusts the quote', async () => {
    const { sent, wallet } = walletOf(5)
    const mute = {
      ...wallet,
      call: (to: string, data: `0x${string}`, value?: bigint) =>
        data.startsWith('0x2dfcad76') ? Promise.reject(new Error('out of order')) : wallet.call(to, data, value),
    }
    const { request, ...noOverrides } = mute
    const refused = swap(stage.client, noOverrides, CHAIN, wanted(), stage)
    await expect(refused).rejects.toMatchObject({
      code: 'UNSAFE',
      message: expect.stringContaining('confirms the amount'),
    })
    // Only the approval was sent. The Guard draws only in swaps of this sender.
    expect(sent.map(({ to }) => to)).toEqual([stage.token('WETH')])
    const { route } = await swap(stage.client, noOverrides, CHAIN, wanted(), { ...stage, trustQuote: true })
    expect(sent.at(-1)!.data).toBe(route.tx.data)
  })

  test('before an honest quote is confirmed: by override, after the approval, or by a witness', async () => {
    const { client } = stage
    for (const [index, refused, options] of [
      [6, [], {}],
      [7, ['overrides'], {}],
      [8, ['overrides'], { witness: quotedBy(client, CHAIN) }],
      [9, [], { witness: pricedBy(client, CHAIN), tolerance: 2 }],
    ] as const) {
      const { sent, wallet } = walletOf(index, refused)
      const before = await stage.balance(stage.token('USDC'), wallet.address)
      const { route } = await swap(client, wallet, CHAIN, wanted(), { ...stage, ...options })
      expect(sent).toHaveLength(2)
      expect((await stage.balance(stage.token('USDC'), wallet.address)) - before).toBe(BigInt(route.toAmount))
    }
  })
})

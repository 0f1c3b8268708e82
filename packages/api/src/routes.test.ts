/** Tests of the endpoints that read a node or a solver, through the app, with the node in memory. */
import type { Hex } from '@sluice/chains'
import { RpcError } from '@sluice/rpc'
import { SimulationError } from '@sluice/simulation'
import { AbiCoder, Interface } from 'ethers'
import { describe, expect, test, vi } from 'vitest'
import { account, ONE, served, TWO } from '../test/src/in-memory.ts'
import { readCardLink } from './routes/card.ts'

const guard = account('f')
const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`
const hash = `0x${'ab'.repeat(32)}`
const json = async (answer: Promise<{ readonly status: number; readonly body: string }>) => {
  const { status, body } = await answer
  return { status, body: JSON.parse(body) }
}

describe('/status', () => {
  const ORDER = '(address tokenIn,address tokenOut,uint256 minOutput,uint256 deadline,address executor)'
  const abi = new Interface([`function swap(uint256,${ORDER},bytes)`])
  const input = abi.encodeFunctionData('swap', [100n, [ONE, TWO, 90n, 77n, account('5')], '0x'])
  const sent = { hash, from: account('1'), to: guard, input, value: '0x0', gas: '0x5208', blockHash: null }
  const mined = {
    ...{ transactionHash: hash, blockHash: hash, blockNumber: '0x10', status: '0x1', gasUsed: '0x64' },
    ...{ effectiveGasPrice: '0x7', logs: [] as object[] },
  }
  type Node = {
    readonly transaction?: object | null
    readonly receipt?: object | null
    readonly head?: number | null
    readonly call?: (...of: unknown[]) => unknown
    readonly block?: object | null
  }
  const nodeCalls: unknown[][] = []
  const status = (
    { transaction = sent, receipt = mined, head = 18, call = () => '0x', block = { timestamp: 5 } }: Node,
    query = '',
    hashText = hash,
  ) => {
    const rpc = {
      request: async (method: string) => (method === 'eth_getTransactionByHash' ? transaction : receipt),
      getBlock: async (of: unknown) => (of === 'latest' ? head && { number: head } : block),
      call: async (...of: unknown[]) => {
        nodeCalls.push(of)
        return call(...of)
      },
    }
    return json(served({ rpc, contracts: { guard } }).ask(`/status/1/${hashText}${query}`))
  }

  test('of a mined swap has its block, confirmations, cost and order', async () => {
    expect(await status({})).toEqual({
      status: 200,
      body: {
        ...{ hash, status: 'landed', block: 16, blockHash: hash, confirmations: 3, from: account('1'), to: guard },
        ...{ gasUsed: '100', gasCost: { native: '700', l1Fee: null }, reason: null },
        swap: { src: ONE, dst: TWO, fromAmount: '100', minToAmount: '90', deadline: 77, spent: null, received: null },
      },
    })
    const { body } = await status({ receipt: { ...mined, l1Fee: '0x5' } })
    expect(body.gasCost).toEqual({ native: '705', l1Fee: '5' })
    const operatorFee = { operatorFeeScalar: '0x1', operatorFeeConstant: '0x3', daFootprintGasScalar: '0x0' }
    const jovian = await status({ receipt: { ...mined, l1Fee: '0x5', ...operatorFee } })
    expect(jovian.body.gasCost).toEqual({ native: '10708', l1Fee: '10008' })
    // On Celo, the gas price of such a transaction is in units of the token.
    expect((await status({ transaction: { ...sent, feeCurrency: ONE } })).body.gasCost).toBeNull()
    expect((await status({ receipt: { ...mined, effectiveGasPrice: null } })).body.gasCost).toBeNull()
    expect((await status({}, '', `0x${hash.slice(2).toUpperCase()}`)).body).toMatchObject({ hash, status: 'landed' })
    expect((await status({}, '?toAmount=90')).body.swap).toMatchObject({ quoted: '90', difference: null })
  })

  test('has at least one confirmation, also without a head', async () => {
    for (const [head, confirmations] of [
      [16, 1],
      [17, 2],
      [3, 1],
      [null, 1],
    ] as const)
      expect((await status({ head })).body.confirmations).toBe(confirmations)
  })

  test('of a transaction that waits, or that no node has, has no block', async () => {
    const none = { block: null, blockHash: null, confirmations: null, gasUsed: null, gasCost: null, reason: null }
    expect((await status({ receipt: null })).body).toMatchObject({ ...none, status: 'pending', from: account('1') })
    const unknown = await status({ receipt: null, transaction: null })
    expect(unknown.body).toMatchObject({ ...none, status: 'unknown', from: null, to: null, swap: null })
  })

  test('of a revert has its reason, from a call on the state before its block', async () => {
    const data = `0x08c379a0${AbiCoder.defaultAbiCoder().encode(['string'], ['too late']).slice(2)}`
    const reverts = () => {
      throw new RpcError('REVERTED', 'x', data as Hex)
    }
    const receipt = { ...mined, status: '0x0' }
    nodeCalls.length = 0
    expect((await status({ receipt, call: reverts })).body).toMatchObject({
      status: 'reverted',
      reason: expect.stringContaining('too late'),
    })
    expect(nodeCalls).toMatchObject([
      [
        { from: account('1'), to: guard, data: input, value: 0n, gas: 21_000n },
        15,
        { blockOverrides: { number: 16, timestamp: 5 } },
      ],
    ])
    expect((await status({ receipt })).body.reason).toBeNull()
    const failed = () => {
      throw new RpcError('PRUNED', 'x')
    }
    expect((await status({ receipt, call: failed })).body.reason).toBeNull()
    for (const change of [
      { block: null },
      { transaction: { ...sent, to: null } },
      { receipt: { ...receipt, blockNumber: '0x0' } },
    ]) {
      const before = nodeCalls.length
      expect((await status({ receipt, call: reverts, ...change })).body.reason).toBeNull()
      expect(nodeCalls.length).toBe(before)
    }
    expect((await status({ receipt, call: () => Promise.reject(new TypeError('bug')) })).status).toBe(500)
  })

  test('is RPC_FAILED for a malformed response and for one about another transaction', async () => {
    const other = `0x${'cd'.repeat(32)}`
    for (const node of [
      { transaction: { ...sent, from: 'x' } },
      { receipt: { ...mined, status: null } },
      { transaction: { ...sent, hash: other } },
      { receipt: { ...mined, transactionHash: other } },
    ])
      expect((await status(node)).body).toMatchObject({ code: 'RPC_FAILED' })
  })

  test('is refused for what is no hash', async () => {
    const { ask } = served({})
    for (const wrong of ['0x12', `${hash}0`, hash.slice(2)])
      expect(await json(ask(`/status/1/${wrong}`))).toMatchObject({ status: 400, body: { code: 'INVALID_PARAMETER' } })
  })
})

describe('/simulate', () => {
  const query = `from=${ONE}&to=${TWO}&data=0x12&tokenIn=${account('3')}&amountIn=5&tokenOut=${account('4')}`
  const result = { success: true, amountOut: 9n, gasUsed: 7, returnData: '0x' }
  const simulate = (run: (of: Record<string, unknown>) => unknown, more = '', rpc: object = {}) => {
    const runs: Record<string, unknown>[] = []
    const liveChain = {
      rpc: { getBlock: async () => ({ number: 5 }), getCode: async () => '0x', ...rpc },
      simulate: async (of: Record<string, unknown>) => {
        runs.push(of)
        return run(of)
      },
    }
    return json(served(liveChain).ask(`/simulate/1?${query}${more}`)).then((answer) => ({ ...answer, runs }))
  }
  const ofBlock = (code: 'LAGGING' | 'REJECTED') => () => {
    throw new RpcError(code, 'gone')
  }

  test('passes on all fields, and answers with the block as it was sent', async () => {
    const all = `&gas=1&gasPrice=2&spender=${account('6')}&coinbase=${account('7')}&balanceSlot=3&allowanceSlot=0&block=0x5`
    const { body, runs } = await simulate(() => result, all)
    expect(body).toEqual({ success: true, amountOut: '9', gasUsed: 7, returnData: '0x', block: '0x5' })
    expect(runs).toMatchObject([
      {
        ...{ from: ONE, to: TWO, data: '0x12', tokenIn: account('3'), amountIn: 5n, tokenOut: account('4'), block: 5 },
        ...{
          bareRunMode: 'measured',
          knownState: { header: { number: 5 } },
          gas: 1n,
          gasPrice: 2n,
          spender: account('6'),
        },
        ...{ coinbase: account('7'), balanceSlot: 3n, allowanceSlot: 0n },
      },
    ])
    const plain = (await simulate(() => result)).runs[0]!
    for (const name of ['known', 'gas', 'gasPrice', 'spender', 'coinbase', 'balanceSlot', 'allowanceSlot'])
      expect(plain).not.toHaveProperty(name)
  })

  test('answers a revert with its reason and no output', async () => {
    const { body } = await simulate(() => ({ ...result, success: false }))
    expect(body).toMatchObject({ success: false, amountOut: '0', revertReason: 'reverted without a reason' })
    const named = await simulate(() => ({ ...result, success: false, revertReason: 'late' }))
    expect(named.body.revertReason).toBe('late')
  })

  test('refuses a block that does not exist before it simulates', async () => {
    const { body, runs } = await simulate(() => result, '&block=7', { getBlock: async () => null })
    expect([body.error, runs]).toEqual(['block 7 does not exist', []])
  })

  test('repeats a simulation of a tag whose block was removed, three times', async () => {
    let attempts = 0
    const once = await simulate(() => (++attempts === 1 ? ofBlock('REJECTED')() : result))
    expect([once.body.amountOut, once.runs.length]).toEqual(['9', 2])
    expect((await simulate(ofBlock('REJECTED'))).runs).toHaveLength(3)
    expect((await simulate(ofBlock('REJECTED'), '&block=5')).runs).toHaveLength(1)
    const other = await simulate(() => {
      throw new RpcError('REVERTED', 'x')
    })
    expect(other.runs).toHaveLength(1)
  })

  test('does not repeat a simulation of a request that has timed out', async () => {
    let runs = 0
    const rejectAtTimeout = ({ signal }: { readonly signal: AbortSignal }) => {
      runs++
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new RpcError('REJECTED', 'gone')))
      })
    }
    const liveChain = { rpc: {}, simulate: rejectAtTimeout }
    const { body } = await json(served(liveChain, { REQUEST_TIMEOUT_MS: '100' }).ask(`/simulate/1?${query}`))
    expect([body.code, runs]).toEqual(['TIMEOUT', 1])
  })

  test('tells a pruned block from another failure', async () => {
    const lagging = await simulate(ofBlock('LAGGING'), '&block=5')
    expect(lagging.body).toMatchObject({ code: 'NO_STATE', error: expect.stringContaining('block 5') })
    const noCode = { getCode: () => Promise.reject(new Error('missing trie node')) }
    expect((await simulate(ofBlock('REJECTED'), '&block=5', noCode)).body.code).toBe('NO_STATE')
    expect((await simulate(ofBlock('REJECTED'), '&block=5')).body.code).toBe('RPC_FAILED')
    const slow = { getCode: () => Promise.reject(new RpcError('TIMEOUT', 'no answer')) }
    expect((await simulate(ofBlock('REJECTED'), '&block=5', slow)).body.code).toBe('RPC_FAILED')
    const pruned = { getCode: () => Promise.reject(new RpcError('PRUNED', 'missing trie node')) }
    expect((await simulate(ofBlock('REJECTED'), '&block=5', pruned)).body.code).toBe('NO_STATE')
  })

  test('suggests the slots that it needs', async () => {
    const { body } = await simulate(() => {
      throw new SimulationError('UNKNOWN_SLOTS', 'no slots')
    })
    expect(body).toMatchObject({
      code: 'UNKNOWN_SLOTS',
      error: 'no slots: balanceSlot and allowanceSlot must be given',
    })
  })
})

describe('approvals in the format of 1inch', () => {
  const ask = (path: string, rpc: object = {}) =>
    json(served({ rpc }, { COMPATIBLE: '1' }).ask(`/compatible/1inch/swap/v6.0/1/approve/${path}`))
  const allowance = `allowance?tokenAddress=${ONE}&walletAddress=${TWO}`
  const MAX = (2n ** 256n - 1n).toString()

  test('name the Guard, the allowance, and an approval of exactly the amount', async () => {
    expect((await ask('spender')).body).toEqual({ address: guard })
    const calls: unknown[] = []
    const call = async (of: unknown) => {
      calls.push(of)
      return word(7n)
    }
    expect((await ask(allowance, { call })).body).toEqual({ allowance: '7' })
    const padded = [TWO, guard].map((address) => address.slice(2).padStart(64, '0')).join('')
    expect(calls).toEqual([{ to: ONE, data: `0xdd62ed3e${padded}` }])
    const gasPrice = async () => 9n
    const { body } = await ask(`transaction?tokenAddress=${ONE}&amount=5`, { gasPrice })
    expect(body).toEqual({
      data: `0x095ea7b3${guard.slice(2).padStart(64, '0')}${word(5n).slice(2)}`,
      gasPrice: '9',
      to: ONE,
      value: '0',
    })
    expect((await ask(`transaction?tokenAddress=${ONE}`, { gasPrice })).status).toBe(400)
  })

  test('of the native token are not needed', async () => {
    const native = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
    expect((await ask(`allowance?tokenAddress=${native}&walletAddress=${TWO}`)).body).toEqual({ allowance: MAX })
  })

  test('of no token are refused, and a failure of the node is not', async () => {
    const failing = (code: 'REVERTED' | 'CONNECTION') => ({
      call: () => Promise.reject(new RpcError(code as never, 'x')),
    })
    expect(await ask(allowance, failing('REVERTED'))).toMatchObject({
      status: 400,
      body: { error: 'Bad Request', description: 'tokenAddress is not an ERC-20 on this chain' },
    })
    expect((await ask(allowance, { call: async () => '0x' })).status).toBe(400)
    expect((await ask(allowance, { call: () => Promise.reject(new RpcError('RATE_LIMITED', 'x')) })).status).not.toBe(
      400,
    )
  })

  test('of unknown paths and chains have the errors of the other service', async () => {
    expect(await ask('nothing')).toMatchObject({ status: 404, body: { statusCode: 404, error: 'Not Found' } })
    const { ask: get } = served({}, { COMPATIBLE: '1' })
    const zeroX = await json(get('/compatible/0x/swap/allowance-holder/quote?chainId=5'))
    expect(zeroX).toMatchObject({ status: 404, body: { name: 'UNSUPPORTED_CHAIN', data: { zid: expect.any(String) } } })
    expect((await json(get('/compatible/other'))).body).toMatchObject({ code: 'NOT_FOUND' })
    expect((await get('/compatible/0x/x')).status).toBe(404)
    expect((await served().ask('/compatible/0x/x')).body).toContain('NOT_FOUND')
  })

  test.each(['v6.0/1/swap', 'v6.0/1/quote', 'v6.1/1/swap', 'v6.1/1/quote'])(
    'of %s name a missing parameter',
    async (path) => {
      const { ask: get } = served({}, { COMPATIBLE: '1' })
      const { status, body } = await json(get(`/compatible/1inch/swap/${path}`))
      expect([status, body.description]).toEqual([400, expect.stringContaining('src')])
    },
  )

  test('without a route answer 200 in the format of 0x, and an error in that of 1inch', async () => {
    const { QuotingError } = await import('@sluice/quoting')
    const liveChain = {
      quote: () => Promise.reject(new QuotingError('NO_ROUTE', 'none')),
      rpc: { gasPrice: async () => 1n },
    }
    const { ask: get } = served(liveChain, { COMPATIBLE: '1' })
    const zeroX = `sellToken=${ONE}&buyToken=${TWO}&sellAmount=1`
    expect(await json(get(`/compatible/0x/swap/allowance-holder/price?chainId=1&${zeroX}`))).toMatchObject({
      ...{ status: 200, body: { liquidityAvailable: false } },
    })
    const oneInch = await json(get(`/compatible/1inch/swap/v6.0/1/quote?src=${ONE}&dst=${TWO}&amount=1`))
    expect(oneInch).toMatchObject({ body: { description: 'none' } })
    expect(oneInch.status).toBeGreaterThanOrEqual(400)
  })
})

describe('a solver', () => {
  test('answers UniswapX only with a filler, and refuses a malformed request', async () => {
    const path = '/uniswapx/quote'
    const sent = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
    const solver = (environment: Record<string, string>) =>
      served({}, { ROLE: 'solver', ...environment }).ask(path, sent)
    expect((await json(solver({ UNISWAPX_FILLER: ONE }))).body).toMatchObject({ code: 'INVALID_PARAMETER' })
    expect((await solver({})).status).toBe(404)
    expect((await served({}).ask(path, sent)).status).toBe(404)
  })

  test('takes auctions at the root only of a named chain, and notifications of any', async () => {
    const sent = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"kind":"timeout"}' }
    const at = (path: string, environment: Record<string, string> = {}) =>
      served({}, { ROLE: 'solver', ...environment }).ask(path, sent)
    expect((await at('/notify')).status).toBe(404)
    expect((await served().ask('/solver/1/notify', sent)).status).toBe(404)
    expect(await at('/notify', { SOLVER_CHAIN: '1' })).toMatchObject({ status: 200, body: '{}' })
    expect(await at('/solver/mainnet/notify')).toMatchObject({ status: 200, body: '{}' })
    expect(await at('/solver/1/notify')).toMatchObject({ status: 200, body: '{}' })
    expect((await at('/solver/5/notify')).status).toBe(404)
    expect((await at('/solver/mainnet/solve')).status).toBe(400)
  })
})

describe('an auction', () => {
  const environment = { ROLE: 'solver', SOLVER_CHAIN: '1' }
  const order = {
    ...{ uid: `0x${'ab'.repeat(56)}`, sellToken: ONE, buyToken: TWO, sellAmount: '1000', buyAmount: '900' },
    ...{ kind: 'sell', partiallyFillable: false, class: 'limit' },
  }
  const token = { referencePrice: String(10n ** 18n), availableBalance: '0', trusted: true }
  const auction = (msLeft: number) =>
    JSON.stringify({
      ...{ id: '1', tokens: { [ONE]: token, [TWO]: token }, orders: [order], liquidity: [] },
      ...{
        effectiveGasPrice: '1',
        deadline: new Date(Date.now() + msLeft).toISOString(),
        surplusCapturingJitOrderOwners: [],
      },
    })
  const post = (body: string) => ({ method: 'POST', headers: { 'content-type': 'application/json' }, body })

  test('without a route has no solutions, and is counted by its chain', async () => {
    const { ask, metrics } = served(
      { quote: () => Promise.reject(new RpcError('TIMEOUT', 'x')), contracts: { guard } },
      environment,
    )
    for (const path of ['/solve', '/solver/1/solve'])
      expect(await json(ask(path, post(auction(5_000))))).toEqual({ status: 200, body: { solutions: [] } })
    expect((await metrics.solverSolutions.get()).values).toMatchObject([{ labels: { chain: 1 }, value: 0 }])
  })

  test('is refused with 429 while four others are solved', async () => {
    const { promise, reject } = Promise.withResolvers<never>()
    let quotes = 0
    const quote = () => {
      quotes++
      return promise
    }
    const { ask } = served({ quote, contracts: { guard } }, environment)
    const running = Array.from({ length: 4 }, () => json(ask('/solve', post(auction(5_000)))))
    await vi.waitFor(() => expect(quotes).toBe(4))
    const { status, body } = await json(ask('/solve', post(auction(5_000))))
    expect([status, body.code, body.error]).toEqual([429, 'OVERLOADED', '4 auctions are being solved'])
    reject(new RpcError('TIMEOUT', 'x'))
    for (const answer of await Promise.all(running)) expect(answer).toEqual({ status: 200, body: { solutions: [] } })
    expect((await ask('/solve', post(auction(5_000)))).status).toBe(200)
  })

  test('with a late deadline ends before the timeout of its request', async () => {
    const reasons: unknown[] = []
    const quote = (_: unknown, { signal }: { readonly signal: AbortSignal }) =>
      new Promise((_, reject) =>
        signal.addEventListener('abort', () => {
          reasons.push(signal.reason)
          reject(signal.reason)
        }),
      )
    const { ask } = served({ quote, contracts: { guard } }, { ...environment, REQUEST_TIMEOUT_MS: '1500' })
    expect(await json(ask('/solve', post(auction(60_000))))).toEqual({ status: 200, body: { solutions: [] } })
    // The solver's own deadline has no reason. The timeout of the request is an ApiError.
    expect(reasons).toEqual([expect.objectContaining({ name: 'AbortError' })])
  })

  test('that fails makes room for the next', async () => {
    const contracts = {
      get guard(): never {
        throw new Error('broken')
      },
    }
    const { ask } = served({ contracts }, environment)
    for (let k = 0; k < 5; k++) expect((await ask('/solve', post(auction(5_000)))).status).toBe(500)
  })
})

describe('a webhook of UniswapX', () => {
  const body = JSON.stringify({
    ...{ tokenInChainId: 1, tokenOutChainId: 1, requestId: 'request', quoteId: 'quote', swapper: account('0') },
    ...{ tokenIn: ONE, tokenOut: TWO, amount: '1000', type: 'EXACT_INPUT', numOutputs: 1, protocol: 'v2' },
  })
  const ask = (quote: () => Promise<unknown>, timeoutMs = 60_000) => {
    const environment = { ROLE: 'solver', UNISWAPX_FILLER: TWO, UNISWAPX_TIMEOUT_MS: String(timeoutMs) }
    return served({ quote, contracts: { guard } }, environment).ask('/uniswapx/quote', {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body },
    })
  }

  test('is answered with a quote and the filler', async () => {
    const quote = async () => ({ route: { amountIn: 1_000n }, amountOut: 900n, netAmountOut: 890n })
    const { status, body: text } = await ask(quote)
    expect([status, JSON.parse(text)]).toMatchObject([200, { filler: TWO, amountIn: '1000', amountOut: '890' }])
  })

  test('has an empty answer without a quote', async () => {
    const { QuotingError } = await import('@sluice/quoting')
    const { status, body: text } = await ask(() => Promise.reject(new QuotingError('NO_ROUTE', 'none')))
    expect([status, text]).toEqual([204, ''])
  })

  test('has an empty answer if the quote exceeds its time', async () => {
    const { status, body: text } = await ask(() => new Promise(() => {}), 50)
    expect([status, text]).toEqual([204, ''])
  })
})

describe('the order of a link', () => {
  const link = { chain: '1', src: ONE, dst: TWO, amount: '"1.5"' }

  test('is read with its defaults, and quotation marks around the amount', () => {
    expect(readCardLink(link)).toEqual({ chain: 1, src: ONE, dst: TWO, amount: '1.5', exact: 'in' })
    expect(readCardLink({ ...link, exact: 'out', amount: `${'1'.repeat(30)}.${'2'.repeat(30)}` })?.exact).toBe('out')
    expect(readCardLink({ ...link, exact: 'other' })?.exact).toBe('in')
  })

  test.each([
    { chain: '0' },
    { chain: '1.5' },
    { src: `${ONE}0` },
    { dst: ONE.slice(2) },
    { amount: '1.' },
    { amount: '-1' },
    { amount: '1e5' },
    { amount: '1'.repeat(31) },
    { amount: `1.${'1'.repeat(31)}` },
    { amount: '"><script>' },
    { amount: undefined },
  ])('is ignored with %o', (change) => expect(readCardLink({ ...link, ...change })).toBeUndefined())
})

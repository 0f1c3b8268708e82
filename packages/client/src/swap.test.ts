/** Tests the steps of a swap with a node and a service in memory. */
import { describe, expect, test } from 'vitest'
import { approval, MemoryNode, serviceOf, word } from '../test/memory-node.ts'
import * as h from '../test/routes.ts'
import { selectors } from './calls.ts'
import {
  type ClientError,
  NATIVE,
  SluiceClient,
  type SwapOptions,
  type SwapProgress,
  type SwapState,
  swap,
} from './index.ts'
import { PERMIT2 } from './permit-types.ts'
import { poolsOfFactory } from './proof.ts'

const { from: _, ...request } = h.single.request
const { from: __, ...nativeRequest } = h.nativeIn.request
const route = h.single.route
const trusting = { trustQuote: true }
const run = (node: MemoryNode, options: SwapOptions = trusting, routes = [route], wanted = request) =>
  swap(serviceOf(...routes).client, node.wallet, h.CHAIN, wanted, options)

test('approves exactly the input, then sends the proven transaction with 20 % more gas than estimated', async () => {
  const node = new MemoryNode()
  node.gas = 100_001n
  const progress: SwapProgress[] = []
  const onProgress = (event: SwapProgress) => void progress.push(event)
  const outcome = await run(node, { ...trusting, onProgress })
  expect(outcome).toEqual({ hash: word(2), route })
  const common = { from: h.sender, chainId: '0x1', value: '0x0' }
  expect(node.sent).toEqual([
    { ...common, to: h.WETH, data: approval(1_000_000n) },
    { ...common, to: h.guard, data: route.tx.data, gas: `0x${(120_002).toString(16)}` },
  ])
  expect(progress.map((event) => ('prompt' in event ? `${event.stage} ${event.prompt}` : event.stage))).toEqual([
    ...['quoted', 'prompted approval', 'approving', 'approved', 'signing', 'prompted swap', 'sent', 'done'],
  ])
  const sent = progress.find(({ stage }) => stage === 'sent') as { state: SwapState; hash: string }
  expect(sent).toMatchObject({
    hash: word(2),
    state: { version: 1, chainId: 1, from: h.sender, fromBlock: 100, route },
  })
  expect(sent.state.request).toEqual({ ...request, amount: '1000000' })
})

test('an allowance that suffices is not approved again, and one unit less is', async () => {
  for (const [allowance, sent] of [
    [1_000_000n, 1],
    [999_999n, 2],
  ] as const) {
    const node = new MemoryNode()
    node.allowance = allowance
    await run(node)
    expect(node.sent).toHaveLength(sent)
  }
})

test('a token that refuses to change an allowance is reset to zero first', async () => {
  const node = new MemoryNode()
  node.allowance = 5n
  node.views.set(selectors.approve, () => {
    throw new Error('execution reverted')
  })
  await run(node)
  expect(node.sent.slice(0, 2).map(({ data }) => data)).toEqual([approval(0n), approval(1_000_000n)])
  expect(node.sent).toHaveLength(3)
})

test('native input is sent as value and needs no allowance', async () => {
  const node = new MemoryNode()
  await run(node, trusting, [h.nativeIn.route], nativeRequest)
  expect(node.sent).toMatchObject([{ to: h.guard, value: '0xf4240' }])
  expect(node.requests.some(({ params }) => JSON.stringify(params).includes(selectors.allowance))).toBe(false)
})

describe('nothing is sent', () => {
  const refused = async (code: string, act: (node: MemoryNode) => Promise<unknown>) => {
    const node = new MemoryNode()
    await expect(act(node)).rejects.toMatchObject({ name: 'ClientError', code })
    expect(node.sent).toEqual([])
  }
  test('on another chain', () =>
    refused('WALLET', (node) => {
      node.chain = 10
      return run(node)
    }))
  test('if the Guard has no code', () =>
    refused('UNSAFE', (node) => {
      node.answers.set('eth_getCode', () => '0x')
      return run(node)
    }))
  test('for a changed route', () =>
    refused('UNSAFE', (node) => run(node, trusting, [h.changed(h.single, { minOutput: 1n }).route])))
  test('if the owner does not confirm, or the callback fails', async () => {
    await refused('WALLET', (node) => run(node, { ...trusting, confirm: () => false }))
    await refused('WALLET', (node) => run(node, { ...trusting, confirm: () => 'yes' as never }))
    await refused('WALLET', (node) => run(node, { ...trusting, confirm: () => Promise.reject(new Error('x')) }))
  })
  test('after the signal aborted', () =>
    refused('ABORTED', (node) => {
      const controller = new AbortController()
      const confirm = () => {
        controller.abort()
        return true
      }
      return run(node, { ...trusting, confirm, signal: controller.signal })
    }))
  test('after `onProgress` aborted the signal before the wallet is asked', () =>
    refused('ABORTED', (node) => {
      node.allowance = 1_000_000n
      const controller = new AbortController()
      const onProgress = ({ stage }: SwapProgress) => {
        if (stage === 'signing') controller.abort()
      }
      return run(node, { ...trusting, onProgress, signal: controller.signal })
    }))
  test('if no way to an allowance is left', () => refused('WALLET', (node) => run(node, { ...trusting, ways: [] })))
  test('if only a permit is allowed and the token has none', () =>
    refused('WALLET', (node) => run(node, { ...trusting, ways: ['permit'] })))
  test('above the limit of gas', async () => {
    await refused('UNSAFE', (node) => {
      node.allowance = 1_000_000n
      return run(node, { ...trusting, maxGas: 119_999n })
    })
    await refused('UNSAFE', (node) => {
      node.allowance = 1_000_000n
      node.gas = 8_333_334n
      return run(node)
    })
    const node = new MemoryNode()
    node.allowance = 1_000_000n
    await run(node, { ...trusting, maxGas: 120_000n })
    expect(node.sent).toHaveLength(1)
  })
  test('for an amount that is not in base units', () =>
    refused('UNSAFE', (node) => run(node, trusting, [route], { ...request, amount: '1.5' })))
})

test('without an estimate of the wallet, the gas is the estimate of the service and 20 %', async () => {
  const node = new MemoryNode()
  node.allowance = 1_000_000n
  const { estimateGas, ...wallet } = node.wallet
  await swap(serviceOf(route).client, wallet, h.CHAIN, request, trusting)
  expect(node.sent[0]!.gas).toBe(`0x${(240_000).toString(16)}`)
})

test('a quote older than two blocks is requested again; if all are, the swap is STALE', async () => {
  for (const [block, quotes] of [
    [102, 1],
    [103, 2],
  ] as const) {
    const node = new MemoryNode()
    Object.assign(node, { allowance: 1_000_000n, block })
    const { client, queries } = serviceOf(route, { ...route, simulationBlock: 103 })
    await swap(client, node.wallet, h.CHAIN, request, trusting)
    expect(queries).toHaveLength(quotes)
  }
  const node = new MemoryNode()
  node.block = 103
  const { client, queries } = serviceOf(route)
  await expect(swap(client, node.wallet, h.CHAIN, request, trusting)).rejects.toMatchObject({ code: 'STALE' })
  expect([queries.length, node.sent]).toEqual([5, []])
})

test('on a chain whose blocks pass while a quote is made, a quote of the block of its request is fresh', async () => {
  const swapWithLag = async (lag: number) => {
    const node = new MemoryNode()
    node.allowance = 1_000_000n
    let quotes = 0
    const fetch = async () => {
      quotes++
      const simulationBlock = node.block - lag
      node.block += 4
      return Response.json({ ...route, simulationBlock })
    }
    const client = new SluiceClient({ baseUrl: 'https://swap.example', retries: 0, fetch })
    const code = await swap(client, node.wallet, h.CHAIN, request, trusting).then(
      () => 'sent',
      (error: ClientError) => error.code,
    )
    return { code, quotes }
  }
  // The first quote, and one for each of the two checks.
  expect(await swapWithLag(0)).toEqual({ code: 'sent', quotes: 3 })
  expect(await swapWithLag(2)).toEqual({ code: 'sent', quotes: 3 })
  expect(await swapWithLag(3)).toEqual({ code: 'STALE', quotes: 5 })
})

test('a quote from a block ahead of the wallet ages from the block of the wallet', async () => {
  const node = new MemoryNode()
  const { client, queries } = serviceOf({ ...route, simulationBlock: 1_000 }, { ...route, simulationBlock: 103 })
  node.allowance = 1_000_000n
  const confirm = () => {
    node.block = 103
    return true
  }
  await swap(client, node.wallet, h.CHAIN, request, { ...trusting, confirm })
  expect(queries).toHaveLength(2)
})

test('a later quote is confirmed again if it is worse or different, not if it is as good', async () => {
  const later = { ...route, simulationBlock: 103 }
  const worse = h.responding(h.changed({ ...h.single, route: later }, { minOutput: 1_989_005n }), {
    toAmount: '1999001',
  })
  const better = h.responding(h.changed({ ...h.single, route: later }, { minOutput: 1_990_995n }), {
    toAmount: '2001001',
  })
  const other = h.responding({ ...h.split, route: { ...h.split.route, simulationBlock: 103 } }, {})
  for (const [second, confirmations] of [
    [later, 1],
    [better.route, 1],
    [worse.route, 2],
    [other.route, 2],
  ] as const) {
    const node = new MemoryNode()
    node.allowance = 1_000_000n
    let prompts = 0
    const confirm = () => {
      node.block = 103
      return ++prompts > 0
    }
    const outcome = await run(node, { ...trusting, confirm }, [route, second])
    expect([prompts, outcome.route]).toEqual([confirmations, second])
  }
})

describe('the amount', () => {
  const ready = () => {
    const node = new MemoryNode()
    node.allowance = 1_000_000n
    node.balances.set(h.POOL, 1n)
    return node
  }
  /** Largest output whose floor (1 % tolerance, then 0.5 % slippage) is the minimum output. */
  const LARGEST = 2_020_204n

  test('is confirmed by a simulation and by known pools, to the unit', async () => {
    const node = ready()
    node.output = LARGEST
    await run(node, {})
    expect(node.sent).toHaveLength(1)
    const low = ready()
    low.output = LARGEST + 1n
    await expect(run(low, {})).rejects.toThrow(/the swap brings 2020205, and its minimum output is 1990000/)
    const strict = ready()
    await run(strict, { tolerance: 0 })
    strict.output += 2_000n
    await expect(run(strict, { tolerance: 0 })).rejects.toThrow(/the swap brings/)
  })

  test('is refused if a known pool brings more', async () => {
    const node = ready()
    node.answers.set('eth_call', ([call]) => {
      const { to, data } = call as { to: string; data: string }
      if (to === h.guard) return word(data === route.tx.data ? 2_000_001n : LARGEST + 1n)
      return data.startsWith(selectors.allowance) ? word(1_000_000n) : word(1n)
    })
    await expect(run(node, {})).rejects.toThrow(/a known pool brings 2020205, and the minimum output is 1990000/)
    expect(node.sent).toEqual([])
  })

  test('is refused if no known pool has a balance, or the simulation fails', async () => {
    const node = ready()
    node.balances.clear()
    await expect(run(node, {})).rejects.toThrow('no known pool of these tokens confirms the amount')
    const failing = ready()
    failing.answers.set('eth_call', ([call]) => {
      const { to } = call as { to: string }
      if (to === h.guard) throw new Error('Expired()')
      return word(1_000_000n)
    })
    await expect(run(failing, {})).rejects.toThrow(/nothing but the service's word confirms the amount: .*Expired/)
    expect([...node.sent, ...failing.sent]).toEqual([])
  })

  test('of a wrap is confirmed one to one, less the fee', async () => {
    const wrap = (toAmount: bigint, minOutput: bigint) =>
      h.responding(
        h.honestRoute(
          [{ op: 'wrap', tokenIn: h.ZERO, wrapped: h.WETH, input: h.rest, output: h.toRecipient }],
          [h.leg(h.WETH, NATIVE, h.WETH)],
          {
            tokenIn: h.ZERO,
            tokenOut: h.WETH,
            value: 1_000_000n,
            minOutput,
            feePpm: 100_000n,
            feeRecipient: h.at('66'),
          },
          { src: NATIVE, dst: h.WETH, convenienceFee: 10, convenienceFeeRecipient: h.at('66') },
        ),
        { toAmount: String(toAmount) },
      )
    const node = new MemoryNode()
    node.output = 900_000n
    const honest = wrap(900_000n, 895_500n)
    const { from: _, ...wanted } = honest.request
    await run(node, {}, [honest.route], wanted)
    expect(node.sent).toHaveLength(1)
    const low = new MemoryNode()
    low.output = 880_000n
    await expect(run(low, {}, [wrap(880_000n, 875_600n).route], wanted)).rejects.toThrow('a known pool brings 900000')
  })

  test('is compared with the best of the four deepest pools', async () => {
    const pools = h.contracts.factories
      .filter(({ kind, feePpm }) => kind === 'uniswap-v3' || feePpm !== undefined)
      .flatMap((factory) => poolsOfFactory(factory, { tokenIn: h.WETH, tokenOut: h.USDC }))
      .slice(0, 6)
    const tried: string[] = []
    /** Runs the swap with pools whose balances are given, of which one brings too much. */
    const withBalances = (balances: readonly bigint[], best: number) => {
      const node = ready()
      node.balances.clear()
      for (const [k, pool] of pools.entries()) node.balances.set(pool, balances[k]!)
      tried.length = 0
      node.answers.set('eth_call', ([call]) => {
        const { to, data } = call as { to: string; data: string }
        if (data.startsWith(selectors.balanceOf)) return word(node.balances.get(`0x${data.slice(-40)}`) ?? 0n)
        if (to !== h.guard) return word(node.allowance)
        const pool = pools.find((address) => data.includes(address.slice(2)))
        if (data !== route.tx.data) tried.push(pool!)
        return word(data !== route.tx.data && pool === pools[best] ? LARGEST + 1n : 2_000_001n)
      })
      return run(node, {})
    }
    for (const best of [2, 3, 4, 5])
      await expect(withBalances([1n, 2n, 3n, 4n, 5n, 6n], best)).rejects.toThrow(/a known pool brings 2020205/)
    expect(tried).toEqual([5, 4, 3, 2].map((k) => pools[k]))
    await withBalances([1n, 2n, 3n, 4n, 5n, 6n], 1)
    await withBalances([1n, 0n, 0n, 0n, 0n, 0n], 5)
    expect(tried).toEqual([pools[0]])
  })

  test('is not simulated if the caller names a limit, a witness, or trust', async () => {
    for (const terms of [{ minToAmount: 1n }, { trustQuote: true }, { witness: async () => 2_000_000n }]) {
      const node = ready()
      await run(node, terms)
      expect(node.methods().filter((method) => method === 'eth_call')).toHaveLength(1)
    }
  })

  test('is not confirmed by a limit of the amount that the request fixes', async () => {
    const { amount: _, ...rest } = request
    const exactOutput = { ...rest, amountOut: 1_990_000n } as never
    for (const [terms, wanted] of [
      [{ maxFromAmount: 1_000_000n }, request],
      [{ minToAmount: 1_990_000n }, exactOutput],
    ] as const) {
      const node = ready()
      node.balances.clear()
      await expect(run(node, terms, [route], wanted)).rejects.toThrow('no known pool of these tokens confirms')
      expect(node.sent).toEqual([])
    }
    const node = ready()
    node.balances.clear()
    await run(node, { maxFromAmount: 1_000_000n }, [route], exactOutput)
    expect(node.sent).toHaveLength(1)
  })

  test('is compared with the witness, to the unit, once per input', async () => {
    const inputs: unknown[] = []
    const witness = (output: bigint | string) => async (of: { amount: bigint | string }) => {
      inputs.push(of.amount)
      return output as bigint
    }
    const node = ready()
    await run(node, { witness: witness(LARGEST) })
    expect([node.sent.length, inputs]).toEqual([1, [1_000_000n]])
    for (const terms of [
      { witness: witness(LARGEST + 1n) },
      { witness: witness(-1n) },
      { witness: () => Promise.reject(new Error('down')) },
      { witness: witness(2_002_000n), tolerance: 0 },
    ]) {
      const other = ready()
      await expect(run(other, terms)).rejects.toMatchObject({ code: 'UNSAFE' })
      expect(other.sent).toEqual([])
    }
  })
})

test('a transaction or approval that reverts is REVERTED, with its hash', async () => {
  const node = new MemoryNode()
  node.status = '0x0'
  await expect(run(node)).rejects.toMatchObject({ code: 'REVERTED', details: { hash: word(1) } })
  expect(node.sent).toHaveLength(1)
  const second = new MemoryNode()
  Object.assign(second, { allowance: 1_000_000n, status: '0x0' })
  await expect(run(second)).rejects.toMatchObject({ code: 'REVERTED', details: { hash: word(1) } })
})

test('the larger input of a new quote is approved too', async () => {
  const { amount, ...rest } = request
  const exact = { ...rest, amountOut: 1_990_000n } as never
  const more = h.changed({ ...h.single, route: { ...route, simulationBlock: 103 } }, { amountIn: 1_000_100n })
  const node = new MemoryNode()
  node.answers.set('eth_getTransactionReceipt', ([hash]) => {
    if (node.sent.length === 1) node.block = 103
    return { status: '0x1', transactionHash: hash }
  })
  const inputs: bigint[] = []
  const confirm = (_: object, { amountIn }: { readonly amountIn: bigint }) => inputs.push(amountIn) > 0
  const witnessedInputs: unknown[] = []
  const witness = async (of: { readonly amount: bigint | string }) => {
    witnessedInputs.push(of.amount)
    return 2_000_000n
  }
  await run(node, { witness, confirm }, [route, { ...more.route, fromAmount: '1000100' }], exact)
  expect(inputs).toEqual([1_000_000n, 1_000_100n])
  expect(witnessedInputs).toEqual(inputs)
  expect(node.sent.map(({ data }) => data)).toEqual([approval(1_000_000n), approval(1_000_100n), more.route.tx.data])
})

describe('a batch', () => {
  test('has no quote that arrived after the amount was confirmed, unless its amount is confirmed too', async () => {
    const node = batching()
    node.answers.set('eth_signTypedData_v4', () => {
      // The quote is too old once the owner has signed.
      node.block += 3
      return `0x${'11'.repeat(64)}1b`
    })
    node.answers.set('eth_call', ([call]) => {
      const { to, data } = call as { to: string; data: string }
      if (data.startsWith(selectors.swapWithPermit)) throw new Error('execution reverted')
      if (to === h.guard) return word(2_000_001n)
      if (data.startsWith(selectors.balanceOf)) return word(1n)
      if (data.startsWith(selectors.permit2Allowance)) return `0x${'0'.repeat(192)}`
      if (data.startsWith(selectors.allowance))
        return word(data.endsWith(PERMIT2.slice(2).toLowerCase()) ? 1_000_000n : 0n)
      throw new Error('execution reverted')
    })
    const robbing = h.changed(h.responding(h.single, { toAmount: '2', simulationBlock: 103 }), { minOutput: 1n }).route
    const swapped = run(node, { ways: ['permit', 'batch'] }, [route, robbing])
    await expect(swapped).rejects.toMatchObject({ code: 'UNSAFE' })
    expect(node.methods()).toContain('eth_signTypedData_v4')
    expect(node.methods()).not.toContain('wallet_sendCalls')
  })

  test('is not sent if a renewed quote needs more input than the batch approves', async () => {
    const { amount, ...rest } = request
    const exact = { ...rest, amountOut: 1_990_000n } as never
    const more = h.changed({ ...h.single, route: { ...route, simulationBlock: 103 } }, { amountIn: 1_000_100n })
    const node = batching()
    node.answers.set('eth_signTypedData_v4', () => {
      // The quote is too old once the owner has signed.
      node.block += 3
      return `0x${'11'.repeat(64)}1b`
    })
    node.answers.set('eth_call', ([call]) => {
      const { data } = call as { data: string }
      if (data.startsWith(selectors.permit2Allowance)) return `0x${'0'.repeat(192)}`
      if (data.startsWith(selectors.allowance))
        return word(data.endsWith(PERMIT2.slice(2).toLowerCase()) ? 1_000_000n : 0n)
      throw new Error('execution reverted')
    })
    const options: SwapOptions = { witness: async () => 2_000_000n, ways: ['permit', 'batch'] }
    const swapped = run(node, options, [route, { ...more.route, fromAmount: '1000100' }], exact)
    await expect(swapped).rejects.toMatchObject({ code: 'WALLET' })
    expect(node.methods()).toContain('eth_signTypedData_v4')
    expect(node.methods()).not.toContain('wallet_sendCalls')
  })

  const batching = (status: object = { status: 200, receipts: [{ transactionHash: word(9), status: '0x1' }] }) => {
    const node = new MemoryNode()
    node.answers.set('wallet_getCapabilities', () => ({ '0x1': { atomic: { status: 'ready' } } }))
    node.answers.set('wallet_sendCalls', () => ({ id: '0xba' }))
    node.answers.set('wallet_getCallsStatus', () => status)
    return node
  }

  test('has the approval and the transaction', async () => {
    const node = batching()
    const progress: SwapProgress[] = []
    expect((await run(node, { ...trusting, onProgress: (event) => void progress.push(event) })).hash).toBe(word(9))
    const stages = progress.map((event) => [event.stage, 'hash' in event ? event.hash : null])
    expect(stages).toEqual([
      ...[
        ['quoted', null],
        ['signing', null],
        ['prompted', null],
      ],
      ...[
        ['batching', '0xba'],
        ['done', word(9)],
      ],
    ])
    expect(progress.find(({ stage }) => stage === 'batching')).toMatchObject({
      state: { stage: 'batching', hash: '0xba', fromBlock: 100, route },
    })
    const { params } = node.requests.find(({ method }) => method === 'wallet_sendCalls')!
    expect(params).toEqual([
      {
        ...{ version: '2.0.0', chainId: '0x1', from: h.sender, atomicRequired: true },
        calls: [
          { to: h.WETH, data: approval(1_000_000n), value: '0x0' },
          { to: h.guard, data: route.tx.data, value: '0x0' },
        ],
      },
    ])
    expect(node.sent).toEqual([])
  })

  test('that the wallet cannot send is followed by an approval; other errors end the swap', async () => {
    const fails = (code: number) => {
      const node = batching()
      node.answers.set('wallet_sendCalls', () => {
        throw Object.assign(new Error('no'), { code })
      })
      return node
    }
    const node = fails(5_740)
    await run(node)
    expect(node.sent).toHaveLength(2)
    const other = fails(-32_000)
    await expect(run(other)).rejects.toMatchObject({ code: 'WALLET' })
    expect(other.sent).toEqual([])
  })

  test('is not used if the caller leaves it out, or the wallet does not support it on this chain', async () => {
    const node = batching()
    await run(node, { ...trusting, ways: ['approve'] })
    expect(node.sent).toHaveLength(2)
    const other = batching()
    other.answers.set('wallet_getCapabilities', () => ({ '0xa': { atomic: { status: 'supported' } } }))
    await run(other)
    expect(other.sent).toHaveLength(2)
  })
})

test('the allowance is simulated by an override of the storage that holds it', async () => {
  const node = new MemoryNode()
  node.balances.set(h.POOL, 1n)
  await run(node, {})
  const { params } = node.requests.find(({ method, params }) => method === 'eth_call' && params.length === 3)!
  const [call, block, overrides] = params as [object, string, Record<string, { stateDiff: Record<string, string> }>]
  expect([call, block]).toEqual([{ from: h.sender, to: h.guard, data: route.tx.data, value: '0x0' }, 'latest'])
  const { stateDiff } = overrides[h.WETH]!
  expect(Object.keys(stateDiff)).toHaveLength(130)
  expect(new Set(Object.values(stateDiff))).toEqual(new Set([word(1_000_000)]))
})

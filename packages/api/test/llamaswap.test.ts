/** Tests the example LlamaSwap adapter with a real service: its transaction pays the quoted amount. */
import { loadRegistry, NATIVE } from '@sluice/chains'
import { request, startDevnet } from '@sluice/devnet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Adapter } from '../../../docs/examples/llamaswap/host.ts'
import * as sluice from '../../../docs/examples/llamaswap/sluice.ts'
import { devnetDir, startOver } from './src/devnet.ts'
import { warmUp } from './src/service.ts'

/** Example module; its type is checked by the compiler. */
const adapter: Adapter<sluice.RawQuote> = sluice
const ZERO = `0x${'0'.repeat(40)}`
const WHOLE = 10n ** 18n

let devnet: Awaited<ReturnType<typeof startDevnet>>
let server: Awaited<ReturnType<typeof startOver>>
let userAddress: string
// Adds the local chain to the adapter.
beforeAll(async () => {
  sluice.chainToId.devnet = 31337
  devnet = await startDevnet({ dir: devnetDir })
  server = await startOver(devnet.url)
  process.env.NEXT_PUBLIC_SLUICE_URL = server.url
  userAddress = devnet.info.accounts[0]!.address
  for (const symbol of ['USDC', 'UNI'])
    await warmUp(server.url, `/quote/31337?src=${NATIVE}&dst=${token(symbol)}&amount=${WHOLE}`)
}, 180_000)
afterAll(async () => {
  delete process.env.NEXT_PUBLIC_SLUICE_URL
  await server?.close()
  await devnet?.stop()
})

/** Returns the address of a token; LlamaSwap uses the zero address for the native token. */
const token = (symbol: string) => (symbol === 'ETH' ? ZERO : devnet.info.tokens[symbol]!.address)
const rpc = <T>(method: string, ...params: readonly unknown[]) => request<T>(devnet.url, method, params)
const extra = (overrides: object = {}) => ({ userAddress, slippage: '0.5', ...overrides })
const approve = async (token: string, amount: bigint) => {
  const data = `0x095ea7b3${sluice.approvalAddress().slice(2).padStart(64, '0')}${amount.toString(16).padStart(64, '0')}`
  await rpc('eth_sendTransactionSync', { from: userAddress, to: token, data })
}
async function balance(token: string): Promise<bigint> {
  if (token === ZERO) return BigInt(await rpc<string>('eth_getBalance', userAddress, 'latest'))
  const data = `0x70a08231${userAddress.slice(2).padStart(64, '0')}`
  return BigInt(await rpc<string>('eth_call', { to: token, data }, 'latest'))
}

type Receipt = { readonly status: string; readonly gasUsed: string; readonly effectiveGasPrice: string }

/** Sends the transaction of `act` and returns the growth of the token balance, without gas costs. */
async function grownBy(token: string, act: () => Promise<Receipt>): Promise<bigint> {
  const before = await balance(token)
  const { status, gasUsed, effectiveGasPrice } = await act()
  expect(status).toBe('0x1')
  return (await balance(token)) - before + (token === ZERO ? BigInt(gasUsed) * BigInt(effectiveGasPrice) : 0n)
}

const SWAPS = [
  ['UNI', 'USDC', {}],
  ['ETH', 'USDC', {}],
  ['UNI', 'ETH', {}],
  ['ETH', 'WETH', {}],
  ['UNI', 'USDC', { slippage: 1 }],
] as const

test.each(SWAPS)('%s to %s (%o): the transaction pays what was quoted', async (source, target, more) => {
  const [from, to] = [token(source), token(target)]
  if (from !== ZERO) await approve(from, WHOLE)
  const quote = await adapter.getQuote('devnet', from, to, `${WHOLE}`, extra(more))
  expect(quote).toMatchObject({ amountIn: `${WHOLE}`, tokenApprovalAddress: devnet.info.guard.toLowerCase() })
  expect(BigInt(quote.estimatedGas)).toBeGreaterThan(20_000n)
  // LlamaSwap's server passes the quote on as JSON.
  const rawQuote: sluice.RawQuote = JSON.parse(JSON.stringify(quote.rawQuote))
  const tx = adapter.getTx({ rawQuote })!
  const data = adapter.getTxData({ rawQuote })
  expect(data).toBe(tx.data)
  const value = `0x${tx.value!.toString(16)}`
  const received = await grownBy(to, () =>
    rpc<Receipt>('eth_sendTransactionSync', { ...{ from: tx.from, to: tx.to, data, value }, gas: '0x1e8480' }),
  )
  expect(received).toBe(BigInt(quote.amountReturned))
})

test('an exact output is met for the quoted input', async () => {
  const amountOut = 1_000_000n
  const quote = await adapter.getQuote('devnet', ZERO, token('USDC'), '0', extra({ amountOut: `${amountOut}` }))
  const tx = adapter.getTx(quote)!
  expect(tx.value).toBe(BigInt(quote.amountIn!))
  const received = await grownBy(token('USDC'), () =>
    rpc<Receipt>('eth_sendTransactionSync', { ...tx, value: `0x${tx.value!.toString(16)}`, gas: '0x1e8480' }),
  )
  expect(received).toBe(BigInt(quote.amountReturned))
  expect(received).toBeGreaterThanOrEqual(amountOut)
})

test('without a wallet there is a price and no transaction', async () => {
  const without = extra({ userAddress: ZERO, amountOut: '' })
  const quote = await adapter.getQuote('devnet', token('UNI'), token('USDC'), `${WHOLE}`, without)
  const connected = await adapter.getQuote('devnet', token('UNI'), token('USDC'), `${WHOLE}`, extra())
  expect(quote.amountReturned).toBe(connected.amountReturned)
  expect(quote.rawQuote).toEqual({})
  expect([adapter.getTxData(quote), adapter.getTx(quote)]).toEqual([undefined, undefined])
  const { rawQuote } = quote
  const of = { tokens: { fromToken: { address: token('UNI') } }, fromAmount: WHOLE, fromAddress: userAddress, rawQuote }
  await expect(adapter.swap({ ...of, chain: 'devnet' })).rejects.toThrow('without a wallet')
})

test('a failed quote is an error with its reason', async () => {
  const nobody = `0x${'77'.repeat(20)}`
  await expect(adapter.getQuote('devnet', nobody, token('USDC'), '1', extra())).rejects.toThrow('UNKNOWN_TOKEN: ')
  await expect(adapter.getQuote('devnet', ZERO, token('USDC'), '1.5', extra())).rejects.toThrow('amount')
  await expect(adapter.getQuote('nowhere', ZERO, token('USDC'), '1', extra())).rejects.toThrow('INVALID_PARAMETER: ')
})

test('a response with another contract to approve is refused', async () => {
  const honest = globalThis.fetch
  globalThis.fetch = async (...of) => {
    const body = (await (await honest(...of)).json()) as { tx: object }
    return Response.json({ ...body, tx: { ...body.tx, to: `0x${'66'.repeat(20)}` } })
  }
  try {
    await expect(adapter.getQuote('devnet', ZERO, token('USDC'), `${WHOLE}`, extra())).rejects.toThrow('Guard')
  } finally {
    globalThis.fetch = honest
  }
})

describe('swap', () => {
  const sent: { method: string; params: readonly unknown[] }[] = []
  beforeAll(() => {
    Object.assign(globalThis, {
      ethereum: {
        request: async (call: { method: string; params: readonly object[] }) => {
          sent.push(call)
          if (call.method === 'eth_sendTransaction')
            return rpc('eth_sendTransaction', { ...call.params[0], gas: '0x1e8480' })
          // The local node has no wallet_sendCalls, so the calls are sent in order, as by a wallet.
          if (call.method !== 'wallet_sendCalls') return rpc(call.method, ...call.params)
          const { calls } = call.params[0] as { calls: readonly object[] }
          for (const one of calls) await rpc('eth_sendTransactionSync', { ...one, gas: '0x1e8480' })
          return { id: `0x${'1'.repeat(64)}` }
        },
      },
    })
  })
  afterAll(() => {
    delete (globalThis as { ethereum?: unknown }).ethereum
  })

  test('sends the transaction of the quote', async () => {
    const { rawQuote, amountReturned } = await adapter.getQuote('devnet', ZERO, token('USDC'), `${WHOLE}`, extra())
    const tokens = { fromToken: { address: ZERO } }
    const swap = { tokens, fromAmount: WHOLE, fromAddress: userAddress, rawQuote, chain: 'devnet' }
    const received = await grownBy(token('USDC'), async () => {
      const hash = await adapter.swap(swap)
      let receipt = await rpc<Receipt | null>('eth_getTransactionReceipt', hash)
      for (let look = 0; !receipt && look < 1_000; look++) receipt = await rpc('eth_getTransactionReceipt', hash)
      return receipt!
    })
    expect(received).toBe(BigInt(amountReturned))
  })

  test.each([
    [{ shouldRemoveApproval: false, isTokenApproved: false }, 2],
    [{ shouldRemoveApproval: true, isTokenApproved: false }, 3],
    [{ shouldRemoveApproval: false, isTokenApproved: true }, 1],
  ])('of a wallet that sends batches, %o makes %d calls, which pay what was quoted', async (eip5792, count) => {
    await approve(token('UNI'), eip5792.isTokenApproved ? WHOLE : 0n)
    const { rawQuote, amountReturned } = await adapter.getQuote(
      ...(['devnet', token('UNI'), token('USDC'), `${WHOLE}`, extra()] as const),
    )
    const tokens = { fromToken: { address: token('UNI') } }
    const before = await balance(token('USDC'))
    sent.length = 0
    await adapter.swap({ tokens, fromAmount: WHOLE, fromAddress: userAddress, rawQuote, eip5792, chain: 'devnet' })
    const { method, params } = sent.at(-1)!
    const [batch] = params as { calls?: readonly object[] }[]
    expect([method, batch!.calls?.length ?? 1]).toEqual([
      count === 1 ? 'eth_sendTransaction' : 'wallet_sendCalls',
      count,
    ])
    await expect
      .poll(async () => (await balance(token('USDC'))) - before, { timeout: 30_000 })
      .toBe(BigInt(amountReturned))
  })
})

test('its chains are served by the registry, with the Guard of the deployments', () => {
  const chains = loadRegistry().chainMap()
  const { devnet: _, ...ids } = sluice.chainToId
  expect(Object.keys(ids).length).toBeGreaterThan(10)
  for (const [name, id] of Object.entries(ids))
    expect(chains[String(id)]?.RouterAddress, name).toBe(sluice.approvalAddress())
})

/** Tests swaps from the quote to the executed transaction. */
import { NATIVE } from '@sluice/chains'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type System, startSystem } from './src/service.ts'
import { approveQuoteSend, get, quote, send, swapUrl } from './src/swap.ts'
import { Node } from './src/wallet.ts'

let system: System
let node: Node
let api: string
let chainId: number
const token = (symbol: string) => {
  const info = system.devnet.info.tokens[symbol]
  if (!info) throw new Error(`the local chain has no ${symbol}`)
  return info
}
/** Returns base units of `whole` tokens. */
const units = (symbol: string, whole: number) =>
  (BigInt(Math.round(whole * 1e6)) * 10n ** BigInt(token(symbol).decimals)) / 1_000_000n
const account = (index: number) => system.devnet.info.accounts[index]!.address

beforeAll(async () => {
  system = await startSystem()
  node = new Node(system.devnet.url)
  api = system.api
  chainId = system.devnet.chainId
})
afterAll(() => system?.stop())

/** Family whose pools set their fee at the first swap of a block by its time, so the simulated block can have another fee. */
const FEE_BY_TIME = 'algebra-v1'
const FEE_DRIFT_PPM = 10n

/** Checks everything that the interface promises about one executed swap. */
async function expectExact(query: Parameters<typeof approveQuoteSend>[3]) {
  const executed = await approveQuoteSend(node, api, chainId, query)
  const { route, receipt, received } = executed
  expect(receipt.status, 'the returned transaction reverted').toBe(true)
  const missed = received - BigInt(route.toAmount)
  if (route.swaps.some(({ protocol }) => protocol.startsWith(FEE_BY_TIME))) {
    expect((missed < 0n ? -missed : missed) * 1_000_000n).toBeLessThanOrEqual(FEE_DRIFT_PPM * received)
  } else expect(missed).toBe(0n)
  expect(receipt.gasUsed).toBeLessThanOrEqual(BigInt(route.gasEstimate))
  expect(receipt.blockNumber - route.simulationBlock).toBe(1)
  return executed
}

describe('approve, quote, send', () => {
  // Runs before any swap moves a price.
  test('quotes between the main tokens report their gap to the bound', async () => {
    for (const [src, dst, amount] of [
      ['WETH', 'USDC', 1],
      ['USDC', 'WETH', 3_000],
      ['USDC', 'USDT', 3_000],
      ['WBTC', 'DAI', 0.1],
      ['LINK', 'WETH', 100],
    ] as const) {
      const query = { src: token(src).address, dst: token(dst).address, amount: units(src, amount), from: account(0) }
      const { optimalityGap, optimalityGapNet, toAmount, netToAmount } = await quote(api, chainId, query)
      expect(optimalityGap, `${src} to ${dst}`).toBeGreaterThanOrEqual(0)
      expect(optimalityGap, `${src} to ${dst}`).toBeLessThan(5)
      expect(optimalityGapNet, `${src} to ${dst} after gas`).toBeGreaterThanOrEqual(0)
      // The bound after gas is at most the bound before it, so the gap grows by at most the route's gas cost.
      const [gross, net] = [Number(toAmount), Number(netToAmount)]
      const maxGap = ((optimalityGap ?? 0) * gross) / net + (gross / net - 1) * 10_000
      expect(optimalityGapNet, `${src} to ${dst} after gas`).toBeLessThanOrEqual(maxGap * 1.001)
    }
  })

  test('an ERC-20 swap pays exactly toAmount and takes exactly amount', async () => {
    const amount = units('WETH', 1)
    const { spent } = await expectExact({
      src: token('WETH').address,
      dst: token('USDC').address,
      amount,
      from: account(0),
    })
    expect(spent).toBe(amount)
  })

  test('a large order is split over several pools', async () => {
    const { route } = await expectExact({
      src: token('WETH').address,
      dst: token('USDC').address,
      amount: units('WETH', 2000),
      from: account(0),
    })
    expect(new Set(route.swaps.map(({ pool }) => pool)).size).toBeGreaterThan(1)
  })

  test('NATIVE input is the value of the transaction', async () => {
    const amount = 10n ** 18n
    const { route, spent } = await expectExact({ src: NATIVE, dst: token('USDC').address, amount, from: account(0) })
    expect(BigInt(route.tx.value)).toBe(amount)
    expect(spent).toBe(amount)
  })

  test('NATIVE can be the output', async () => {
    await expectExact({ src: token('USDC').address, dst: NATIVE, amount: units('USDC', 2500), from: account(0) })
  })

  test('wrapping and unwrapping are one leg at 1:1', async () => {
    for (const [src, dst] of [
      [NATIVE, token('WETH').address],
      [token('WETH').address, NATIVE],
    ] as const) {
      const { route } = await expectExact({ src, dst, amount: 3n * 10n ** 17n, from: account(0) })
      expect(route.toAmount).toBe(route.fromAmount)
      expect(route.swaps).toHaveLength(1)
    }
  })

  test('the convenience fee goes to its recipient, and toAmount is the rest', async () => {
    const dst = token('USDC').address
    const query = {
      src: token('WETH').address,
      dst,
      amount: units('WETH', 2),
      from: account(0),
      convenienceFee: 1.25,
      convenienceFeeRecipient: account(7),
    }
    const before = await node.balance(dst, account(7))
    const { received } = await expectExact(query)
    const fee = (await node.balance(dst, account(7))) - before
    // fee = floor(out × 12,500 ppm), and the sender receives the rest.
    expect(fee).toBe(((received + fee) * 12_500n) / 1_000_000n)
  })

  test('a convenience fee in NATIVE reaches its recipient too', async () => {
    const query = {
      src: token('USDC').address,
      dst: NATIVE,
      amount: units('USDC', 1000),
      from: account(0),
      convenienceFee: 10,
      convenienceFeeRecipient: account(8),
    }
    const before = await node.balance(NATIVE, account(8))
    const { received } = await expectExact(query)
    const fee = (await node.balance(NATIVE, account(8))) - before
    expect(fee).toBe((received + fee) / 10n)
  })

  test('any other account can swap: quotes need no funds and no approvals', async () => {
    const otherAccount = '0x00000000000000000000000000000000000A11cE'
    const route = await quote(api, chainId, {
      src: token('DAI').address,
      dst: token('WBTC').address,
      amount: units('DAI', 5000),
      from: otherAccount,
    })
    expect(route.tx.from).toBe(otherAccount)
  })
})

describe('awkward tokens', () => {
  test('a token that takes 5 % on transfer can be sold', async () => {
    const { spent } = await expectExact({
      src: token('TAXED').address,
      dst: token('USDC').address,
      amount: units('TAXED', 100),
      from: account(0),
    })
    expect(spent).toBe(units('TAXED', 100))
  })
  test('a token that takes 5 % on transfer can be bought', async () => {
    await expectExact({
      src: token('USDC').address,
      dst: token('TAXED').address,
      amount: units('USDC', 100),
      from: account(0),
    })
  })
  test('a taxed token can be bought with a convenience fee', async () => {
    await expectExact({
      src: token('USDC').address,
      dst: token('TAXED').address,
      amount: units('USDC', 100),
      from: account(0),
      convenienceFee: 1,
      convenienceFeeRecipient: account(7),
    })
  })
  test('a rebasing token can be sold', async () => {
    await expectExact({
      src: token('STETH').address,
      dst: token('WETH').address,
      amount: units('STETH', 1),
      from: account(0),
    })
  })
  test('a rebasing token can be bought', async () => {
    await expectExact({
      src: token('WETH').address,
      dst: token('STETH').address,
      amount: units('WETH', 1),
      from: account(0),
    })
  })
  test('a token without return values can be input and output', async () => {
    await expectExact({
      src: token('USDT').address,
      dst: token('DAI').address,
      amount: units('USDT', 500),
      from: account(0),
    })
    await expectExact({
      src: token('DAI').address,
      dst: token('USDT').address,
      amount: units('DAI', 500),
      from: account(0),
    })
  })
})

/** Random pairs of the last test; 26 tokens are sold and bought. */
const PAIRS = process.env.LONG ? 24 : 4

describe('every pair', () => {
  test('of any two tokens swaps and pays exactly the quoted amount', async () => {
    const symbols = Object.keys(system.devnet.info.tokens)
    let seed = 7
    const random = (below: number) => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
      return seed % below
    }
    for (let trial = 0; trial < PAIRS; trial++) {
      const src = symbols[random(symbols.length)]!
      const dst = symbols[random(symbols.length)]!
      if (src === dst) continue
      const amount = units(src, (1 + random(40)) / 10)
      await expectExact({
        src: token(src).address,
        dst: token(dst).address,
        amount,
        from: account(0),
        slippage: 1,
        maxPriceImpact: 100,
      })
    }
  }, 60_000)
})

describe('protection', () => {
  test('a price move beyond the slippage reverts and moves nothing', async () => {
    const query = {
      src: token('WETH').address,
      dst: token('USDC').address,
      amount: units('WETH', 1),
      from: account(0),
      slippage: 0.1,
    }
    const guard = (await quote(api, chainId, query)).tx.to
    await node.approve(query.src, query.from, guard, units('WETH', 1))
    const route = await quote(api, chainId, query)
    // Another account first sells much of the same token in pools of the same families. Other families might avoid
    // these pools.
    const includeSources = [...new Set(route.swaps.map(({ protocol }) => protocol))].join()
    await node.transfer(query.src, account(0), account(3), units('WETH', 1000))
    await expectExact({ ...query, amount: units('WETH', 1000), from: account(3), maxPriceImpact: 100, includeSources })
    const { receipt, received, spent } = await send(node, route)
    expect(receipt.status).toBe(false)
    expect(received).toBe(0n)
    expect(spent).toBe(0n)
  })

  test('minToAmount is the floor of toAmount less the slippage', async () => {
    const route = await quote(api, chainId, {
      src: token('DAI').address,
      dst: token('USDC').address,
      amount: units('DAI', 10),
      from: account(0),
      slippage: 0.25,
    })
    expect(BigInt(route.minToAmount)).toBe((BigInt(route.toAmount) * 997_500n) / 1_000_000n)
  })

  test('a quote whose Guard has no code is refused with 422 GUARD_NOT_DEPLOYED', async () => {
    const query = { src: token('WETH').address, dst: token('USDC').address, amount: units('WETH', 1), from: account(0) }
    const { guard } = system.devnet.info
    const code = await node.request<string>('eth_getCode', [guard, 'latest'])
    await node.request('anvil_setCode', [guard, '0x'])
    await node.request('evm_mine')
    try {
      const { status, body } = await get<{ code: string }>(swapUrl(api, chainId, query))
      expect(status).toBe(422)
      expect(body.code).toBe('GUARD_NOT_DEPLOYED')
    } finally {
      await node.request('anvil_setCode', [guard, code])
      await node.request('evm_mine')
    }
    await quote(api, chainId, query)
  })
})

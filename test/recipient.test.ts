/** Tests swaps whose output another account receives, quoted over HTTP, sent, and measured at that account. */
import { NATIVE } from '@sluice/chains'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type System, startSystem } from './src/service.ts'
import { approveQuoteSend, get, quote, type RouteBody, type SwapQuery, send, swapUrl } from './src/swap.ts'
import { Node } from './src/wallet.ts'

let system: System
let node: Node
const token = (symbol: string) => (symbol === 'NATIVE' ? NATIVE : system.devnet.info.tokens[symbol]!.address)
const units = (symbol: string, thousandths: bigint) =>
  (thousandths * 10n ** BigInt(symbol === 'NATIVE' ? 18 : system.devnet.info.tokens[symbol]!.decimals)) / 1000n
const account = (index: number) => system.devnet.info.accounts[index]!.address
/** An account without code and without transactions. */
const payee = '0x00000000000000000000000000000000000b0b00'

beforeAll(async () => {
  system = await startSystem()
  node = new Node(system.devnet.url)
})
afterAll(() => system?.stop())

const routed = (query: SwapQuery): Promise<RouteBody> => quote(system.api, system.devnet.chainId, query)

test.each([
  ['WETH', 'USDC', 1_500n, {}],
  ['NATIVE', 'DAI', 700n, {}],
  ['USDC', 'NATIVE', 900_000n, {}],
  ['WETH', 'NATIVE', 400n, {}],
  ['NATIVE', 'WETH', 400n, {}],
  ['WETH', 'USDC', 2_000_000n, {}],
  ['DAI', 'USDC', 5_000_000n, { convenienceFee: '1', convenienceFeeRecipient: 7 }],
  ['USDC', 'NATIVE', 500_000n, { convenienceFee: '10', convenienceFeeRecipient: 7 }],
  // Direct mode: the Executor pays the recipient itself, since every transfer of this token costs 5 %.
  ['USDC', 'TAXED', 100_000n, {}],
  ['TAXED', 'USDC', 100_000n, {}],
  ['STETH', 'USDC', 1_000n, {}],
] as const)('%s to %s: another account receives exactly toAmount', async (src, dst, thousandths, fee) => {
  const recipient = payee
  const from = account(0)
  const feeParameters = 'convenienceFee' in fee ? { ...fee, convenienceFeeRecipient: account(7) } : {}
  const query = { src: token(src), dst: token(dst), amount: units(src, thousandths), from, recipient, ...feeParameters }
  if (src !== 'NATIVE') await node.approve(query.src, from, (await routed(query)).tx.to, query.amount)
  const route = await routed(query)
  const senderBefore = await node.balance(query.dst, from)
  const { receipt, received, spent } = await send(node, route, recipient)
  expect(receipt.status).toBe(true)
  expect(received).toBe(BigInt(route.toAmount))
  // Shares of a rebasing token are rounded.
  expect(Number(spent - query.amount)).toBeCloseTo(0, -1)
  expect(receipt.gasUsed).toBeLessThanOrEqual(BigInt(route.gasEstimate))
  const senderAfter = await node.balance(query.dst, from)
  expect(senderAfter - senderBefore + (dst === 'NATIVE' ? receipt.feeWei : 0n)).toBe(0n)
})

test('the same quote with and without a recipient pays the same and costs little more gas', async () => {
  const query = { src: token('WETH'), dst: token('USDC'), amount: units('WETH', 1_000n), from: account(0) }
  const [toSender, toRecipient] = [await routed(query), await routed({ ...query, recipient: account(3) })]
  expect(toRecipient.toAmount).toBe(toSender.toAmount)
  expect(toRecipient.swaps.map(({ pool }) => pool)).toEqual(toSender.swaps.map(({ pool }) => pool))
  expect((await routed({ ...query, recipient: query.from })).tx.data.length).toBe(toSender.tx.data.length)
  expect(toRecipient.tx.data.slice(0, 10)).not.toBe(toSender.tx.data.slice(0, 10))
  expect(toRecipient.tx.data).toContain(account(3).slice(2).toLowerCase())
})

test('a quote without a sender names the recipient as well, and an exact output reaches it', async () => {
  const query = { src: token('WETH'), dst: token('USDC'), recipient: payee }
  const quoted = await get<RouteBody>(
    `${system.api}/quote/${system.devnet.chainId}?${new URLSearchParams({ ...query, amount: `${10n ** 18n}` })}`,
  )
  expect(quoted.status).toBe(200)
  const amountOut = units('USDC', 1_000_000n)
  const { amount: _, ...exact } = { ...query, from: account(1), amountOut, amount: '' }
  const first = await routed(exact as never)
  await node.approve(query.src, account(1), first.tx.to, 2n * BigInt(first.fromAmount))
  const { received, receipt } = await send(node, await routed(exact as never), payee)
  expect(receipt.status).toBe(true)
  expect(received).toBeGreaterThanOrEqual(amountOut)
})

test('approvals and swap in one batch pay the recipient, too', async () => {
  const query = {
    src: token('DAI'),
    dst: token('USDC'),
    amount: units('DAI', 2_000n),
    from: account(4),
    recipient: payee,
  }
  const route = await routed({ ...query, calls: '1' })
  expect(BigInt(route.toAmount)).toBeGreaterThan(0n)
  expect(route.tx.data).toContain(payee.slice(2))
})

test('a recipient that refuses the native token is detected before anything is sent', async () => {
  const query = { src: token('DAI'), dst: NATIVE, amount: units('DAI', 100_000n), from: account(0) }
  // The local USDC contract reverts. Uniswap's router uses all gas, by a failed assertion of an old compiler.
  for (const recipient of [token('USDC'), system.devnet.info.routers.uniswapV2Router02!]) {
    const url = swapUrl(system.api, system.devnet.chainId, { ...query, recipient })
    const { status, body } = await get<{ code: string; error: string }>(url)
    expect(status).toBe(422)
    expect(body).toMatchObject({ code: 'ROUTE_REVERTED', error: expect.stringContaining('NativeTransferFailed') })
  }
})

test('recipients that would lose the output are refused with the reason', async () => {
  const query = { src: token('WETH'), dst: token('USDC'), amount: units('WETH', 1_000n), from: account(0) }
  const { tx } = await routed(query)
  for (const recipient of [tx.to, query.src, query.dst, `0x${'0'.repeat(40)}`, NATIVE, '0x12', 'vitalik.eth']) {
    const url = swapUrl(system.api, system.devnet.chainId, { ...query, recipient })
    const { status, body } = await get<{ code: string; error: string }>(url)
    expect(status, recipient).toBe(400)
    expect(body).toMatchObject({ code: 'INVALID_PARAMETER', error: expect.stringMatching(/^recipient /) })
  }
})

test('the Guard itself refuses them for any calldata', async () => {
  const query = { src: token('WETH'), dst: token('USDC'), amount: units('WETH', 1_000n), from: account(0) }
  const executed = await approveQuoteSend(node, system.api, system.devnet.chainId, query)
  expect(executed.receipt.status).toBe(true)
  const { tx } = await routed({ ...query, recipient: payee })
  await node.approve(query.src, query.from, tx.to, query.amount)
  for (const bad of [tx.to, query.src, query.dst, `0x${'0'.repeat(40)}`]) {
    const data = tx.data.replace(payee.slice(2), bad.slice(2).toLowerCase())
    expect(data).not.toBe(tx.data)
    expect((await node.send({ ...tx, data })).status, bad).toBe(false)
  }
  expect((await node.send(tx)).status).toBe(true)
})

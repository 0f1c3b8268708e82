/** Tests that quotes succeed until their deadline with the recommended gas limit. */

import { toAddress } from '@sluice/chains'
import { type Contract, createBuilder } from '@sluice/devnet'
import { beforeAll, describe, expect, test } from 'vitest'
import { localService, request } from './src/devnet.ts'
import { ask } from './src/service.ts'
import { deployToken } from './src/tokens.ts'

const local = localService()
const WHOLE = 10n ** 18n
const EPOCH_SECONDS = 900
const APPROVE = ['function approve(address,uint256)']
let from: string

beforeAll(() => {
  from = local.devnet.info.accounts[1]!.address
})

type Receipt = { readonly status: string; readonly gasUsed: string }
type Route = {
  readonly gasEstimate: string
  readonly gasCharged: string
  readonly gasChargedAtDeadline: string
  readonly toAmount: string
  readonly tx: { readonly to: string; readonly data: string; readonly value: string }
}

const rpc = <T>(method: string, ...params: unknown[]) => request<T>(local.devnet.url, method, ...params)

async function quote(query: Record<string, string>): Promise<Route> {
  const { status, text } = await ask(`${local.server.url}/aggregator/31337?${new URLSearchParams({ from, ...query })}`)
  expect(status, text).toBe(200)
  return JSON.parse(text)
}

/** Sends a quote with the recommended gas limit: 20 % above the estimate. */
async function send({ gasEstimate, tx }: Route): Promise<Receipt> {
  const gas = `0x${((BigInt(gasEstimate) * 12n + 9n) / 10n).toString(16)}`
  const value = `0x${BigInt(tx.value).toString(16)}`
  return rpc<Receipt>('eth_sendTransactionSync', { from, to: tx.to, data: tx.data, value, gas })
}

async function approve(token: string, amount = 2n ** 200n): Promise<void> {
  const builder = createBuilder(local.devnet.url, toAddress(from))
  await builder.contractAt(APPROVE, token).send('approve', [local.devnet.info.guard, amount])
}

async function give(token: Contract, amount: bigint): Promise<void> {
  await token.send('mint', [from, amount])
  await approve(token.address)
}

/** Sets the time of the next block. @param seconds - after the newest block */
async function wait(seconds: number): Promise<void> {
  const { timestamp } = await rpc<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false)
  await rpc('evm_setNextBlockTimestamp', Number(timestamp) + seconds)
}

test.each([1, 60, 1_100])(
  'the first swap of a V2 pair that was funded in the quoted block lands %i s later',
  async (seconds) => {
    const { WETH } = local.devnet.info.tokens
    const token = await deployToken(local.devnet, 'NamedToken', ['Fresh', 'FRESH'], 10n)
    // Quote in the block that funded the pair. The sender has no tokens yet; the simulation overrides its balance.
    const route = await quote({ src: token.address, dst: WETH!.address, amount: `${WHOLE}` })
    await give(token, WHOLE)
    await wait(seconds)
    expect(await send(route)).toMatchObject({ status: '0x1' })
  },
)

describe('the charged gas of a swap is within 1 % of its receipt', () => {
  const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
  const address = (symbol: string) => (symbol === 'ETH' ? NATIVE : local.devnet.info.tokens[symbol]!.address)
  test.each([
    ['ETH', 'USDC', {}],
    ['ETH', 'USDC', { includeSources: 'uniswap-v2' }],
    ['ETH', 'USDC', { includeSources: 'uniswap-v4' }],
    ['ETH', 'WETH', {}],
    ['WETH', 'ETH', {}],
    ['USDC', 'ETH', { includeSources: 'uniswap-v3' }],
    ['USDC', 'ETH', { includeSources: 'uniswap-v4' }],
    ['WETH', 'USDC', { includeSources: 'uniswap-v3' }],
  ])('%s to %s %j', async (src, dst, terms) => {
    const ends = { src: address(src), dst: address(dst) }
    // Tokens do not write an unlimited allowance.
    if (src !== 'ETH') await approve(ends.src, 2n ** 256n - 1n)
    if (src === 'USDC') await send(await quote({ src: NATIVE, dst: ends.src, amount: `${WHOLE}` }))
    const amount = src === 'USDC' ? `${10n ** 8n}` : `${WHOLE / 10n}`
    // The first swap fills storage slots of the sender.
    await send(await quote({ ...ends, ...terms, amount }))
    const route = await quote({ ...ends, ...terms, amount })
    const receipt = await send(route)
    expect(receipt).toMatchObject({ status: '0x1' })
    expect(Math.abs(Number(route.gasCharged) / Number(receipt.gasUsed) - 1)).toBeLessThan(0.01)
  })
})

test('a quote whose route depends on gas first measures the pools of its routes, once', async () => {
  const { LINK, DAI } = local.devnet.info.tokens
  const isMeasuring = async (amount: bigint, gasPrice: bigint) => {
    const query = { src: LINK!.address, dst: DAI!.address, amount: `${amount}`, gasPrice: `${gasPrice}`, from }
    const answer = await ask(`${local.server.url}/aggregator/31337?${new URLSearchParams(query)}`)
    expect(answer.status, answer.text).toBe(200)
    return /probe;dur=/.test(answer.headers.get('server-timing') ?? '')
  }
  expect(await isMeasuring(50n * WHOLE, 0n)).toBe(false)
  expect(await isMeasuring(50n * WHOLE, 50n * 10n ** 9n)).toBe(true)
})

test('a unit of a token that was sent to the Guard does not make the charged gas of its swaps too low', async () => {
  const { WETH, DAI } = local.devnet.info.tokens
  const { guard } = local.devnet.info
  const dai = createBuilder(local.devnet.url, toAddress(from)).contractAt(
    ['function transfer(address,uint256)'],
    DAI!.address,
  )
  await approve(WETH!.address, 2n ** 256n - 1n)
  const query = { src: WETH!.address, dst: DAI!.address, includeSources: 'uniswap-v3', amount: `${WHOLE / 10n}` }
  await send(await quote(query))
  await dai.send('transfer', [guard, 1n])
  // The balances of the Guard are read again after some blocks.
  await rpc('anvil_mine', '0x20')
  const route = await quote(query)
  const receipt = await send(route)
  expect(receipt).toMatchObject({ status: '0x1' })
  expect(Math.abs(Number(route.gasCharged) / Number(receipt.gasUsed) - 1)).toBeLessThan(0.01)
})

test('a Solidly pair pushes an observation half an hour after the last one, quoted before and mined after', async () => {
  const { WETH, USDC } = local.devnet.info.tokens
  await approve(WETH!.address)
  const query = { src: WETH!.address, dst: USDC!.address, includeSources: 'velodrome-v2', amount: `${WHOLE}` }
  const deadline = `${2 ** 40}`
  // Wait long enough for this swap to write the newest oracle observation.
  await wait(3_600)
  expect(await send(await quote({ ...query, deadline }))).toMatchObject({ status: '0x1' })
  await wait(1_790)
  await rpc('evm_mine')
  const route = await quote({ ...query, deadline })
  await wait(30)
  const receipt = await send(route)
  expect(receipt).toMatchObject({ status: '0x1' })
  // The observation costs about 70,000 gas.
  expect(BigInt(route.gasEstimate)).toBeGreaterThanOrEqual(BigInt(receipt.gasUsed))
  expect(Number(receipt.gasUsed) / Number(route.gasChargedAtDeadline)).toBeCloseTo(1, 1)
  expect(Number(route.gasChargedAtDeadline) - Number(route.gasCharged)).toBeGreaterThan(60_000)
})

test('the gas estimate includes closing an epoch that ends before the deadline', async () => {
  const token = await deployToken(local.devnet, 'EpochToken', [], 10n)
  await give(token, 10n * WHOLE)
  const route = await quote({ src: token.address, dst: local.devnet.info.tokens.WETH!.address, amount: `${WHOLE}` })
  await wait(1_000)
  const receipt = await send(route)
  expect(receipt).toMatchObject({ status: '0x1' })
  expect(BigInt(route.gasEstimate)).toBeGreaterThanOrEqual(BigInt(receipt.gasUsed))
})

test('a later deadline is compared again, although an earlier one was compared just before', async () => {
  const now = await rpc<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false)
  await rpc('evm_setNextBlockTimestamp', EPOCH_SECONDS * Math.ceil(Number(now.timestamp) / EPOCH_SECONDS) + 10)
  const token = await deployToken(local.devnet, 'EpochToken', [], 10n)
  await give(token, 10n * WHOLE)
  const { timestamp } = await rpc<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false)
  const query = { src: token.address, dst: local.devnet.info.tokens.WETH!.address, amount: `${WHOLE}` }
  const soon = await quote({ ...query, deadline: `${Number(timestamp) + 30}` })
  expect(soon.gasChargedAtDeadline).toBe(soon.gasCharged)
  const late = await quote({ ...query, deadline: `${Number(timestamp) + 86_400}` })
  expect(Number(late.gasChargedAtDeadline)).toBeGreaterThan(Number(late.gasCharged))
})

test('a token that allows one sale per block is quoted to a sender who has just sold', async () => {
  const token = await deployToken(local.devnet, 'OneSalePerBlock', [], 10n)
  await give(token, 10n * WHOLE)
  const query = { src: token.address, dst: local.devnet.info.tokens.WETH!.address, amount: `${WHOLE}` }
  expect(await send(await quote(query))).toMatchObject({ status: '0x1' })
  expect(await send(await quote(query))).toMatchObject({ status: '0x1' })
})

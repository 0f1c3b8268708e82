/**
 * Kinds of requests that are expensive for a service. Each request has new tokens and senders, which are in no cache.
 */
import { randomBytes } from 'node:crypto'
import { getRequest, postJson } from './connection.ts'

export type Target = {
  readonly chainId: number
  readonly weth: string
  readonly usdc: string
  readonly account: string
  /** Chain ids whose nodes are down or never respond. */
  readonly deadChains: readonly number[]
}

const hex = (bytes: number) => `0x${randomBytes(bytes).toString('hex')}`
const addresses = (count: number) => Array.from({ length: count }, () => hex(20)).join()
const pick = <T>(values: readonly T[]) => values[Math.floor(Math.random() * values.length)]!

/** Returns a function for each kind of request. Each call of the function returns a complete HTTP request. */
export function requestGenerators({
  chainId,
  weth,
  usdc,
  account,
  deadChains,
}: Target): Readonly<Record<string, () => string>> {
  const swap = (src: string, dst: string, extraParameters = {}, chain = chainId) =>
    `/aggregator/${chain}?${new URLSearchParams({ src, dst, amount: `1${'0'.repeat(18)}`, from: account, ...extraParameters })}`
  const simulation = { from: account, to: usdc, data: '0x', tokenIn: weth, amountIn: '1000', tokenOut: usdc }
  const simulate = (fields: object) => postJson(`/simulate/${chainId}`, JSON.stringify({ ...simulation, ...fields }))
  const unusualSimulations: readonly (() => string)[] = [
    () => simulate({ tokenIn: hex(20), tokenOut: hex(20), from: hex(20), to: hex(20), data: hex(68) }),
    () => simulate({ tokenIn: weth, from: hex(20), to: weth, data: hex(2_000), gas: '100000000' }),
    () => simulate({ tokenIn: hex(20), balanceSlot: hex(32), allowanceSlot: hex(32) }),
    () => simulate({ block: String(Math.floor(Math.random() * 1e9)), coinbase: hex(20), gasPrice: hex(8) }),
    () => postJson(`/simulate/${chainId}`, '['.repeat(100_000)),
    () => postJson(`/simulate/${chainId}`, JSON.stringify({ ...simulation, data: { deep: hex(100) } })),
    () => postJson(`/simulate/${chainId}`, hex(30_000)),
  ]
  const invalidRequests: readonly (() => string)[] = [
    () => getRequest(swap('0x12', usdc)),
    () => getRequest(swap(weth, usdc, { amount: '1e18' })),
    () => getRequest(`/prices/${chainId}?token=${randomBytes(9).toString('hex')}`),
    () => getRequest(`/aggregator/x?src=${weth}`),
    () => getRequest(swap(weth, usdc, { maxHops: '99' })),
    () => getRequest(`/${randomBytes(6).toString('hex')}`),
  ]
  return {
    'prices of 200 unknown addresses': () => getRequest(`/prices/${chainId}?token=${addresses(200)}`),
    'liquidity of 200 unknown addresses': () => getRequest(`/liquidity/${chainId}?curve=1&token=${addresses(200)}`),
    'routes to random tokens': () => getRequest(swap(weth, hex(20))),
    'routes between random tokens': () => getRequest(swap(hex(20), hex(20))),
    'reports of 10 random tokens': () => getRequest(`/tokens/${chainId}?token=${addresses(10)}`),
    'simulations with awkward bodies': () => pick(unusualSimulations)(),
    'huge query strings': () => getRequest(swap(weth, usdc, { excludePools: hex(8_000) })),
    'long calldata': () => simulate({ data: hex(131_000) }),
    'invalid requests': () => pick(invalidRequests)(),
    'unknown chains': () => getRequest(swap(weth, usdc, {}, 1_000_000 + Math.floor(Math.random() * 1e9))),
    'dead chains': () => getRequest(swap(weth, usdc, {}, pick(deadChains))),
  }
}

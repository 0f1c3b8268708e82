/** Tests a route with one broken pool that the service has not noticed yet: only that pool is dropped. */
import { expect, test } from 'vitest'
import { localService, request } from './src/devnet.ts'
import { ask } from './src/service.ts'

/** Families with one contract per pool, so removing its code breaks no other pool. */
const OWN_CODE = ['uniswap-v3', 'uniswap-v2', 'algebra-integral', 'slipstream', 'solidly']
const local = localService()

type Swap = { readonly pool: string; readonly protocol: string; readonly amountIn: string; readonly tokenIn: string }
type Answer = { readonly toAmount: string; readonly swaps: readonly Swap[] }

async function quote(ether = 300n): Promise<Answer> {
  const { WETH, USDC } = local.devnet.info.tokens
  const query = { src: WETH!.address, dst: USDC!.address, amount: `${ether * 10n ** 18n}` }
  const { status, text } = await ask(`${local.server.url}/quote/31337?${new URLSearchParams(query)}`)
  expect(status, text).toBe(200)
  return JSON.parse(text)
}

/** Returns how many routes failed in simulation so far. */
async function failedTrials(): Promise<number> {
  const { text } = await ask(`${local.server.url}/metrics`)
  const counts = text.matchAll(/^sluice_route_trials_total\{.*outcome="(?:reverted|shortfall)".*\} (\d+)/gm)
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
}

/** Returns the swaps of WETH in pools with own code, the smallest first. */
function swapsOfOwnCode({ swaps }: Answer): readonly Swap[] {
  const weth = local.devnet.info.tokens.WETH!.address.toLowerCase()
  return swaps
    .filter(({ protocol, tokenIn }) => OWN_CODE.includes(protocol) && tokenIn.toLowerCase() === weth)
    .sort((a, b) => Number(BigInt(a.amountIn) - BigInt(b.amountIn)))
}

const poolsOf = ({ swaps }: Answer): readonly string[] => swaps.map(({ pool }) => pool)

/** Replaces the code of a pool, and returns the code before. */
async function replaceCode(pool: string, code: string): Promise<string> {
  const before = await request<string>(local.devnet.url, 'eth_getCode', pool, 'latest')
  await request(local.devnet.url, 'anvil_setCode', pool, code)
  await request(local.devnet.url, 'evm_mine')
  return before
}

test('a small pool whose code was removed is excluded, and the larger pools stay in the route', async () => {
  const before = await quote()
  expect(before.swaps.length).toBeGreaterThan(5)
  const { pool: smallest } = swapsOfOwnCode(before)[0]!
  const code = await replaceCode(smallest, '0x')
  const after = await quote()
  expect(poolsOf(after)).not.toContain(smallest)
  const otherPools = poolsOf(before).filter((pool) => pool !== smallest)
  const remaining = otherPools.filter((pool) => poolsOf(after).includes(pool))
  expect(remaining.length).toBeGreaterThanOrEqual(otherPools.length - 2)
  // The smallest pool carried little, so its loss costs at most 0.2 % of the output.
  expect(Number(after.toAmount) / Number(before.toAmount)).toBeGreaterThan(0.998)
  await replaceCode(smallest, code)
})

test('a pool that failed is not tried again until half a minute of blocks later', async () => {
  const { pool: largest } = swapsOfOwnCode(await quote(310n)).at(-1)!
  const code = await replaceCode(largest, '0x')
  expect(poolsOf(await quote(311n))).not.toContain(largest)
  const failed = await failedTrials()
  expect(failed).toBeGreaterThan(0)
  await replaceCode(largest, code)
  expect(poolsOf(await quote(312n))).not.toContain(largest)
  // One second each.
  await request(local.devnet.url, 'anvil_mine', 31)
  expect(poolsOf(await quote(313n))).toContain(largest)
  expect(await failedTrials()).toBe(failed)
})

/** Tests a route with one broken pool that the service has not noticed yet: only that pool is dropped. */
import { expect, test } from 'vitest'
import { localService, request } from './src/devnet.ts'
import { ask } from './src/service.ts'

/** Families with one contract per pool, so removing its code breaks no other pool. */
const OWN_CODE = ['uniswap-v3', 'uniswap-v2', 'algebra-integral', 'slipstream', 'solidly']
const local = localService()

type Swap = { readonly pool: string; readonly protocol: string; readonly amountIn: string; readonly tokenIn: string }
type Answer = { readonly toAmount: string; readonly swaps: readonly Swap[] }

async function quote(): Promise<Answer> {
  const { WETH, USDC } = local.devnet.info.tokens
  const query = { src: WETH!.address, dst: USDC!.address, amount: `${300n * 10n ** 18n}` }
  const { status, text } = await ask(`${local.server.url}/quote/31337?${new URLSearchParams(query)}`)
  expect(status, text).toBe(200)
  return JSON.parse(text)
}

test('a small pool whose code was removed is excluded, and the larger pools stay in the route', async () => {
  const before = await quote()
  expect(before.swaps.length).toBeGreaterThan(5)
  const own = before.swaps.filter(({ protocol, tokenIn }) => {
    return OWN_CODE.includes(protocol) && tokenIn.toLowerCase() === local.devnet.info.tokens.WETH!.address.toLowerCase()
  })
  const [smallest] = [...own].sort((a, b) => Number(BigInt(a.amountIn) - BigInt(b.amountIn)))
  await request(local.devnet.url, 'anvil_setCode', smallest!.pool, '0x')
  await request(local.devnet.url, 'evm_mine')
  const after = await quote()
  expect(after.swaps.map(({ pool }) => pool)).not.toContain(smallest!.pool)
  const others = before.swaps.filter(({ pool }) => pool !== smallest!.pool).map(({ pool }) => pool)
  const remaining = others.filter((pool) => after.swaps.some((swap) => swap.pool === pool))
  expect(remaining.length).toBeGreaterThanOrEqual(others.length - 2)
  // The smallest pool carried little, so its loss costs at most 0.2 % of the output.
  expect(Number(after.toAmount) / Number(before.toAmount)).toBeGreaterThan(0.998)
}, 60_000)

/** Endpoints that can do less than others: what a simulation makes of each. */
import { type Hex, toAddress } from '@sluice/chains'
import { type Interceptor, NodeProxy } from '@sluice/devnet'
import { createRpc } from '@sluice/rpc'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createSimulationContext, type SimulationRequest, simulateSwap } from '../src/index.ts'
import { abiOf, startTestChain, type TestChain } from './chain.ts'

let chain: TestChain
const proxies: NodeProxy[] = []
const router = abiOf('@uniswap/v2-periphery/build/UniswapV2Router02.json')
const from = toAddress(`0x${'f3'.repeat(20)}`)
const loop = toAddress(`0xbad${'7'.padStart(37, '0')}`)
const CAP = 12_000_000n

beforeAll(async () => {
  chain = await startTestChain()
  // JUMPDEST PUSH1 0 JUMP
  await chain.rpc.request('anvil_setCode', [loop, '0x5b600056'])
})
afterEach(async () => {
  for (const proxy of proxies.splice(0)) await proxy.stop()
})
afterAll(() => chain?.anvil.stop())

const swap = (minOutput = 0n): SimulationRequest => {
  const { USDC, WETH } = chain.info.tokens
  const path = [USDC.address, WETH.address]
  return {
    from,
    to: chain.info.routers.uniswapV2Router02!,
    data: router.encodeFunctionData('swapExactTokensForTokens', [5_000_000n, minOutput, path, from, 2n ** 40n]) as Hex,
    tokenIn: USDC.address,
    amountIn: 5_000_000n,
    tokenOut: WETH.address,
    block: 'latest',
  }
}
async function worse(answer: Interceptor): Promise<string> {
  const proxy = await NodeProxy.start(chain.anvil.url, answer)
  proxies.push(proxy)
  return proxy.url
}
const simulate = (request: SimulationRequest, ...urls: string[]) =>
  simulateSwap(createRpc({ chainId: 31337, urls }), request, createSimulationContext())

const caps: Interceptor = ({ method, params }) => {
  const call = params[0] as { gas?: Hex }
  if (method === 'eth_call' && (!call.gas || BigInt(call.gas) > CAP)) call.gas = `0x${CAP.toString(16)}`
  return undefined
}
const refusesOverrides: Interceptor = ({ method, params }) =>
  method === 'eth_call' && params.length > 2 ? { error: { code: -32602, message: 'too many arguments' } } : undefined

test('a node with a gas cap runs transactions below the cap, and its reverts count', async () => {
  const url = await worse(caps)
  const { amountOut, gasUsed } = await simulate(swap(), chain.anvil.url)
  expect(await simulate(swap(), url)).toMatchObject({ success: true, amountOut, gasUsed })
  expect(await simulate(swap(10n ** 30n), url)).toMatchObject({
    success: false,
    revertReason: 'UniswapV2Router: INSUFFICIENT_OUTPUT_AMOUNT',
  })
})

test('a result that a capped node cannot determine is a node failure, and a node without a cap is preferred', async () => {
  const endless = { ...swap(), to: loop, data: '0x' as const }
  const url = await worse(caps)
  await expect(simulate(endless, url)).rejects.toMatchObject({ code: 'GAS_CAP' })
  expect(await simulate(endless, url, chain.anvil.url)).toMatchObject({ success: false, revertReason: 'out of gas' })
})

test('a node without overrides is skipped, and reported if there is no other', async () => {
  const url = await worse(refusesOverrides)
  expect(await simulate(swap(), url, chain.anvil.url)).toMatchObject({ success: true })
  await expect(simulate(swap(), url)).rejects.toMatchObject({ code: 'NO_OVERRIDES' })
})

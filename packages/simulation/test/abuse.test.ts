import { type Address, type Hex, toAddress } from '@sluice/chains'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type SimulationRequest, simulateSwap } from '../src/index.ts'
import { attacks } from './attacks.ts'
import { abiOf, patientContext, startTestChain, type TestChain } from './chain.ts'

let chain: TestChain
const router = abiOf('@uniswap/v2-periphery/build/UniswapV2Router02.json')
const from = toAddress(`0x${'f0'.repeat(20)}`)

const targets = new Map<string, Address>()

beforeAll(async () => {
  chain = await startTestChain()
  for (const [index, [name, code]] of Object.entries(attacks).entries()) {
    const target = toAddress(`0xbad${index.toString().padStart(37, '0')}`)
    await chain.rpc.request('anvil_setCode', [target, code])
    targets.set(name, target)
  }
})
afterAll(() => chain?.anvil.stop())

const swap = (amount: bigint): SimulationRequest => {
  const { USDC, WETH } = chain.info.tokens
  const data = router.encodeFunctionData('swapExactTokensForTokens', [
    amount,
    0,
    [USDC.address, WETH.address],
    from,
    2n ** 40n,
  ])
  return {
    from,
    to: chain.info.routers.uniswapV2Router02!,
    data: data as Hex,
    tokenIn: USDC.address,
    amountIn: amount,
    tokenOut: WETH.address,
    block: 'latest',
  }
}
const attack = (name: string): SimulationRequest => ({ ...swap(1_000_000n), to: targets.get(name)!, data: '0x' })

test.each(Object.keys(attacks))('%s ends with a bounded response', async (name) => {
  const context = patientContext()
  const result = await simulateSwap(chain.rpc, attack(name), context)
  expect(result.success).toBe(name === 'self-destruct')
  expect(result.amountOut).toBe(0n)
  expect(result.returnData.length).toBeLessThanOrEqual(2 + 2 * context.limits.maxReturnData)
  if (name === 'infinite loop') expect(result.revertReason).toBe('out of gas')
})

test('twenty attackers do not delay fifty honest callers', async () => {
  const context = patientContext()
  const honest = () =>
    Array.from({ length: 50 }, (_, i) => simulateSwap(chain.rpc, swap(1_000_000n + BigInt(i)), context))
  await Promise.all(honest())
  const names = Object.keys(attacks)
  let stop = false
  const attackers = Array.from({ length: 20 }, async (_, i) => {
    while (!stop) await simulateSwap(chain.rpc, attack(names[i % names.length]!), context)
  })
  const underAttack = await Promise.all(honest())
  stop = true
  await Promise.all(attackers)
  // None was thrown as too late, or refused.
  expect(underAttack.every(({ success }) => success)).toBe(true)
})

test('calldata or gas above the limit is refused before any RPC request', async () => {
  const context = patientContext({ maxGas: 1_000_000n })
  await expect(simulateSwap(chain.rpc, { ...swap(1n), gas: 2_000_000n }, context)).rejects.toMatchObject({
    code: 'BAD_REQUEST',
  })
  const data = `0x${'00'.repeat(context.limits.maxCalldata + 1)}` as const
  await expect(simulateSwap(chain.rpc, { ...swap(1n), data }, context)).rejects.toMatchObject({ code: 'BAD_REQUEST' })
})

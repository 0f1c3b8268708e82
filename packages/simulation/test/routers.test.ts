import { type Address, type Hex, NATIVE } from '@sluice/chains'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSimulationContext, simulateSwap } from '../src/index.ts'
import { abiOf, startTestChain, type TestChain } from './chain.ts'

let chain: TestChain
const context = createSimulationContext()
const v2Router = abiOf('@uniswap/v2-periphery/build/UniswapV2Router02.json')
const v3Router = abiOf('@uniswap/swap-router-contracts/artifacts/contracts/SwapRouter02.sol/SwapRouter02.json')
const DEADLINE = 2n ** 40n

beforeAll(async () => {
  chain = await startTestChain()
})
afterAll(() => chain?.anvil.stop())

const token = (symbol: string): Address => (symbol === 'NATIVE' ? NATIVE : chain.info.tokens[symbol]!.address)
const units = (symbol: string, amount: number) =>
  (BigInt(Math.round(amount * 1e6)) * 10n ** BigInt(symbol === 'NATIVE' ? 18 : chain.info.tokens[symbol]!.decimals)) /
  1_000_000n

type Shape = {
  readonly router: () => Address
  readonly path: readonly string[]
  readonly amount: number
  readonly encode: (sender: Address, amountIn: bigint, path: readonly Address[]) => string
}
const routerOf = (name: string) => () => chain.info.routers[name]!
const v2 = (method: string) => (sender: Address, amountIn: bigint, path: readonly Address[]) =>
  v2Router.encodeFunctionData(
    method,
    method.includes('ExactETH') ? [0, path, sender, DEADLINE] : [amountIn, 0, path, sender, DEADLINE],
  )
const v2Shape = (path: string[], amount: number, method = 'swapExactTokensForTokens'): Shape => ({
  router: routerOf('uniswapV2Router02'),
  path,
  amount,
  encode: v2(method),
})
const v3Shape = (path: string[], fee: number, amount: number): Shape => ({
  router: routerOf('uniswapSwapRouter02'),
  path,
  amount,
  encode: (sender, amountIn, [tokenIn, tokenOut]) =>
    v3Router.encodeFunctionData('exactInputSingle', [
      { tokenIn, tokenOut, fee, recipient: sender, amountIn, amountOutMinimum: 0, sqrtPriceLimitX96: 0 },
    ]),
})

const shapes: Readonly<Record<string, () => Shape>> = {
  'V2 one hop': () => v2Shape(['USDC', 'WETH'], 1000),
  'V2 two hops': () => v2Shape(['USDC', 'WETH', 'LINK'], 500),
  'V2 three hops': () => v2Shape(['DAI', 'WETH', 'LINK', 'HEX'], 100),
  'V2 without return values': () => v2Shape(['USDT', 'WETH'], 300),
  'V2 to native': () => v2Shape(['DAI', 'WETH'], 200, 'swapExactTokensForETH'),
  'V2 taxed in': () => v2Shape(['TAXED', 'WETH'], 50, 'swapExactTokensForTokensSupportingFeeOnTransferTokens'),
  'V2 taxed out': () => v2Shape(['WETH', 'TAXED'], 0.1, 'swapExactTokensForTokensSupportingFeeOnTransferTokens'),
  'V2 rebasing in': () => v2Shape(['STETH', 'WETH'], 1, 'swapExactTokensForTokensSupportingFeeOnTransferTokens'),
  'V2 rebasing out': () => v2Shape(['WETH', 'STETH'], 1, 'swapExactTokensForTokensSupportingFeeOnTransferTokens'),
  'V2 packed balances': () => v2Shape(['UNI', 'WETH'], 20),
  'V3 one tick range': () => v3Shape(['USDC', 'WETH'], 500, 100),
  'V3 several ticks': () => v3Shape(['USDC', 'WETH'], 3000, 200_000),
  'V3 without return values': () => v3Shape(['USDT', 'WETH'], 500, 1000),
}

for (const [name, shapeOf] of Object.entries(shapes)) {
  test(`${name}: amount and gas are those of the transaction really sent`, async () => {
    const { router, path, amount, encode } = shapeOf()
    const to = router()
    const from = await chain.newAccount()
    const [tokenIn, tokenOut] = [token(path[0]!), token(path.at(-1)!)]
    let amountIn = units(path[0]!, amount)
    if (name === 'V2 rebasing in') {
      // Not every amount can be had of a token that keeps shares: take the one that a transfer makes.
      await chain.fund(from, tokenIn, amountIn, to)
      amountIn = await chain.balanceOf(tokenIn, from)
    }
    const data = encode(from, amountIn, path.map(token)) as Hex
    const out = name.includes('to native') ? NATIVE : tokenOut

    // Funding pays a tax; the first one that is ever paid costs the collector's storage slot.
    if (name === 'V2 taxed in') await chain.fund(await chain.newAccount(), tokenIn, amountIn, to)
    // So that oracles which look at the time since the last block find the same answer.
    await chain.rpc.request('evm_mine', [])
    const simulated = await simulateSwap(
      chain.rpc,
      { from, to, data, tokenIn, amountIn, tokenOut: out, block: 'latest' },
      context,
    )
    expect(simulated.revertReason).toBeUndefined()
    await chain.fund(from, tokenIn, amountIn, to)
    const before = await chain.balanceOf(tokenOut, from)
    const sent = await chain.send({ from, to, data })
    expect(sent.success).toBe(true)
    if (out !== NATIVE) {
      expect(simulated.amountOut).toBe((await chain.balanceOf(tokenOut, from)) - before)
      expect(BigInt(simulated.gasUsed)).toBe(sent.grossGas)
    } else {
      expect(BigInt(simulated.gasUsed) - sent.grossGas).toBeLessThanOrEqual(20n)
      expect(BigInt(simulated.gasUsed)).toBeGreaterThanOrEqual(sent.grossGas)
    }
  })
}

/** Tests a token whose storage layout cannot be derived. Simulations borrow its balance from pools. */
import { NATIVE } from '@sluice/chains'
import { abiOf, compile, deployer } from '@sluice/simulation/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type System, startSystem } from './src/service.ts'
import { approveQuoteSend } from './src/swap.ts'
import { Node } from './src/wallet.ts'

const router = abiOf('@uniswap/v2-periphery/build/UniswapV2Router02.json')
const FOREVER = 2n ** 40n
const AMOUNT = 10n ** 18n
const TOKEN_SIDE = 10_000n * 10n ** 18n
const WETH_SIDE = 50n * 10n ** 18n

let system: System
let node: Node
let token: string
let sender: string
let routerAddress: string

beforeAll(async () => {
  system = await startSystem()
  node = new Node(system.devnet.url)
  const { accounts, routers, tokens } = system.devnet.info
  sender = accounts[0]!.address
  routerAddress = routers.uniswapV2Router02!
  token = await deployer(system.devnet.url)(compile('Numbered.sol').NumberedToken!.creation)
  await addPool(tokens.WETH.address, WETH_SIDE)
  await addPool(tokens.USDC.address, 100_000n * 10n ** 6n)
})
afterAll(() => system?.stop())

async function addPool(other: string, amount: bigint): Promise<void> {
  for (const [address, approved] of [
    [token, TOKEN_SIDE],
    [other, amount],
  ] as const)
    await node.approve(address, sender, routerAddress, approved)
  const data = router.encodeFunctionData('addLiquidity', [token, other, TOKEN_SIDE, amount, 0, 0, sender, FOREVER])
  const { status } = await node.send({ from: sender, to: routerAddress, data, gas: 8_000_000n })
  expect(status).toBe(true)
}

test('its first simulation works for a sender without funds', async () => {
  const nobody = `0x${'f7'.repeat(20)}`
  const path = [token, system.devnet.info.tokens.WETH.address]
  const data = router.encodeFunctionData('swapExactTokensForETH', [AMOUNT, 0, path, nobody, FOREVER])
  const response = await fetch(`${system.api}/simulate/${system.devnet.chainId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      from: nobody,
      to: routerAddress,
      data,
      tokenIn: token,
      amountIn: String(AMOUNT),
      tokenOut: NATIVE,
    }),
  })
  const body = (await response.json()) as { success: boolean; amountOut: string }
  expect(response.status, JSON.stringify(body)).toBe(200)
  const amountAfterFee = AMOUNT * 997n
  const amountOut = (amountAfterFee * WETH_SIDE) / (TOKEN_SIDE * 1000n + amountAfterFee)
  expect(body).toMatchObject({ success: true, amountOut: String(amountOut) })
})

test('it is quoted and traded like any other token', async () => {
  const query = { src: token, dst: NATIVE, amount: AMOUNT, from: sender }
  const { route, receipt, received } = await approveQuoteSend(node, system.api, system.devnet.chainId, query)
  expect(receipt.status).toBe(true)
  expect(received).toBe(BigInt(route.toAmount))
})

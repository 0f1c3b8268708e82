/** Simulations run in the block that a transaction sent now is mined in: each is compared with the same really sent. */
import { type Address, type Hex, toAddress } from '@sluice/chains'
import { NodeProxy, request } from '@sluice/devnet'
import { createRpc } from '@sluice/rpc'
import { AbiCoder } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type SimulationRequest, simulateSwap } from '../src/index.ts'
import { abiOf, patientContext, startTestChain, type TestChain } from './chain.ts'
import { compile } from './compile.ts'

let chain: TestChain
let clock: Address
const contracts = compile('Timed.sol')
const context = patientContext({ blockIntervalMs: 1_000 })
const router = abiOf('@uniswap/v2-periphery/build/UniswapV2Router02.json')
const AMOUNT = 5_000_000n

beforeAll(async () => {
  chain = await startTestChain()
  clock = await chain.deploy(contracts.Clock!.creation)
})
afterAll(() => chain?.anvil.stop())

const abi = (name: string) => contracts[name]!.abi
const call = (name: string, method: string, args: readonly unknown[]) =>
  abi(name).encodeFunctionData(method, args) as Hex

/** The sender gives `AMOUNT` of the token to the clock. */
const gift = (from: Address, token: Address): SimulationRequest => ({
  from,
  to: clock,
  data: call('Clock', 'swap', [token, AMOUNT]),
  tokenIn: token,
  amountIn: AMOUNT,
  tokenOut: token,
  block: 'latest',
})

/** A sender with enough of the token, and the allowance. */
async function holder(token: Address): Promise<Address> {
  const from = await chain.newAccount()
  await chain.send({ from, to: token, data: call('TimedToken', 'mint', [from, 10n * AMOUNT]) })
  await chain.send({ from, to: token, data: call('TimedToken', 'approve', [clock, 2n ** 256n - 1n]) })
  return from
}

test('number, time, and base fee are those of the block that mines the transaction', async () => {
  const token = await chain.deploy(contracts.TimedToken!.creation)
  const from = await holder(token)
  const { returnData, appliedBlock } = await simulateSwap(chain.rpc, gift(from, token), context)
  await request(chain.anvil.url, 'evm_mine', [])
  const mined = (await chain.rpc.getBlock('latest'))!
  const [number, timestamp, baseFee] = AbiCoder.defaultAbiCoder().decode(['uint256', 'uint256', 'uint256'], returnData)
  expect(appliedBlock).toEqual({ number: mined.number, timestamp: mined.timestamp })
  expect({ number: Number(number), timestamp: Number(timestamp), baseFee }).toEqual({
    number: mined.number,
    timestamp: mined.timestamp,
    baseFee: mined.baseFeePerGas,
  })
})

test.each(['OneTradePerBlock', 'Cooldown'])(
  '%s: a sender who has just traded can trade in the next block',
  async (name) => {
    const token = await chain.deploy(contracts[name]!.creation)
    const from = await holder(token)
    const { to, data } = gift(from, token)
    expect(await chain.send({ from, to, data })).toMatchObject({ success: true })
    expect(await simulateSwap(chain.rpc, gift(from, token), context)).toMatchObject({ success: true })
    expect(await chain.send({ from, to, data })).toMatchObject({ success: true })
  },
)

test('gas includes a checkpoint that the next block writes again, as in the sent transaction', async () => {
  const token = await chain.deploy(contracts.Checkpointed!.creation)
  const [first, second] = [await holder(token), await chain.newAccount()]
  await chain.send({ from: second, to: token, data: call('TimedToken', 'mint', [second, AMOUNT]) })
  await chain.send({ from: second, to: token, data: call('TimedToken', 'approve', [clock, AMOUNT]) })
  const { to, data } = gift(first, token)
  await chain.send({ from: first, to, data })
  const { gasUsed } = await simulateSwap(chain.rpc, gift(second, token), context)
  expect(BigInt(gasUsed)).toBe((await chain.send({ from: second, to, data })).grossGas)
})

test('the gas of the first swap of a V2 pair is that of the block after its funding', async () => {
  const token = await chain.deploy(contracts.TimedToken!.creation)
  const { WETH } = chain.info.tokens
  const { uniswapV2Router02 } = chain.info.routers
  const { rich } = chain
  const unit = 10n ** 18n
  await chain.send({ from: rich, to: token, data: call('TimedToken', 'mint', [rich, 1_000n * unit]) })
  await chain.send({ from: rich, to: token, data: call('TimedToken', 'approve', [uniswapV2Router02, 2n ** 255n]) })
  await chain.send({
    from: rich,
    to: WETH.address,
    data: call('TimedToken', 'approve', [uniswapV2Router02, 2n ** 255n]),
  })
  const add = router.encodeFunctionData('addLiquidity', [token, WETH.address, unit, unit / 2n, 0, 0, rich, 2n ** 40n])
  const from = await chain.newAccount()
  await chain.send({ from, to: token, data: call('TimedToken', 'mint', [from, AMOUNT]) })
  await chain.send({ from, to: token, data: call('TimedToken', 'approve', [uniswapV2Router02, AMOUNT]) })
  // Funded in the newest block: the pair's price accumulators are zero until the first trade of a later one.
  expect(await chain.send({ from: rich, to: uniswapV2Router02!, data: add as Hex })).toMatchObject({ success: true })
  const data = router.encodeFunctionData('swapExactTokensForTokens', [
    AMOUNT,
    0,
    [token, WETH.address],
    from,
    2n ** 40n,
  ]) as Hex
  const request = { from, to: uniswapV2Router02!, data, tokenIn: token, amountIn: AMOUNT, tokenOut: WETH.address }
  const { success, gasUsed } = await simulateSwap(chain.rpc, { ...request, block: 'latest' }, context)
  expect(success).toBe(true)
  expect(BigInt(gasUsed)).toBe((await chain.send({ from, to: uniswapV2Router02!, data })).grossGas)
})

test('a node that cannot override the block runs it in the block itself', async () => {
  const token = await chain.deploy(contracts.TimedToken!.creation)
  const from = toAddress(`0x${'f4'.repeat(20)}`)
  const proxy = await NodeProxy.start(chain.anvil.url, ({ method, params }) => {
    if (method === 'eth_call') params.length = Math.min(params.length, 3)
    return undefined
  })
  const result = await simulateSwap(createRpc({ chainId: 31337, urls: [proxy.url] }), gift(from, token), context)
  await proxy.stop()
  expect(result).toMatchObject({ success: true })
  expect(result.appliedBlock).toBeUndefined()
  const [number] = AbiCoder.defaultAbiCoder().decode(['uint256'], result.returnData)
  expect(Number(number)).toBe(result.blockNumber)
})

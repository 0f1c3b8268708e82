/** Limits of transactions as chains have them, and words for those that end with no gas left. */
import { type Address, type Hex, toAddress } from '@sluice/chains'
import { type Interceptor, NodeProxy } from '@sluice/devnet'
import { createRpc, type Rpc } from '@sluice/rpc'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type SimulationRequest, simulateSwap } from '../src/index.ts'
import { patientContext, startTestChain, type TestChain } from './chain.ts'

let chain: TestChain
const proxies: NodeProxy[] = []
const from = toAddress(`0x${'f6'.repeat(20)}`)
const target = (digit: string) => toAddress(`0xbad${digit.padStart(37, '0')}`)
const [invalid, loop, gasMeter, stops, counts, outer, outerOfInvalid] = ['1', '2', '3', '4', '5', '6', '7'].map(
  target,
) as [Address, Address, Address, Address, Address, Address, Address]

/** Calls a contract with all gas and no value, and reverts without data where that fails. */
const calling = (inner: Address): Hex => `0x5f5f5f5f5f73${inner.slice(2)}5af115602157005b5f5ffd`

beforeAll(async () => {
  chain = await startTestChain()
  const codes: readonly [Address, Hex][] = [
    [invalid, '0xfe'],
    // JUMPDEST PUSH1 0 JUMP
    [loop, '0x5b600056'],
    // Returns GAS.
    [gasMeter, '0x5a60005260206000f3'],
    [stops, '0x00'],
    // Counts down from 4,096 for 106,000 gas: PUSH2 JUMPDEST PUSH1 SWAP1 SUB DUP1 PUSH1 JUMPI STOP
    [counts, '0x6110005b6001900380600357'],
    [outer, calling(counts)],
    [outerOfInvalid, calling(invalid)],
  ]
  for (const [account, code] of codes) await chain.rpc.request('anvil_setCode', [account, code])
})
afterEach(async () => {
  for (const proxy of proxies.splice(0)) await proxy.stop()
})
afterAll(() => chain?.anvil.stop())

const call = (to: Address, overrides: Partial<SimulationRequest> = {}): SimulationRequest => {
  const { USDC, WETH } = chain.info.tokens
  const ends = { tokenIn: USDC!.address, amountIn: 1n, tokenOut: WETH!.address }
  return { from, to, data: '0x', ...ends, block: 'latest', ...overrides }
}
const simulate = (request: SimulationRequest, rpc: Rpc = chain.rpc) => simulateSwap(rpc, request, patientContext())
async function through(answer: Interceptor): Promise<Rpc> {
  const proxy = await NodeProxy.start(chain.anvil.url, answer)
  proxies.push(proxy)
  return createRpc({ chainId: 31337, urls: [proxy.url] })
}
/** As a chain before Osaka, which does not know the instruction that counts zeros. */
const beforeOsaka: Interceptor = ({ params }) =>
  JSON.stringify(params).includes('0x5f1e5f5260205ff3')
    ? { error: { code: -32603, message: 'EVM error NotActivated' } }
    : undefined

test.each([{}, { bareRunMode: 'measured' as const }])('INVALID is distinguished from out-of-gas (%o)', async (more) => {
  expect(await simulate(call(invalid, more))).toMatchObject({
    success: false,
    revertReason: expect.stringContaining('invalid opcode'),
  })
  expect(await simulate(call(loop, more))).toMatchObject({ success: false, revertReason: 'out of gas' })
})

test('out-of-gas in an inner call is distinguished from a revert without a reason', async () => {
  expect(await simulate(call(outer, { gas: 60_000n }))).toMatchObject({ success: false, revertReason: 'out of gas' })
  expect(await simulate(call(outer, { gas: 200_000n }))).toMatchObject({ success: true })
  for (const gas of [60_000n, 200_000n])
    expect(await simulate(call(outerOfInvalid, { gas }))).toMatchObject({
      success: false,
      revertReason: 'reverted without a reason',
    })
})

test('gas above the block gas limit, or above the limit of a transaction, is refused', async () => {
  const { gasLimit } = (await chain.rpc.getBlock('latest'))!
  await expect(simulate(call(stops, { gas: gasLimit + 1n }))).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    message: expect.stringContaining('the gas limit of the block'),
  })
  await expect(simulate(call(stops, { gas: 16_777_217n }))).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    message: expect.stringContaining('EIP-7825'),
  })
  expect(await simulate(call(stops, { gas: 16_777_216n }))).toMatchObject({ success: true })
})

test('a chain without that limit takes as much as its blocks hold', async () => {
  const rpc = await through(beforeOsaka)
  expect(await simulate(call(stops, { gas: 20_000_000n }), rpc)).toMatchObject({ success: true })
})

test('the default gas limit is at most the limit of a transaction', async () => {
  const { gasLimit } = (await chain.rpc.getBlock('latest'))!
  const { returnData } = await simulate(call(gasMeter))
  const usual = gasLimit / 2n < 16_777_216n ? gasLimit / 2n : 16_777_216n
  expect(Number(usual - 21_000n - BigInt(returnData))).toBeLessThan(10)
})

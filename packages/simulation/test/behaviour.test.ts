import { type Hex, NATIVE, toAddress } from '@sluice/chains'
import { createRpc } from '@sluice/rpc'
import { AbiCoder, Wallet } from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CallOutcome, createSimulationContext, type SimulationRequest, simulateSwap } from '../src/index.ts'
import { abiOf, patientContext, startTestChain, type TestChain } from './chain.ts'
import { compile } from './compile.ts'

let chain: TestChain
const context = patientContext()
const router = abiOf('@uniswap/v2-periphery/build/UniswapV2Router02.json')
const unusedAccount = toAddress(`0x${'f1'.repeat(20)}`)
const AMOUNT = 5_000_000n

beforeAll(async () => {
  chain = await startTestChain()
})
afterAll(() => chain?.anvil.stop())

const swap = (change: Partial<SimulationRequest> = {}, minOutput = 0n): SimulationRequest => {
  const { USDC, WETH } = chain.info.tokens
  const { from = unusedAccount, tokenIn = USDC.address } = change
  const data = router.encodeFunctionData('swapExactTokensForTokens', [
    AMOUNT,
    minOutput,
    [tokenIn, WETH.address],
    from,
    2n ** 40n,
  ])
  return {
    from,
    to: chain.info.routers.uniswapV2Router02!,
    data: data as Hex,
    tokenIn,
    amountIn: AMOUNT,
    tokenOut: WETH.address,
    block: 'latest',
    ...change,
  }
}
const simulate = (request: SimulationRequest) => simulateSwap(chain.rpc, request, context)

test('a sender with code gets the same result as one without', async () => {
  const { amountOut, gasUsed } = await simulate(swap())
  const contract = await simulate(swap({ from: chain.info.routers.permit2! }))
  expect(contract).toMatchObject({ success: true, amountOut, gasUsed })
})

test('a sender with EIP-7702 code gets the same result, also with native output through its delegate', async () => {
  const delegated = toAddress(`0x${'f2'.repeat(20)}`)
  // The delegate takes payments: STOP.
  const delegate = toAddress(`0x${'de'.repeat(20)}`)
  await chain.rpc.request('anvil_setCode', [delegate, '0x00'])
  await chain.rpc.request('anvil_setCode', [delegated, `0xef0100${delegate.slice(2)}`])
  const { amountOut } = await simulate(swap())
  expect(await simulate(swap({ from: delegated }))).toMatchObject({ success: true, amountOut })
  const { USDC, WETH } = chain.info.tokens
  const data = router.encodeFunctionData('swapExactTokensForETH', [
    AMOUNT,
    0,
    [USDC.address, WETH.address],
    delegated,
    2n ** 40n,
  ]) as Hex
  expect(await simulate(swap({ from: delegated, data, tokenOut: NATIVE }))).toMatchObject({ success: true, amountOut })
})

test('a revert is a result with its reason', async () => {
  expect(await simulate(swap({}, 10n ** 30n))).toMatchObject({
    success: false,
    amountOut: 0n,
    revertReason: 'UniswapV2Router: INSUFFICIENT_OUTPUT_AMOUNT',
  })
})

test('a second revert of the same token and sender takes fewer calls, because the slots are known to work', async () => {
  const from = toAddress(`0x${'f3'.repeat(20)}`)
  const countCalls = async (sender: typeof from) => {
    const methods: string[] = []
    const counting = new Proxy(chain.rpc, {
      get: (rpc, name) => {
        const member = Reflect.get(rpc, name)
        if (typeof member !== 'function') return member
        return (...parameters: unknown[]) => {
          methods.push(String(name))
          return Reflect.apply(member, rpc, parameters)
        }
      },
    })
    const outcome = await simulateSwap(counting, swap({ from: sender }, 10n ** 30n), context)
    expect(outcome).toMatchObject({ success: false, ways: { balance: 'slot' } })
    return methods.filter((name) => name.startsWith('call')).length
  }
  await countCalls(from)
  const again = await countCalls(from)
  // Other senders are checked on their own: the token may treat them differently.
  const other = await countCalls(toAddress(`0x${'f4'.repeat(20)}`))
  expect(again).toBeLessThan(other)
})

describe('others in the same call', () => {
  const through = (path: readonly string[], minOutput = 0n) =>
    router.encodeFunctionData('swapExactTokensForTokens', [AMOUNT, minOutput, path, unusedAccount, 2n ** 40n]) as Hex

  test('get the same results and gas as alone, independently of the ones before', async () => {
    const { USDC, USDT, WETH } = chain.info.tokens
    const long = through([USDC.address, USDT!.address, WETH.address])
    const direct = through([USDC.address, WETH.address])
    const refused = through([USDC.address, WETH.address], 10n ** 30n)
    const alone = await Promise.all([direct, long].map((data) => simulate(swap({ data }))))
    const outcome = ({ success, amountOut, gasUsed, returnData }: CallOutcome) => {
      return { success, amountOut, gasUsed, returnData }
    }
    const [first, second] = alone.map(outcome)
    expect(first).toMatchObject({ success: true })
    expect(second).toMatchObject({ success: true })
    expect(second!.amountOut).not.toBe(first!.amountOut)
    const together = await simulate(swap({ data: direct, alternatives: [long, refused, direct] }))
    expect(outcome(together)).toEqual(first)
    expect(together.alternatives!.map(outcome)).toMatchObject([second!, { success: false, amountOut: 0n }, first!])
    const turned = await simulate(swap({ data: long, alternatives: [direct] }))
    expect([turned, ...turned.alternatives!].map(outcome)).toEqual([second, first])
  })

  test('beyond the gas of one call are refused', async () => {
    const data = swap().data
    const others = Array<typeof data>(8).fill(data)
    await expect(simulate(swap({ alternatives: others }))).rejects.toMatchObject({ code: 'BAD_REQUEST' })
  })
})

test('gas price, block author, and gas limit are those of the request', async () => {
  const mirror = toAddress(`0x${'e0'.repeat(20)}`)
  // Reverts with GASPRICE, COINBASE and GAS: 3a 6000 52 41 6020 52 5a 6040 52 6060 6000 fd
  await chain.rpc.request('anvil_setCode', [mirror, '0x3a600052416020525a60405260606000fd'])
  const coinbase = toAddress(`0x${'cb'.repeat(20)}`)
  const { returnData } = await simulate(
    swap({ to: mirror, data: '0x', coinbase, gasPrice: 7_000_000_000n, gas: 1_000_000n }),
  )
  const word = (index: number) => BigInt(`0x${returnData.slice(2 + 64 * index, 66 + 64 * index)}`)
  expect(word(0)).toBe(7_000_000_000n)
  expect(word(1)).toBe(BigInt(coinbase))
  // All but the intrinsic gas and the few instructions before it is read.
  expect(1_000_000n - 21_000n - word(2)).toBeLessThan(50n)
})

test('a gas price below the base fee is accepted', async () => {
  expect(await simulate(swap({ gasPrice: 1n }))).toMatchObject({ success: true })
  expect(await simulate(swap({ gasPrice: 0n }))).toMatchObject({ success: true })
})

test('an older block has its own state', async () => {
  const { number } = (await chain.rpc.getBlock('latest'))!
  const then = await simulate(swap())
  const from = await chain.newAccount()
  await chain.fund(from, swap().tokenIn, AMOUNT, swap().to)
  await chain.send({ from, to: swap().to, data: swap({ from }).data })
  expect((await simulate(swap())).amountOut).toBeLessThan(then.amountOut)
  expect(await simulate(swap({ block: number }))).toMatchObject({ amountOut: then.amountOut, blockNumber: number })
  await expect(simulate(swap({ block: number + 1_000_000 }))).rejects.toMatchObject({ code: /BAD_REQUEST|REJECTED/ })
})

test('slots from the caller are used, and refused if they do not hold the balances', async () => {
  const { amountOut } = await simulate(swap())
  const slots: [bigint, bigint][] = []
  for (let slot = 0n; slot < 8n; slot++) slots.push([slot, slot + 1n])
  const outcomes = await Promise.all(
    slots.map(([balanceSlot, allowanceSlot]) =>
      simulate(swap({ balanceSlot, allowanceSlot })).then(
        (result) => result.amountOut,
        (error: { code: string }) => error.code,
      ),
    ),
  )
  expect(outcomes.filter((outcome) => outcome === amountOut)).toHaveLength(1)
  expect(outcomes.filter((outcome) => outcome === 'BAD_SLOT')).toHaveLength(slots.length - 1)
})

test('an address that is not a token is named in the error', async () => {
  await expect(simulate(swap({ tokenOut: unusedAccount }))).rejects.toMatchObject({ code: 'BAD_TOKEN' })
  await expect(simulate(swap({ tokenIn: unusedAccount }))).rejects.toMatchObject({ code: /BAD_TOKEN|UNKNOWN_SLOTS/ })
})

test('only a signature of the sender is accepted from the probe, as for an account without code', async () => {
  const wallet = Wallet.createRandom()
  const from = toAddress(wallet.address)
  const hash = `0x${'ab'.repeat(32)}`
  const checker = toAddress(`0x${'c5'.repeat(20)}`)
  // Passes its calldata on to CALLER and returns the answer.
  await chain.rpc.request('anvil_setCode', [checker, '0x366000600037600060003660006000335af1503d6000803e3d6000f3'])
  const ask = async (signature: string) => {
    const args = AbiCoder.defaultAbiCoder().encode(['bytes32', 'bytes'], [hash, signature])
    return (await simulate(swap({ from, to: checker, data: `0x1626ba7e${args.slice(2)}` }))).returnData
  }
  expect(await ask(wallet.signingKey.sign(hash).serialized)).toBe(`0x1626ba7e${'00'.repeat(28)}`)
  expect(await ask(Wallet.createRandom().signingKey.sign(hash).serialized)).not.toContain('1626ba7e')
})

test('a token with unknown balance slots is borrowed from a holder, and refused without one', async () => {
  const { NumberedToken, Tenth } = compile('Numbered.sol')
  const [tokenIn, to] = [await chain.deploy(NumberedToken!.creation), await chain.deploy(Tenth!.creation)]
  const data = Tenth!.abi.encodeFunctionData('swap', [tokenIn, AMOUNT]) as Hex
  const request: SimulationRequest = {
    from: unusedAccount,
    to,
    data,
    tokenIn,
    amountIn: AMOUNT,
    tokenOut: tokenIn,
    block: 'latest',
  }
  await expect(simulate(request)).rejects.toMatchObject({ code: 'UNKNOWN_SLOTS' })
  // The first holder named has nothing to lend.
  const lent = await simulate({ ...request, holders: [to, chain.rich] })
  expect(lent).toMatchObject({ success: true, ways: { balance: 'lent', allowance: 'slot' } })
  // The sender is given nothing but what it puts in, and gets a tenth of that back.
  expect(lent.amountOut).toBe(0n)
}, 60_000)

test('a node that cannot be reached is the node’s failure', async () => {
  const dead = createRpc({ chainId: 31337, urls: ['http://127.0.0.1:9'] })
  await expect(simulateSwap(dead, swap(), createSimulationContext())).rejects.toMatchObject({ code: 'UNREACHABLE' })
})

test('a token that refuses contracts can only be sold by a sender without code', async () => {
  const { SuspiciousToken, Exchange } = compile('Suspicious.sol')
  const [tokenIn, to] = [await chain.deploy(SuspiciousToken!.creation), await chain.deploy(Exchange!.creation)]
  await chain.rpc.request('anvil_setBalance', [to, '0xde0b6b3a7640000'])
  const data = Exchange!.abi.encodeFunctionData('swap', [tokenIn, AMOUNT]) as Hex
  const sale = swap({ to, data, tokenIn, tokenOut: NATIVE })
  const bare = await simulate(sale)
  expect(bare).toMatchObject({ success: true, amountOut: AMOUNT, ways: { balance: 'slot', sender: 'bare' } })
  expect(await simulate({ ...sale, from: chain.info.routers.permit2! })).toMatchObject({
    success: false,
    revertReason: 'no contracts',
  })

  // The same really sent.
  const from = await chain.newAccount()
  const { gasUsed } = await simulate({ ...sale, from })
  const token = SuspiciousToken!.abi
  await chain.send({ from, to: tokenIn, data: token.encodeFunctionData('mint', [from, AMOUNT]) as Hex })
  await chain.send({ from, to: tokenIn, data: token.encodeFunctionData('approve', [to, AMOUNT]) as Hex })
  const sent = await chain.send({ from, to, data })
  expect(sent.success).toBe(true)
  // A call of the target to itself goes by way of the probe, at some 700 gas.
  expect(gasUsed - Number(sent.grossGas)).toBeGreaterThan(0)
  expect(gasUsed - Number(sent.grossGas)).toBeLessThan(1_000)
})

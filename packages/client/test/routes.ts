/** Test fixture: honest routes between Ethereum's pools, built in memory, and changes to their bytes. */
import { decodeGuardSwap, encodeGuardSwap, type GuardSwap } from '@sluice/bindings/guard'
import { decodeProgram, encodeProgram, type Step } from '@sluice/program'
import { contractsOf, type Hex, NATIVE, type Route, type SwapLeg, type SwapParameters } from '../src/index.ts'

export const CHAIN = 1
export const contracts = contractsOf(CHAIN)!
export const guard = contracts.guard as Hex
export const at = (digits: string): Hex => `0x${digits.repeat(20)}`
export const ZERO = at('00')
export const WETH: Hex = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
export const USDC: Hex = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
export const USDT: Hex = '0xdac17f958d2ee523a2206206994597c13d831ec7'
/** Uniswap's V2 pair and pools of V3 on Ethereum. */
export const PAIR: Hex = '0xb4e16d0168e52d35cacd2c6185b44281ec28c9dc'
export const POOL: Hex = '0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640'
export const WETH_USDT: Hex = '0x11b815efb8f581194ae79006d24e0d814b7697f6'
export const USDC_USDT: Hex = '0x3416cf6c708da44db2624d63ea0aaef7113527c6'
export const sender = at('5a')
export const untrusted = at('5c')
export const DEADLINE = 4_000_000_000
const AMOUNT = 1_000_000n
const TO_AMOUNT = 2_000_001n
const FEE_PPM = 3_000

type Ends = Pick<Step, 'input' | 'output'>
export const toRecipient = { kind: 'recipient' } as const
export const toExecutor = { kind: 'executor' } as const
export const rest = { kind: 'rest' } as const
export const pullAll = { kind: 'pullAll' } as const
export const pull = (amount: bigint) => ({ kind: 'pull', amount }) as const

export const v3 = (pool: Hex, tokenIn: Hex, tokenOut: Hex, ends: Ends): Step => ({
  ...{ op: 'uniswap-v3', pool, tokenIn, zeroForOne: tokenIn < tokenOut },
  ...ends,
})
export const v2 = (pool: Hex, tokenIn: Hex, tokenOut: Hex, ends: Ends): Step => ({
  ...{ op: 'uniswap-v2', pool, tokenIn, zeroForOne: tokenIn < tokenOut, feePpm: FEE_PPM },
  ...ends,
})
export const leg = (pool: string, tokenIn: string, tokenOut: string): SwapLeg => ({
  ...{ pool, tokenIn, tokenOut, protocol: 'p', dex: 'd', amountIn: '1', amountOut: '1', share: 1, gas: '1' },
})

export type Honest = { readonly request: SwapParameters; readonly route: Route }

/** Builds a route and the request that it answers. */
export function honestRoute(
  steps: readonly Step[],
  swaps: readonly SwapLeg[],
  order: Partial<GuardSwap> = {},
  request: Partial<SwapParameters> = {},
): Honest {
  const swap: GuardSwap = {
    ...{ tokenIn: WETH, amountIn: AMOUNT, value: 0n, tokenOut: USDC, minOutput: 1_990_000n },
    ...{ deadline: BigInt(DEADLINE), executor: contracts.executors[0]!, wrapper: ZERO, feePpm: 0n },
    ...{ feeRecipient: ZERO, recipient: sender, direct: false, program: encodeProgram(steps) },
    ...order,
  }
  const value = swap.value.toString()
  return {
    request: { src: WETH, dst: USDC, amount: AMOUNT, from: sender, deadline: DEADLINE, ...request },
    route: {
      ...{ src: WETH, dst: USDC, fromAmount: AMOUNT.toString(), toAmount: TO_AMOUNT.toString() },
      ...{ gasEstimate: '200000', simulationBlock: 100, swaps },
      tx: { from: sender, to: guard, data: encodeGuardSwap(swap), value },
    },
  }
}

export const split = honestRoute(
  [
    v2(PAIR, WETH, USDC, { input: pull(400_000n), output: toRecipient }),
    v3(POOL, WETH, USDC, { input: pull(600_000n), output: toRecipient }),
  ],
  [leg(PAIR, WETH, USDC), leg(POOL, WETH, USDC)],
)
export const single = honestRoute(
  [v3(POOL, WETH, USDC, { input: pullAll, output: toRecipient })],
  [leg(POOL, WETH, USDC)],
)
export const path = honestRoute(
  [
    v3(WETH_USDT, WETH, USDT, { input: pullAll, output: toExecutor }),
    v3(USDC_USDT, USDT, USDC, { input: rest, output: toRecipient }),
  ],
  [leg(WETH_USDT, WETH, USDT), leg(USDC_USDT, USDT, USDC)],
)
/** Native input that the Guard wraps. */
export const nativeIn = honestRoute(
  [v3(POOL, WETH, USDC, { input: pullAll, output: toRecipient })],
  [leg(POOL, WETH, USDC)],
  { value: AMOUNT },
  { src: NATIVE },
)
/** Native output that the Guard unwraps. */
export const nativeOut = honestRoute(
  [v3(POOL, USDC, WETH, { input: pullAll, output: toRecipient })],
  [leg(POOL, USDC, WETH)],
  { tokenIn: USDC, tokenOut: ZERO, wrapper: WETH },
  { src: USDC, dst: NATIVE },
)
export const withFee = honestRoute(
  [v3(POOL, WETH, USDC, { input: pullAll, output: toRecipient })],
  [leg(POOL, WETH, USDC)],
  { feePpm: 1_500n, feeRecipient: at('66') },
  { convenienceFee: 0.15, convenienceFeeRecipient: at('66') },
)

/** Changes the order and the steps in the calldata of a route. */
export function changed(
  { request, route }: Honest,
  order: Partial<GuardSwap>,
  steps: (of: readonly Step[]) => readonly Step[] = (of) => of,
): Honest {
  const was = decodeGuardSwap(route.tx.data, BigInt(route.tx.value))
  const program = encodeProgram(steps(decodeProgram(was.program, was.tokenIn as Hex)))
  const swap = { ...was, program, ...order }
  return { request, route: { ...route, tx: { ...route.tx, data: encodeGuardSwap(swap), value: String(swap.value) } } }
}
export const requesting = ({ request, route }: Honest, change: Partial<SwapParameters>): Honest => ({
  request: { ...request, ...change },
  route,
})
export const responding = ({ request, route }: Honest, change: Partial<Route>): Honest => ({
  request,
  route: { ...route, ...change },
})

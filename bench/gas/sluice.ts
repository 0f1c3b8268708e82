/** This project's contracts as routers of the benchmark. The service's encoder creates the calldata. */
import { decodeGuardSwap, encodeGuardSwap } from '@sluice/bindings/guard'
import { type Address, NATIVE, toAddress } from '@sluice/chains'
import { deployContracts } from '@sluice/contracts'
import type { Pool } from '@sluice/liquidity'
import type { StepInput, StepOutput } from '@sluice/program'
import { encodeSwap, type Leg, type RoutePlan, type StepMaker } from '@sluice/routing'
import type { Hex } from 'viem'
import type { Node } from './node.ts'
import {
  AMOUNT,
  amountOf,
  DEADLINE,
  minAmountOf,
  NATIVE_AMOUNT,
  percentOfAmount,
  type Router,
  type Scenario,
  type Trade,
  tradeOf,
} from './scenarios.ts'
import { signPermit, signPermit2 } from './signing.ts'
import type { World } from './world.ts'

/** Step encoders of the benchmark's pools, by family. */
const families: ReadonlyMap<string, StepMaker> = new Map<string, StepMaker>([
  [
    'uniswap-v2',
    {
      step: ({ address: pool }, tokenIn, tokenOut, input, output) => ({
        op: 'uniswap-v2',
        tokenIn,
        pool,
        zeroForOne: BigInt(tokenIn) < BigInt(tokenOut),
        feePpm: 3000,
        input,
        output,
      }),
    },
  ],
  [
    'uniswap-v3',
    {
      step: ({ address: pool }, tokenIn, tokenOut, input, output) => ({
        op: 'uniswap-v3',
        tokenIn,
        pool,
        zeroForOne: BigInt(tokenIn) < BigInt(tokenOut),
        input,
        output,
      }),
    },
  ],
  [
    'uniswap-v4',
    {
      step: ({ address: manager }, tokenIn: Address, tokenOut: Address, input: StepInput, output: StepOutput) => ({
        op: 'uniswap-v4',
        tokenIn,
        manager,
        hops: [{ tokenOut, fee: 3000, tickSpacing: 60, hooks: `0x${'00'.repeat(20)}` }],
        input,
        output,
      }),
    },
  ],
])

export async function sluiceRouters(node: Node, world: World, deploymentsDir: string): Promise<Router[]> {
  const { guard, executors } = await deployContracts({ rpcUrl: node.anvil.url, chainId: 31337, deploymentsDir })
  const executor = executors.at(-1)!
  const build = (direct: boolean) => async (scenario: Scenario) => {
    if (direct && scenario === 'nativeOut') return null
    const plainSwap = encodeSwap({
      from: toAddress(node.user),
      route: routeOf(tradeOf(scenario), world),
      guard: guard.address,
      executor: executor.address,
      wrappedNative: toAddress(world.weth),
      families,
      minOutput: minAmountOf(amountOf(scenario)),
      deadline: DEADLINE,
      direct,
    })
    const swap = decodeGuardSwap(plainSwap.data, plainSwap.value)
    if (scenario === 'permit') {
      const signature = await signPermit(node, world.a, guard.address)
      const permit = { kind: 'eip2612', amount: AMOUNT, deadline: DEADLINE, signature } as const
      return { ...plainSwap, data: encodeGuardSwap({ ...swap, recipient: node.user, permit }) }
    }
    if (scenario === 'permit2') {
      const { nonce, signature } = await signPermit2(node, world.a, guard.address)
      const permit = { kind: 'permit2', amount: AMOUNT, nonce, deadline: DEADLINE, signature } as const
      return { ...plainSwap, data: encodeGuardSwap({ ...swap, recipient: node.user, permit }) }
    }
    return plainSwap
  }
  return [
    { name: 'sluice', spender: guard.address, build: build(false) },
    { name: 'sluiceDirect', spender: guard.address, build: build(true) },
  ]
}

function routeOf(scenario: Trade, { a, b, c, weth, pools, manager }: World): RoutePlan {
  const leg = (family: string, address: Hex, tokenIn: Hex, tokenOut: Hex, amountIn: bigint): Leg => {
    const tokens = [toAddress(tokenIn), toAddress(tokenOut)] as const
    const pool: Pool = { id: address, family, dex: family, address: toAddress(address), tokens, state: null }
    return { pool, tokenIn: tokens[0], tokenOut: tokens[1], num: 1n, den: 1n, amountIn, amountOut: 0n, gas: 0 }
  }
  const [v2, v3] = ['uniswap-v2', 'uniswap-v3']
  const legs: Record<Trade, Leg[]> = {
    v2: [leg(v2!, pools.v2ab, a, b, AMOUNT)],
    v3: [leg(v3!, pools.v3ab, a, b, AMOUNT)],
    v3v3: [leg(v3!, pools.v3ab, a, b, AMOUNT), leg(v3!, pools.v3bc, b, c, 0n)],
    v2v3: [leg(v2!, pools.v2ab, a, b, AMOUNT), leg(v3!, pools.v3bc, b, c, 0n)],
    split2: [leg(v2!, pools.v2ab, a, b, percentOfAmount(40)), leg(v3!, pools.v3ab, a, b, AMOUNT - percentOfAmount(40))],
    split3: [
      leg(v2!, pools.v2ab, a, b, percentOfAmount(40)),
      leg(v3!, pools.v3ab, a, b, percentOfAmount(30)),
      leg(v3!, pools.v3abLow, a, b, AMOUNT - percentOfAmount(40) - percentOfAmount(30)),
    ],
    nativeIn: [leg(v3!, pools.v3bWeth, weth, b, NATIVE_AMOUNT)],
    nativeOut: [leg(v3!, pools.v3aWeth, a, weth, NATIVE_AMOUNT)],
    v4: [leg('uniswap-v4', manager, a, b, AMOUNT)],
  }
  return {
    tokenIn: scenario === 'nativeIn' ? NATIVE : toAddress(a),
    tokenOut: scenario === 'nativeOut' ? NATIVE : toAddress(scenario === 'v3v3' || scenario === 'v2v3' ? c : b),
    amountIn: amountOf(scenario),
    amountOut: 0n,
    legs: legs[scenario],
    gas: 0,
    gasCostOut: null,
    midAmountOut: null,
    optimalityGapBps: null,
    optimalityGapNetBps: null,
  }
}

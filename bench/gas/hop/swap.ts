/** Sends swaps through Guard and Executor, and measures the gas charged to the sender. */
import { IERC20__factory } from '@sluice/bindings'
import type { Address, Hex } from '@sluice/chains'
import { families, familyOf, type Pool, PoolRefusal, tokenGas } from '@sluice/liquidity'
import type { World } from '@sluice/liquidity/testing'
import { type EncodedSwap, EncodeError, encodeSwap, type Leg, type RoutePlan } from '@sluice/routing'
import { MaxUint256 } from 'ethers'

const familyById = new Map(families.map((family) => [family.id, family]))
const erc20 = IERC20__factory.createInterface()
const FAR_DEADLINE = 1n << 40n
/** Gas limit of each transaction: 20 million. */
const GAS_LIMIT = '0x1312d00'

export type Hop = { readonly pool: Pool; readonly tokenIn: Address; readonly tokenOut: Address }

/** Approves the Guard for every token of the world's pools. */
export async function approveAll(world: World): Promise<void> {
  const tokens = new Set([...world.market.snapshot().pools.values()].flatMap(({ tokens }) => tokens))
  const data = erc20.encodeFunctionData('approve', [world.guard, MaxUint256]) as Hex
  for (const to of tokens) await transact(world, to, data)
}

/** Returns a route through the hops in series; null if a pool rejects its amount. */
export function routeThrough(hops: readonly Hop[], amountIn: bigint): RoutePlan | null {
  const legs: Leg[] = []
  let amount = amountIn
  for (const { pool, tokenIn, tokenOut } of hops) {
    try {
      const { amountOut, gas } = familyOf(pool.family)!.quoteExactInput(pool, tokenIn, tokenOut, amount)
      const totalGas = gas + tokenGas(tokenIn) + tokenGas(tokenOut)
      legs.push({ pool, tokenIn, tokenOut, num: 1n, den: 1n, amountIn: amount, amountOut, gas: totalGas })
      amount = amountOut
    } catch (error) {
      if (error instanceof PoolRefusal) return null
      throw error
    }
  }
  const gas = legs.reduce((sum, leg) => sum + leg.gas, 0)
  const ends = { tokenIn: hops[0]!.tokenIn, tokenOut: hops.at(-1)!.tokenOut }
  return {
    ...ends,
    amountIn,
    amountOut: amount,
    legs,
    gas,
    gasCostOut: null,
    midAmountOut: null,
    optimalityGapBps: null,
    optimalityGapNetBps: null,
  }
}

/**
 * Encodes a route.
 *
 * @throws EncodeError if the route cannot be encoded
 */
export function encodeRoute(world: World, route: RoutePlan): EncodedSwap {
  const { guard, guardsExecutor: executor } = world
  const wrappedNative = world.chain.wrappedNative?.address ?? null
  return encodeSwap({
    from: world.trader,
    route,
    guard,
    executor,
    wrappedNative,
    families: familyById,
    minOutput: 1n,
    deadline: FAR_DEADLINE,
  })
}

/**
 * Sends a route. Returns the gas charged to the sender, after refunds; null if the swap cannot be encoded or reverts.
 */
export async function sendRoute(world: World, route: RoutePlan): Promise<number | null> {
  try {
    const { to, data, value } = encodeRoute(world, route)
    return await transact(world, to, data, value)
  } catch (error) {
    if (error instanceof EncodeError) return null
    throw error
  }
}

/**
 * Returns the gas after refunds that the sender would be charged for a route; null if the swap cannot be encoded or
 * reverts. Simulates with `eth_simulateV1`. A transaction that is sent and reverted by `evm_revert` could remain in the
 * node's pool and be mined again.
 */
export async function simulateCharge(world: World, route: RoutePlan): Promise<number | null> {
  try {
    const { to, data, value } = encodeRoute(world, route)
    const calls = [transactionOf(world, to, data, value)]
    const [block] = await world.request<[SimulatedBlock]>('eth_simulateV1', [
      { blockStateCalls: [{ calls }] },
      'latest',
    ])
    return chargedBy(block.calls[0])
  } catch (error) {
    if (error instanceof EncodeError) return null
    throw error
  }
}

type Receipt = { readonly status: Hex; readonly gasUsed: Hex }
type SimulatedBlock = { readonly calls: readonly [Receipt] }

async function transact(world: World, to: Address, data: Hex, value = 0n): Promise<number | null> {
  return chargedBy(await world.request<Receipt>('eth_sendTransactionSync', [transactionOf(world, to, data, value)]))
}

function transactionOf({ trader: from }: World, to: Address, data: Hex, value: bigint) {
  return { from, to, data, value: `0x${value.toString(16)}`, gas: GAS_LIMIT }
}

function chargedBy({ status, gasUsed }: Receipt): number | null {
  return status === '0x1' ? Number(gasUsed) : null
}

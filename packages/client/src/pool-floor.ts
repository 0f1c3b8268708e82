/**
 * Estimates the output of a swap independently of the service: simulates the swap on the wallet's node, through each of
 * a few known pools.
 */
import { encodeProgram, opOf, type Step } from '@sluice/program'
import { encodeSwap } from './abi.ts'
import { PPM } from './amounts.ts'
import { encodeCall, selectors } from './calls.ts'
import type { PoolFactory, SwapContracts } from './contracts.ts'
import type { GuardOrder } from './order.ts'
import { encodePermitSwap } from './permit-abi.ts'
import { poolsOfFactory } from './proof.ts'
import { type MissingAllowance, simulate } from './simulate.ts'
import type { Hex, Transaction } from './types.ts'
import type { Wallet } from './wallet.ts'

/** Maximum pools whose balances are read, per pair of tokens. */
const MAX_POOLS = 64
/** Maximum number of direct pools, those between the two tokens of the swap, that are simulated. */
const MAX_DIRECT_POOLS = 4
/** Maximum number of pools that are simulated for each hop of a path through the wrapper. */
const MAX_POOLS_PER_HOP = 2

const ZERO: Hex = `0x${'0'.repeat(40)}`
const ops = ['uniswap-v2', 'uniswap-v3'] as const

type KnownPool = {
  readonly op: (typeof ops)[number]
  readonly pool: Hex
  readonly feePpm: number
  readonly balance: bigint
}

/**
 * Returns the best simulated output, after the order's fee, of pools that known factories deployed. Simulates the
 * deepest pools of the two tokens, and paths of two pools through the wrapped native token. Takes the best of several
 * pools, because anyone can create a pool with a bad price.
 *
 * @param order - the proven order, with its permit; its program is replaced
 * @param missingAllowance - allowance that the simulation adds by a state override
 * @returns undefined if no simulation succeeds
 */
export async function bestKnownPoolOutput(
  wallet: Wallet,
  tx: Transaction,
  order: GuardOrder,
  contracts: SwapContracts,
  missingAllowance?: MissingAllowance,
): Promise<bigint | undefined> {
  const value = BigInt(tx.value)
  const wrapper = contracts.wrapper?.toLowerCase() as Hex | undefined
  const [src, dst] = [value > 0n ? wrapper : order.tokenIn, order.tokenOut === ZERO ? wrapper : order.tokenOut]
  if (!src || !dst) return undefined
  // Wrapping and unwrapping do not change the amount.
  if (src === dst) return order.amountIn - (order.amountIn * order.feePpm) / PPM
  const intermediate = wrapper && wrapper !== src && wrapper !== dst ? wrapper : undefined
  const [directPools, firstHopPools, secondHopPools] = await Promise.all([
    deepestPools(wallet, contracts.factories, src, dst, MAX_DIRECT_POOLS),
    intermediate ? deepestPools(wallet, contracts.factories, src, intermediate, MAX_POOLS_PER_HOP) : [],
    intermediate ? deepestPools(wallet, contracts.factories, intermediate, dst, MAX_POOLS_PER_HOP) : [],
  ])
  const paths: readonly (readonly Step[])[] = [
    ...directPools.map((pool) => [stepOf(pool, src, dst, true, true)]),
    ...firstHopPools.flatMap((a) =>
      secondHopPools.map((b) => [
        stepOf(a, src, intermediate!, true, false),
        stepOf(b, intermediate!, dst, false, true),
      ]),
    ),
  ]
  const outputs = await Promise.all(
    paths.map((steps) => {
      const { recipient = tx.from as Hex } = order
      const swap = { ...order, recipient, tokenIn: src, minOutput: 1n, program: encodeProgram(steps) }
      const wrapperField = order.tokenOut === ZERO && !order.direct ? { wrapper: wrapper! } : {}
      const { permit } = order
      // The permit's signature covers the Guard and the amount, but not the program. So it is also valid with this
      // program.
      const data = permit
        ? encodePermitSwap({ ...swap, ...wrapperField }, permit)
        : encodeSwap({ ...swap, ...wrapperField })
      return simulate(wallet, { ...tx, data }, missingAllowance).catch(() => 0n)
    }),
  )
  let bestOutput = 0n
  for (const output of outputs) if (output > bestOutput) bestOutput = output
  return bestOutput > 0n ? bestOutput : undefined
}

/** Returns the pools of two tokens with the largest balances of the output token. */
async function deepestPools(
  wallet: Wallet,
  factories: readonly PoolFactory[],
  tokenIn: Hex,
  tokenOut: Hex,
  count: number,
): Promise<readonly KnownPool[]> {
  const candidates = factories.flatMap((factory) => {
    const op = ops.find((op) => Object.values(opOf({ op }).salts ?? {}).includes(factory.kind))
    // The step of a Uniswap V2 pair must name the fee of the pair, so factories with an unknown fee are left out.
    if (!op || (op === 'uniswap-v2' && factory.feePpm === undefined)) return []
    return poolsOfFactory(factory, { tokenIn, tokenOut }).map((pool) => ({ op, pool, feePpm: factory.feePpm ?? 0 }))
  })
  const pools = await Promise.all(
    candidates.slice(0, MAX_POOLS).map(async (candidate) => {
      const answer = await wallet.call(tokenOut, encodeCall(selectors.balanceOf, candidate.pool)).catch(() => '0x')
      return { ...candidate, balance: BigInt(/^0x[0-9a-fA-F]{64}$/.test(answer) ? answer : 0) }
    }),
  )
  return pools
    .filter(({ balance }) => balance > 0n)
    .sort((a, b) => (a.balance < b.balance ? 1 : -1))
    .slice(0, count)
}

function stepOf({ op, pool, feePpm }: KnownPool, tokenIn: Hex, tokenOut: Hex, isFirst: boolean, isLast: boolean): Step {
  const common = {
    ...{ tokenIn, pool, zeroForOne: tokenIn < tokenOut },
    input: { kind: isFirst ? 'pullAll' : 'rest' },
    output: { kind: isLast ? 'recipient' : 'executor' },
  } as const
  return op === 'uniswap-v2' ? { op, ...common, feePpm } : { op, ...common }
}

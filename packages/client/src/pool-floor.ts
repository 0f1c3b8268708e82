/** An independent quote: the best output of single known pools, by the Guard itself on the wallet's own node. */
import { encodeProgram, opOf, type Step } from '@sluice/program'
import { encodeSwap } from './abi.ts'
import { PPM } from './amounts.ts'
import { encodeCall, selectors } from './calls.ts'
import type { PoolFactory, SwapContracts } from './contracts.ts'
import type { GuardOrder } from './order.ts'
import { encodePermitSwap } from './permit-abi.ts'
import { poolsMadeBy } from './proof.ts'
import { type MissingAllowance, simulate } from './simulate.ts'
import type { Hex, Transaction } from './types.ts'
import type { Wallet } from './wallet.ts'

/** Highest number of pools whose balances are read for one pair of tokens. */
const MAX_POOLS = 64
/** Deepest pools that are tried of a pair, and of each pair of a path through the wrapper. */
const MAX_DIRECT = 4
const MAX_HOP = 2

const ZERO: Hex = `0x${'0'.repeat(40)}`
const ops = ['uniswap-v2', 'uniswap-v3'] as const

type Pool = { readonly op: (typeof ops)[number]; readonly pool: Hex; readonly feePpm: number; readonly balance: bigint }

/**
 * The best output of the deepest pools that known factories made for the two tokens, alone or in a path through the wrapper:
 * after the fee of the order. Everybody can make such a pool and set its price, so this takes the best of several.
 *
 * @param order - the proven order, with its permit, whose program is replaced
 * @param missing - an allowance that is simulated as if it were there
 * @returns undefined when no known pool can be run
 */
export async function bestOfKnownPools(
  wallet: Wallet,
  tx: Transaction,
  order: GuardOrder,
  contracts: SwapContracts,
  missing?: MissingAllowance,
): Promise<bigint | undefined> {
  const value = BigInt(tx.value)
  const wrapper = contracts.wrapper?.toLowerCase() as Hex | undefined
  const [src, dst] = [value > 0n ? wrapper : order.tokenIn, order.tokenOut === ZERO ? wrapper : order.tokenOut]
  if (!src || !dst) return undefined
  // One to one.
  if (src === dst) return order.amountIn - (order.amountIn * order.feePpm) / PPM
  const via = wrapper && wrapper !== src && wrapper !== dst ? wrapper : undefined
  const [direct, first, second] = await Promise.all([
    deepest(wallet, contracts.factories, src, dst, MAX_DIRECT),
    via ? deepest(wallet, contracts.factories, src, via, MAX_HOP) : [],
    via ? deepest(wallet, contracts.factories, via, dst, MAX_HOP) : [],
  ])
  const paths: readonly (readonly Step[])[] = [
    ...direct.map((pool) => [stepOf(pool, src, dst, true, true)]),
    ...first.flatMap((a) => second.map((b) => [stepOf(a, src, via!, true, false), stepOf(b, via!, dst, false, true)])),
  ]
  const outputs = await Promise.all(
    paths.map((steps) => {
      const { recipient = tx.from as Hex } = order
      const known = { ...order, recipient, tokenIn: src, minOutput: 1n, program: encodeProgram(steps) }
      const wrapped = order.tokenOut === ZERO && !order.direct ? { wrapper: wrapper! } : {}
      const { permit } = order
      // The signature is for the Guard and the amount, whatever the program.
      const data = permit
        ? encodePermitSwap({ ...known, ...wrapped }, permit)
        : encodeSwap({ ...known, ...wrapped }, value)
      return simulate(wallet, { ...tx, data }, missing).catch(() => 0n)
    }),
  )
  let best = 0n
  for (const output of outputs) if (output > best) best = output
  return best > 0n ? best : undefined
}

/** The pools of two tokens that hold most of the token bought. */
async function deepest(
  wallet: Wallet,
  factories: readonly PoolFactory[],
  tokenIn: Hex,
  tokenOut: Hex,
  count: number,
): Promise<readonly Pool[]> {
  const candidates = factories.flatMap((factory) => {
    const op = ops.find((op) => Object.values(opOf({ op }).salts ?? {}).includes(factory.kind))
    // A pair is asked for its output with its fee: without one it cannot be.
    if (!op || (op === 'uniswap-v2' && factory.feePpm === undefined)) return []
    return poolsMadeBy(factory, { tokenIn, tokenOut }).map((pool) => ({ op, pool, feePpm: factory.feePpm ?? 0 }))
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

function stepOf({ op, pool, feePpm }: Pool, tokenIn: Hex, tokenOut: Hex, isFirst: boolean, isLast: boolean): Step {
  const common = {
    ...{ tokenIn, pool, zeroForOne: tokenIn < tokenOut },
    input: { kind: isFirst ? 'pullAll' : 'rest' },
    output: { kind: isLast ? 'recipient' : 'executor' },
  } as const
  return op === 'uniswap-v2' ? { op, ...common, feePpm } : { op, ...common }
}

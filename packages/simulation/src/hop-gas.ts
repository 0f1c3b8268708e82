/** Gas of many single hops of the Executor's programs, measured in one eth_call. */
import { GasProbe__factory } from '@sluice/bindings'
import { bytecode } from '@sluice/bindings/bytecode'
import { callCodec } from '@sluice/bindings/codec'
import { type Address, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { type BlockHeader, type Rpc, RpcError } from '@sluice/rpc'
import type { SimulationContext } from './context.ts'
import { SimulationError } from './errors.ts'
import { mostIntrinsicGas } from './gas.ts'
import { nextBlock } from './next-block.ts'
import type { BalanceLayout } from './slots/amount.ts'
import { balanceWrites } from './slots/mapping.ts'
import { mergeWrites, type StorageWrites, storageOverrides, TokenReader } from './slots/reader.ts'

export type HopToMeasure = {
  /** Sold token; the zero address for native. */
  readonly token: Address
  /** Base units. */
  readonly amount: bigint
  /** Account that holds the input before the program runs; null if the program pulls it from the sender. */
  readonly holder: Address | null
  /** Bought token; the zero address for native. */
  readonly tokenOut: Address
  readonly program: Hex
}

type HopGasOrder = {
  readonly guard: Address
  readonly executor: Address
  /** Block at the end of whose state the hops run, in the environment of the next one. */
  readonly block: BlockHeader
  readonly hops: readonly HopToMeasure[]
}

type Hop = Pick<HopToMeasure, 'token' | 'amount' | 'program'> & Readonly<Record<'holder' | 'recipient', Address>>
const gasProbe = callCodec<[executor: Address, limit: bigint, hops: readonly Hop[]], [gasUsed: readonly bigint[]]>(
  GasProbe__factory.createInterface(),
  'run',
)

/** Receiver of tokens, which has held none: the Guard's own balances are overrides here. */
const RECIPIENT = toAddress('0x5177cE0000000000000000000000000000000007')
/** Most gas of one hop: several times that of the dearest family. A pool that takes more is left to its family's figure. */
const HOP_LIMIT = 2_000_000n
/** Gas of the whole call, within what most nodes allow. Hops for which none is left are measured another time. */
const CALL_GAS = 40_000_000n
/** Gas of what follows the first reading, and of that CALL itself, which a hop in a longer program does without. */
const CALL_OVERHEAD = 1_000n
/** Part by which shares are more than the amount is worth at their last known rate. */
const SHARES_MARGIN = 100n

/**
 * Gas of each hop before refunds; null if it failed, took more than a hop may, or the balance of its token cannot be set.
 * Accounts and slots that a hop does not share with a hop before it in a route are cold, as in a transaction.
 *
 * @throws RpcError when no endpoint could run it
 */
export async function measureHops(
  rpc: Rpc,
  { guard, executor, block, hops }: HopGasOrder,
  context: SimulationContext,
): Promise<readonly (number | null)[]> {
  const options = { timeoutMs: context.limits.timeoutMs, priority: 'background' } as const
  const at = { blockHash: block.hash }
  const writes = await inputsOf({ rpc, guard, at, hops }, context)
  const tried = hops.filter(({ token }) => token === ZERO_ADDRESS || writes.has(token))
  if (tried.length === 0) return hops.map(() => null)
  const data = gasProbe.encode(
    executor,
    HOP_LIMIT,
    tried.map(({ token, amount, holder, tokenOut, program }) => ({
      ...{ token, amount, program, holder: holder ?? ZERO_ADDRESS },
      recipient: tokenOut === ZERO_ADDRESS ? guard : RECIPIENT,
    })),
  )
  const native = tried.reduce(
    (most, { token, amount }) => (token === ZERO_ADDRESS && amount > most ? amount : most),
    0n,
  )
  const storage = storageOverrides(mergeWrites(...[...writes.values()].flatMap((of) => [...of])))
  const overrides = { ...storage, [guard]: { ...storage[guard], code: bytecode.GasProbe.runtime, balance: native } }
  const gas = CALL_GAS + mostIntrinsicGas(data)
  const blockOverrides = { ...nextBlock(block, context.blockIntervalMs), baseFeePerGas: 0n }
  const answer = await rpc.call({ from: guard, to: guard, data, gas }, at, { ...options, overrides, blockOverrides })
  const [used] = gasProbe.decode(answer)
  const gasOf = new Map(tried.map((hop, k) => [hop, used[k] ?? 0n]))
  return hops.map((hop) => {
    const gas = gasOf.get(hop) ?? 0n
    return gas > CALL_OVERHEAD ? Number(gas) : null
  })
}

type Inputs = Pick<HopGasOrder, 'guard' | 'hops'> & { readonly rpc: Rpc; readonly at: { readonly blockHash: Hex } }

/** Writes that give the probe the most that any hop takes of each token; none for tokens whose balances cannot be written. */
async function inputsOf(
  { rpc, guard, at, hops }: Inputs,
  { slots, limits }: SimulationContext,
): Promise<ReadonlyMap<Address, StorageWrites>> {
  const most = new Map<Address, bigint>()
  for (const { token, amount } of hops)
    if (token !== ZERO_ADDRESS && amount > (most.get(token) ?? 0n)) most.set(token, amount)
  const request = { timeoutMs: limits.timeoutMs, priority: 'background' } as const
  const found = await Promise.all(
    Array.from(most, async ([token, amount]): Promise<readonly [Address, StorageWrites][]> => {
      try {
        const { balance } = await slots.layout(new TokenReader({ rpc, token, block: at, request }))
        return balance ? [[token, writesOf(balance, guard, amount)]] : []
      } catch (error) {
        if (error instanceof SimulationError || (error instanceof RpcError && error.code === 'REVERTED')) return []
        throw error
      }
    }),
  )
  return new Map(found.flat())
}

/** Bits next to the number are zero, as for an account that has never held the token. */
function writesOf({ mapping, shape }: BalanceLayout, account: Address, amount: bigint): StorageWrites {
  const rate = shape.kind === 'plain' ? undefined : shape.rate
  const number = rate ? (amount * rate.shares * (SHARES_MARGIN + 1n)) / (rate.units * SHARES_MARGIN) + 1n : amount
  return new Map([[mapping.contract, balanceWrites(mapping, account, number << BigInt(shape.shift))]])
}

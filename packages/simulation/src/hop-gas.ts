/**
 * Measures the gas of many hops in one eth_call. A hop is one swap in one pool, which the Executor contract runs as a
 * program. The Guard is the contract that users call, and which calls the Executor.
 */
import { GasProbe__factory } from '@sluice/bindings'
import { bytecode } from '@sluice/bindings/bytecode'
import { callCodec } from '@sluice/bindings/codec'
import { type Address, type Hex, toAddress, ZERO_ADDRESS } from '@sluice/chains'
import { type BlockHeader, type Rpc, RpcError } from '@sluice/rpc'
import type { SimulationContext } from './context.ts'
import { SimulationError } from './errors.ts'
import { maxIntrinsicGas } from './gas.ts'
import { nextBlock } from './next-block.ts'
import type { BalanceLayout } from './slots/amount.ts'
import { balanceWrites } from './slots/mapping.ts'
import { mergeWrites, type StorageWrites, storageOverrides, TokenReader } from './slots/reader.ts'

/** Hop whose gas is measured. */
export type HopToMeasure = {
  /** Sold token; the zero address for native. */
  readonly token: Address
  /** Base units. */
  readonly amount: bigint
  /** Account that holds the input before the program runs; null if the program pulls it from the sender. */
  readonly holder: Address | null
  /** Bought token; the zero address for native. */
  readonly tokenOut: Address
  /** Bytecode for the Executor that runs the hop. */
  readonly program: Hex
}

type HopGasOrder = {
  readonly guard: Address
  readonly executor: Address
  /** Block whose post-state the hops run on, in the environment of the next block. */
  readonly block: BlockHeader
  readonly hops: readonly HopToMeasure[]
}

type Hop = Pick<HopToMeasure, 'token' | 'amount' | 'program'> & Readonly<Record<'holder' | 'recipient', Address>>
const gasProbe = callCodec<[executor: Address, limit: bigint, hops: readonly Hop[]], [gasUsed: readonly bigint[]]>(
  GasProbe__factory.createInterface(),
  'run',
)

/** Recipient without token balances. The Guard is not used as recipient, because its balances are overridden. */
const RECIPIENT = toAddress('0x5177cE0000000000000000000000000000000007')
/**
 * Maximum gas per hop: several times the gas of the most expensive family (kind of pool). A hop that uses more is not
 * measured, so its pool keeps the estimate of its family.
 */
const HOP_GAS_LIMIT = 2_000_000n
/** Gas of the call, within the cap of most nodes. Hops that do not fit are not measured by this call. */
const CALL_GAS = 40_000_000n
/** Gas that the measurement itself adds to each hop. A result that is not larger means that the hop failed. */
const CALL_OVERHEAD = 1_000n
/**
 * Divisor: a balance stored as shares is written with 1 / `SHARES_MARGIN` more shares, in case their value has fallen.
 */
const SHARES_MARGIN = 100n

/**
 * Measures the gas of each hop before refunds; null if the hop failed, exceeded the limit, or got no input. Accounts
 * and slots are cold for each hop, as in a transaction.
 *
 * @throws RpcError if no endpoint could run the call
 */
export async function measureHops(
  rpc: Rpc,
  { guard, executor, block, hops }: HopGasOrder,
  context: SimulationContext,
): Promise<readonly (number | null)[]> {
  const options = { timeoutMs: context.limits.timeoutMs, priority: 'background' } as const
  const blockRef = { blockHash: block.hash }
  const writes = await inputWrites({ rpc, guard, blockRef, hops }, context)
  const measurable = hops.filter(({ token }) => token === ZERO_ADDRESS || writes.has(token))
  if (measurable.length === 0) return hops.map(() => null)
  const data = gasProbe.encode(
    executor,
    HOP_GAS_LIMIT,
    measurable.map(({ token, amount, holder, tokenOut, program }) => ({
      ...{ token, amount, program, holder: holder ?? ZERO_ADDRESS },
      recipient: tokenOut === ZERO_ADDRESS ? guard : RECIPIENT,
    })),
  )
  const maxNativeAmount = measurable.reduce(
    (max, { token, amount }) => (token === ZERO_ADDRESS && amount > max ? amount : max),
    0n,
  )
  const storage = storageOverrides(mergeWrites(...[...writes.values()].flatMap((accountWrites) => [...accountWrites])))
  const overrides = {
    ...storage,
    [guard]: { ...storage[guard], code: bytecode.GasProbe.runtime, balance: maxNativeAmount },
  }
  const gas = CALL_GAS + maxIntrinsicGas(data)
  const blockOverrides = { ...nextBlock(block, context.blockIntervalMs), baseFeePerGas: 0n }
  const returnData = await rpc.call({ from: guard, to: guard, data, gas }, blockRef, {
    ...options,
    overrides,
    blockOverrides,
  })
  const [measuredGas] = gasProbe.decode(returnData)
  const gasByHop = new Map(measurable.map((hop, k) => [hop, measuredGas[k] ?? 0n]))
  return hops.map((hop) => {
    const hopGas = gasByHop.get(hop) ?? 0n
    return hopGas > CALL_OVERHEAD ? Number(hopGas) : null
  })
}

type InputWritesRequest = Pick<HopGasOrder, 'guard' | 'hops'> & {
  readonly rpc: Rpc
  readonly blockRef: { readonly blockHash: Hex }
}

/**
 * Returns, for each token, the storage writes that give the Guard's address the maximum input of all hops. The
 * measuring code runs at that address. Omits tokens whose balances cannot be written.
 */
async function inputWrites(
  { rpc, guard, blockRef, hops }: InputWritesRequest,
  { slots, limits }: SimulationContext,
): Promise<ReadonlyMap<Address, StorageWrites>> {
  const maxAmounts = new Map<Address, bigint>()
  for (const { token, amount } of hops)
    if (token !== ZERO_ADDRESS && amount > (maxAmounts.get(token) ?? 0n)) maxAmounts.set(token, amount)
  const request = { timeoutMs: limits.timeoutMs, priority: 'background' } as const
  const writesByToken = await Promise.all(
    Array.from(maxAmounts, async ([token, amount]): Promise<readonly [Address, StorageWrites][]> => {
      try {
        const { balance } = await slots.layout(new TokenReader({ rpc, token, block: blockRef, request }))
        const writes = balance && writesOf(balance, guard, amount)
        return writes ? [[token, writes]] : []
      } catch (error) {
        if (error instanceof SimulationError || (error instanceof RpcError && error.code === 'REVERTED')) return []
        throw error
      }
    }),
  )
  return new Map(writesByToken.flat())
}

/**
 * Returns the writes that give an account a balance; undefined if the stored number has more bits than the token
 * reserves. Other bits of the word are zero, as for an account that never held the token.
 */
function writesOf({ mapping, shape }: BalanceLayout, account: Address, amount: bigint): StorageWrites | undefined {
  const rate = shape.kind === 'plain' ? undefined : shape.rate
  const storedNumber = rate ? (amount * rate.shares * (SHARES_MARGIN + 1n)) / (rate.units * SHARES_MARGIN) + 1n : amount
  if (storedNumber >> BigInt(shape.width) !== 0n) return undefined
  return new Map([[mapping.contract, balanceWrites(mapping, account, storedNumber << BigInt(shape.shift))]])
}

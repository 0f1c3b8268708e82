/** Storage writes that give one account a balance. */
import type { Address } from '@sluice/chains'
import { balanceKey, balanceWrites, type Mapping, MINIME_MAX, type Write } from './mapping.ts'
import { mergeWrites, owner, type TokenReader } from './reader.ts'
import { numberMask, type Rate, readShape, type Shape } from './shape.ts'

export type BalanceLayout = { readonly mapping: Mapping; readonly shape: Shape }

export type BalanceSetting = {
  readonly contract: Address
  readonly writes: readonly Write[]
  /** The token's answer after that, base units: the amount, or the least above it that shares can express. */
  readonly balance: bigint
}

/** Neighbours tried on either side of the estimate. */
const NEIGHBOURS = 32n
/** Grid points per base unit where a base unit is worth many shares. */
const STEPS_PER_UNIT = 8n
const MAX_ROUNDS = 3
/** Base units by which tokens round on the way from shares to balance. */
const ROUNDING = 2n

const unitsPerShare = ({ shares, units }: Rate) => units / shares

/** undefined when the amount cannot be expressed, for example because it needs more bits than the token keeps. */
export async function balanceSetting(
  reader: TokenReader,
  { mapping, shape }: BalanceLayout,
  account: Address,
  amount: bigint,
): Promise<BalanceSetting | undefined> {
  const [number, real] = await Promise.all([
    shape.kind === 'plain' ? { value: amount, balance: amount } : sharesFor(reader, mapping, shape, amount),
    realWord(reader, mapping, shape, account),
  ])
  if (!number || number.value >> BigInt(shape.width) !== 0n) return undefined
  const value = (real & ~numberMask(shape)) | (number.value << BigInt(shape.shift))
  return { contract: mapping.contract, writes: balanceWrites(mapping, account, value), balance: number.balance }
}

/** Bits that do not belong to the balance stay as they are on chain. */
async function realWord(reader: TokenReader, mapping: Mapping, shape: Shape, account: Address): Promise<bigint> {
  const whole = mapping.order === 'minime' ? numberMask(shape) === MINIME_MAX : shape.width === 256
  if (whole) return 0n
  const [real] = await reader.storage(mapping.contract, [BigInt(balanceKey(mapping, account))])
  return real!
}

/** Least number of shares that is worth `amount` or more, looked for around the estimate at the last known rate. */
async function sharesFor(
  reader: TokenReader,
  mapping: Mapping,
  shape: Shape,
  amount: bigint,
): Promise<{ readonly value: bigint; readonly balance: bigint } | undefined> {
  let rate = shape.rate
  for (let round = 0; rate && round < MAX_ROUNDS; round++) {
    const tried = around(rate, amount).filter((value) => value >> BigInt(shape.width) === 0n)
    const balances = await balancesOf(reader, mapping, tried)
    const index = balances.findIndex((balance) => balance !== null && balance >= amount)
    // The first one tried may have smaller ones below it that would do as well.
    if (index > 0 || (index === 0 && tried[0] === 0n)) {
      const found = { value: tried[index]!, balance: balances[index]! }
      return found.balance - amount <= unitsPerShare(rate) + ROUNDING ? found : undefined
    }
    const fresh: Shape | undefined = await readShape(reader, mapping)
    rate = fresh?.rate
  }
  return undefined
}

function around({ shares, units }: Rate, amount: bigint): readonly bigint[] {
  const estimate = (amount * shares + units - 1n) / units
  const step = shares / units / STEPS_PER_UNIT || 1n
  const tried: bigint[] = []
  for (let i = -NEIGHBOURS; i <= NEIGHBOURS; i++) {
    const value = estimate + i * step
    if (value >= 0n) tried.push(value)
  }
  return tried
}

async function balancesOf(reader: TokenReader, mapping: Mapping, values: readonly bigint[]) {
  const writes = mergeWrites(
    ...values.map((value, index) => [mapping.contract, balanceWrites(mapping, owner(index), value)] as const),
  )
  return (await reader.owners(values.length, writes)).map(({ balance }) => balance)
}

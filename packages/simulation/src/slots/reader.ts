/**
 * Reads a token's balances for many owners in one eth_call with storage overrides. This finds the storage layout of a
 * token: each owner is fictitious and has another slot overridden. The owner whose balance changes shows the slot.
 */
import { SlotProbe__factory, StorageProbe__factory } from '@sluice/bindings'
import { bytecode } from '@sluice/bindings/bytecode'
import { callCodec } from '@sluice/bindings/codec'
import { type Address, type Hex, toAddress } from '@sluice/chains'
import {
  type BlockOverrides,
  type BlockRef,
  type RequestOptions,
  type Rpc,
  RpcError,
  type StateOverrides,
} from '@sluice/rpc'
import { SimulationError } from '../errors.ts'
import type { Write } from './mapping.ts'

const slotProbe = SlotProbe__factory.createInterface()
const readCodec = callCodec<
  [token: Address, spender: Address, first: Address, count: number],
  [readings: readonly { readonly balance: bigint; readonly allowance: bigint }[]]
>(slotProbe, 'read')
const transferCodec = callCodec<
  [token: Address, from: Address, to: Address, amount: bigint],
  [ownerBefore: bigint, ownerAfter: bigint, received: bigint]
>(slotProbe, 'take')
const touchedCodec = callCodec<
  [token: Address, owner: Address, accounts: readonly Address[]],
  [warm: readonly boolean[]]
>(slotProbe, 'touched')
const wordsCodec = callCodec<[slots: readonly bigint[]], [words: readonly bigint[]]>(
  StorageProbe__factory.createInterface(),
  'words',
)

/** Address at which SlotProbe.sol, the reading contract, is installed during a call. Also the default spender. */
export const SLOT_PROBE = toAddress('0x5177cE0000000000000000000000000000000002')
/** Address of the fictitious owner with index 0. The owner with index k has this address plus k. */
const FIRST_OWNER = 0x0aed51ce90000000000000000000000000000000n
/** Value that SlotProbe.sol returns for a failed reading. */
const FAILED_READ = 2n ** 256n - 2n

/** Returns a fictitious owner by index. */
export const fictitiousOwner = (index: number): Address =>
  toAddress(`0x${(FIRST_OWNER + BigInt(index)).toString(16).padStart(40, '0')}`)

/** Balance and allowance of an owner; null if the token did not respond. */
export type OwnerReading = { readonly balance: bigint | null; readonly allowance: bigint | null }

/** Storage overrides by contract. */
export type StorageWrites = ReadonlyMap<Address, readonly Write[]>

export type ReaderOptions = {
  readonly rpc: Rpc
  readonly token: Address
  readonly block: BlockRef
  /** Block overrides for readings; default: none. */
  readonly blockOverrides?: BlockOverrides | Promise<BlockOverrides>
  readonly request: RequestOptions
}

/** Reader of one token at one block. */
export class TokenReader {
  readonly token: Address
  readonly rpc: Rpc
  readonly block: BlockRef
  readonly options: RequestOptions
  private readonly blockOverrides: BlockOverrides | Promise<BlockOverrides>

  constructor({ rpc, token, block, blockOverrides = {}, request }: ReaderOptions) {
    this.rpc = rpc
    this.token = token
    this.block = block
    this.blockOverrides = blockOverrides
    this.options = request
  }

  /**
   * Reads the balances of the first `count` fictitious owners, and their allowances for `SLOT_PROBE`.
   *
   * @throws SimulationError `BAD_TOKEN` if the token uses up the gas of the call, like all methods that call the token
   */
  async readOwners(count: number, writes: StorageWrites): Promise<readonly OwnerReading[]> {
    return this.read(fictitiousOwner(0), count, writes)
  }

  /**
   * Reads balance and allowance of one account.
   *
   * @param spender - account whose allowance is read
   */
  async readAccount(account: Address, writes: StorageWrites, spender = SLOT_PROBE): Promise<OwnerReading> {
    return (await this.read(account, 1, writes, spender))[0]!
  }

  private async read(
    firstOwner: Address,
    count: number,
    writes: StorageWrites,
    spender = SLOT_PROBE,
  ): Promise<readonly OwnerReading[]> {
    const answer = await this.call(readCodec.encode(this.token, spender, firstOwner, count), writes)
    const [readings] = readCodec.decode(answer)
    return readings.map(({ balance, allowance }) => ({
      balance: orNull(balance),
      allowance: orNull(allowance),
    }))
  }

  /** Simulates a transfer with `SLOT_PROBE` as spender, and reads the balances before and after it. */
  async transfer(
    from: Address,
    to: Address,
    amount: bigint,
    writes: StorageWrites,
  ): Promise<{ readonly balanceBefore: bigint; readonly balanceAfter: bigint; readonly received: bigint }> {
    const answer = await this.call(transferCodec.encode(this.token, from, to, amount), writes)
    const [before, after, received] = transferCodec.decode(answer)
    return { balanceBefore: before, balanceAfter: after, received }
  }

  /** Filters the accounts: returns the ones that the token accesses when it reports a balance. */
  async touchedAccounts(accounts: readonly Address[]): Promise<readonly Address[]> {
    const [warm] = touchedCodec.decode(
      await this.call(touchedCodec.encode(this.token, fictitiousOwner(0), accounts), new Map()),
    )
    return accounts.filter((_, index) => warm[index])
  }

  /** Reads storage slots of a contract in one call. */
  async readStorage(contract: Address, slots: readonly bigint[]): Promise<readonly bigint[]> {
    const data = wordsCodec.encode(slots)
    const overrides = { [contract]: { code: bytecode.StorageProbe.runtime } }
    const answer = await this.rpc.call({ to: contract, data }, this.block, { ...this.options, overrides })
    return wordsCodec.decode(answer)[0]
  }

  readCode(contract: Address): Promise<Hex> {
    return this.rpc.getCode(contract, this.block, this.options)
  }

  private async call(data: Hex, writes: StorageWrites): Promise<Hex> {
    const blockOverrides = await this.blockOverrides
    const overrides: StateOverrides = {
      ...storageOverrides(writes),
      [SLOT_PROBE]: { code: bytecode.SlotProbe.runtime },
    }
    return this.rpc
      .call({ to: SLOT_PROBE, data }, this.block, { ...this.options, overrides, blockOverrides })
      .catch((error: unknown) => {
        // SlotProbe.sol never reverts itself, so the token used up the gas.
        if (!(error instanceof RpcError && error.code === 'REVERTED')) throw error
        throw new SimulationError('BAD_TOKEN', `${this.token} cannot be read: ${error.message}`, { cause: error })
      })
  }
}

export function storageOverrides(writes: StorageWrites): StateOverrides {
  return Object.fromEntries(
    [...writes].map(([contract, list]) => [
      contract,
      { stateDiff: Object.fromEntries(list.map(({ key, value }) => [key, value])) },
    ]),
  )
}

/** Merges writes into one list per contract. */
export function mergeWrites(...writeLists: readonly (readonly [Address, readonly Write[]])[]): StorageWrites {
  const merged = new Map<Address, Write[]>()
  for (const [contract, writes] of writeLists) {
    const list = merged.get(contract)
    if (list) list.push(...writes)
    else merged.set(contract, [...writes])
  }
  return merged
}

function orNull(value: bigint): bigint | null {
  return value === FAILED_READ ? null : value
}

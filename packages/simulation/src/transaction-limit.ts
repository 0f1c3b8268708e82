/** Detects the maximum gas limit of a transaction (EIP-7825). */
import { type Chain, type Hex, toAddress, wordOf } from '@sluice/chains'
import { type BlockHeader, NO_HASH, type RequestOptions, type Rpc, RpcError } from '@sluice/rpc'

/** Maximum gas per transaction since Osaka (EIP-7825). */
const OSAKA_GAS = 16_777_216n
/** Maximum gas per transaction of Arbitrum chains since ArbOS 51. */
const ARBITRUM_GAS = 32_000_000n

/** Returns a chain's maximum gas per transaction after its Osaka upgrade. */
export function osakaLimitOf({
  maxTransactionGas,
  l1FeeModel,
}: Pick<Chain, 'maxTransactionGas' | 'l1FeeModel'>): bigint {
  if (maxTransactionGas !== undefined) return BigInt(maxTransactionGas)
  return l1FeeModel === 'arbitrum' ? ARBITRUM_GAS : OSAKA_GAS
}

/** Address at which the code that tests the EVM version is installed. */
const VERSION_TEST = toAddress('0x5177ce0000000000000000000000000000000007')
/** Code that returns CLZ(0) = 256; Osaka introduced this opcode (EIP-7939). */
const COUNTS_ZEROS: Hex = '0x5f1e5f5260205ff3'
/** Milliseconds after which a chain without Osaka is checked again. */
const RETRY_MS = 600_000

/**
 * Maximum distance of two blocks that share the result of a check. A chain produces fewer blocks in `RETRY_MS`. Blocks
 * farther apart, such as a past block and the head, are checked separately.
 */
const NEAR_BLOCKS = 20_000

export class TransactionLimit {
  private readonly osakaLimit: bigint
  /** Lowest block known to have the limit. */
  private activeFromBlock = Number.POSITIVE_INFINITY
  /** Highest block known to have no limit. */
  private inactiveToBlock = -1
  private checkedAtMs = Number.NEGATIVE_INFINITY
  private pendingCheck: { readonly number: number; readonly result: Promise<boolean> } | undefined

  /** @param osakaLimit - maximum gas per transaction after the chain's Osaka upgrade */
  constructor(osakaLimit: bigint = OSAKA_GAS) {
    this.osakaLimit = osakaLimit
  }

  /** Returns the limit; undefined if only the block gas limit applies, or if it is unknown. */
  async limitAt(rpc: Rpc, header: BlockHeader, options: RequestOptions): Promise<bigint | undefined> {
    const { number } = header
    if (number >= this.activeFromBlock) return this.osakaLimit
    const isCheckedRecently =
      performance.now() - this.checkedAtMs < RETRY_MS && number < this.inactiveToBlock + NEAR_BLOCKS
    if (number <= this.inactiveToBlock || isCheckedRecently) return undefined
    const { pendingCheck } = this
    if (pendingCheck && Math.abs(number - pendingCheck.number) < NEAR_BLOCKS)
      return (await pendingCheck.result) ? this.osakaLimit : undefined
    const check = { number, result: this.detect(rpc, header, options) }
    this.pendingCheck = check
    const isActive = await check.result
    if (this.pendingCheck === check) this.pendingCheck = undefined
    return isActive ? this.osakaLimit : undefined
  }

  private async detect(
    rpc: Rpc,
    { number, hash }: BlockHeader,
    { signal: _, ...options }: RequestOptions,
  ): Promise<boolean> {
    try {
      const overrides = { [VERSION_TEST]: { code: COUNTS_ZEROS } }
      const block = hash === NO_HASH ? 'pending' : { blockHash: hash }
      const answer = await rpc.call({ to: VERSION_TEST, data: '0x' }, block, { ...options, overrides })
      const isActive = wordOf(answer) === 256n
      if (isActive) this.activeFromBlock = Math.min(this.activeFromBlock, number)
      else this.recordInactive(number)
      return isActive
    } catch (error) {
      // Nodes report unknown opcodes with many different messages.
      if (error instanceof RpcError && (error.isRefusal || error.code === 'REVERTED')) this.recordInactive(number)
      return false
    }
  }

  private recordInactive(number: number): void {
    this.inactiveToBlock = Math.max(this.inactiveToBlock, number)
    this.checkedAtMs = performance.now()
  }
}

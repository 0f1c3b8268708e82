import { type Hex, toAddress } from '@sluice/chains'
import { type BlockHeader, type RequestOptions, type Rpc, RpcError } from '@sluice/rpc'

/** EIP-7825: gas that a transaction may ask for at most, from Osaka on. */
const OSAKA_GAS = 16_777_216n
const PROBE = toAddress('0x5177ce0000000000000000000000000000000007')
/** Counts the leading zeros of zero by an instruction that Osaka brought (EIP-7939), and returns the 256. */
const COUNTS_ZEROS: Hex = '0x5f1e5f5260205ff3'
/** Milliseconds after which a chain that was not there yet is asked again. */
const RETRY_MS = 600_000

/** The limit of a transaction's gas that a chain's rules set beside that of its blocks, found out by asking a node once. */
export class TransactionLimit {
  private activeFrom = Number.POSITIVE_INFINITY
  private inactiveTo = -1
  private askedAt = Number.NEGATIVE_INFINITY
  private asking: Promise<boolean> | undefined

  /** Undefined where blocks alone limit it, or the node cannot tell. */
  async at(rpc: Rpc, header: BlockHeader, options: RequestOptions): Promise<bigint | undefined> {
    const { number } = header
    if (number >= this.activeFrom) return OSAKA_GAS
    if (number <= this.inactiveTo || Date.now() - this.askedAt < RETRY_MS) return undefined
    this.asking ??= this.ask(rpc, header, options).finally(() => {
      this.asking = undefined
    })
    return (await this.asking) ? OSAKA_GAS : undefined
  }

  private async ask(
    rpc: Rpc,
    { number, hash }: BlockHeader,
    { signal: _, ...options }: RequestOptions,
  ): Promise<boolean> {
    try {
      const overrides = { [PROBE]: { code: COUNTS_ZEROS } }
      const answer = await rpc.call({ to: PROBE, data: '0x' }, { blockHash: hash }, { ...options, overrides })
      const isActive = answer.length === 66 && BigInt(answer) === 256n
      if (isActive) this.activeFrom = Math.min(this.activeFrom, number)
      else this.sawInactive(number)
      return isActive
    } catch (error) {
      // Nodes tell of an instruction that they do not know in many words.
      if (error instanceof RpcError && (error.isRefusal || error.code === 'REVERTED')) this.sawInactive(number)
      return false
    }
  }

  private sawInactive(number: number): void {
    this.inactiveTo = Math.max(this.inactiveTo, number)
    this.askedAt = Date.now()
  }
}

/**
 * Finds the transaction with which an owner replaced a pending transaction: the same call with a higher fee, or a
 * cancellation.
 */
import type { Wallet } from './wallet.ts'

/** Mined transaction with the same nonce as the pending transaction. The pending transaction can no longer be mined. */
export type Replacement = {
  readonly hash: string
  /** True if both make the same call, such as after "speed up" in a wallet. */
  readonly isSameCall: boolean
}

type PendingTransaction = Readonly<Record<'from' | 'to' | 'input' | 'value' | 'nonce', string>>
type Transaction = PendingTransaction & { readonly hash: string }

/** Watches for the replacement of one pending transaction. */
export class ReplacementWatch {
  private readonly wallet: Wallet
  private readonly hash: string
  /** Highest block after which the nonce is known to be unused. */
  private unusedAt: number
  private pending: PendingTransaction | undefined

  /** @param fromBlock - block number when the transaction was sent, or lower */
  constructor(wallet: Wallet, hash: string, fromBlock: number) {
    this.wallet = wallet
    this.hash = hash.toLowerCase()
    this.unusedAt = fromBlock
  }

  /**
   * Returns the mined replacement. Undefined if there is none. Also undefined if the node never had a transaction of
   * the account with this hash, for example because it is the hash of a Safe transaction or of a user operation.
   */
  async find(): Promise<Replacement | undefined> {
    const { wallet } = this
    if (!wallet.request || !/^0x[0-9a-f]{64}$/.test(this.hash)) return undefined
    this.pending ??= await this.readPending()
    if (!this.pending) return undefined
    const nonce = BigInt(this.pending.nonce)
    const head = await wallet.blockNumber()
    if ((await this.nonceAt(head)) <= nonce) {
      this.unusedAt = Math.max(this.unusedAt, head)
      return undefined
    }
    return this.replacementIn(await this.firstBlockAfter(nonce, head), nonce)
  }

  private async readPending(): Promise<PendingTransaction | undefined> {
    const transaction = Object(await this.wallet.request!('eth_getTransactionByHash', [this.hash])) as Transaction
    const hasFields = [transaction.from, transaction.input, transaction.value, transaction.nonce].every(isHex)
    return hasFields && isEqual(transaction.from, this.wallet.address) ? transaction : undefined
  }

  private async nonceAt(block: number): Promise<bigint> {
    return BigInt(String(await this.wallet.request!('eth_getTransactionCount', [this.wallet.address, toHex(block)])))
  }

  /** Returns the first block after which the nonce is used. */
  private async firstBlockAfter(nonce: bigint, head: number): Promise<number> {
    let [unused, used] = [Math.min(this.unusedAt, head - 1), head]
    while (used - unused > 1) {
      const middle = Math.floor((unused + used) / 2)
      if ((await this.nonceAt(middle)) > nonce) used = middle
      else unused = middle
    }
    return used
  }

  private async replacementIn(block: number, nonce: bigint): Promise<Replacement | undefined> {
    const { transactions } = Object(await this.wallet.request!('eth_getBlockByNumber', [toHex(block), true])) as {
      readonly transactions?: unknown
    }
    if (!Array.isArray(transactions)) return undefined
    const minedTransaction = transactions
      .map((item): Partial<Transaction> => Object(item))
      .find((item) => isEqual(item.from, this.wallet.address) && isHex(item.nonce) && BigInt(item.nonce!) === nonce)
    if (typeof minedTransaction?.hash !== 'string' || isEqual(minedTransaction.hash, this.hash)) return undefined
    const { to, input, value } = this.pending!
    const isSameCall =
      isEqual(minedTransaction.to, to) &&
      isEqual(minedTransaction.input, input) &&
      isHex(minedTransaction.value) &&
      BigInt(minedTransaction.value!) === BigInt(value)
    return { hash: minedTransaction.hash, isSameCall }
  }
}

const toHex = (block: number) => `0x${block.toString(16)}`
const isHex = (value: unknown): boolean => typeof value === 'string' && /^0x[0-9a-fA-F]*$/.test(value)
const isEqual = (a: unknown, b: unknown) => String(a).toLowerCase() === String(b).toLowerCase()

/** A minimal wallet for tests. */
import { IERC20__factory } from '@sluice/bindings'
import { NATIVE } from '@sluice/chains'

const erc20 = IERC20__factory.createInterface()

export type Receipt = {
  readonly status: boolean
  readonly gasUsed: bigint
  readonly feeWei: bigint
  readonly blockNumber: number
}
export type Transaction = {
  readonly from: string
  readonly to: string
  readonly data: string
  readonly value?: string | bigint
  readonly gas?: bigint
}

export type Log = { readonly address: string; readonly topics: readonly string[]; readonly data: string }

type RawReceipt = {
  readonly status: string
  readonly gasUsed: string
  readonly effectiveGasPrice: string
  readonly blockNumber: string
  readonly logs: readonly Log[]
}

/**
 * JSON-RPC client of a node with unlocked accounts. Shares no code with the service, because tests check the service
 * with this client.
 */
export class Node {
  readonly url: string

  constructor(url: string) {
    this.url = url
  }

  async request<T>(method: string, params: readonly unknown[] = []): Promise<T> {
    const response = await fetch(this.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    const { result, error } = (await response.json()) as { result: T; error?: { message: string } }
    if (error) throw new Error(`${method}: ${error.message}`)
    return result
  }

  /** Returns a balance in base units of the token; in wei for NATIVE. */
  async balance(token: string, owner: string): Promise<bigint> {
    if (token.toLowerCase() === NATIVE) return BigInt(await this.request<string>('eth_getBalance', [owner, 'latest']))
    const data = erc20.encodeFunctionData('balanceOf', [owner])
    return BigInt(await this.request<string>('eth_call', [{ to: token, data }, 'latest']))
  }

  approve(token: string, owner: string, spender: string, amount: bigint): Promise<Receipt> {
    return this.send({ from: owner, to: token, data: erc20.encodeFunctionData('approve', [spender, amount]) })
  }

  transfer(token: string, from: string, to: string, amount: bigint): Promise<Receipt> {
    return this.send({ from, to: token, data: erc20.encodeFunctionData('transfer', [to, amount]) })
  }

  /**
   * Sends a transaction with a fixed gas limit. Without a gas estimate, a reverting transaction is mined with status 0.
   */
  async send({ from, to, data, value = 0n, gas = 3_000_000n }: Transaction): Promise<Receipt> {
    const hash = await this.request<string>('eth_sendTransaction', [
      { from, to, data, value: `0x${BigInt(value).toString(16)}`, gas: `0x${gas.toString(16)}` },
    ])
    const receipt = await this.receipt(hash)
    const gasUsed = BigInt(receipt.gasUsed)
    return {
      status: receipt.status === '0x1',
      gasUsed,
      feeWei: gasUsed * BigInt(receipt.effectiveGasPrice),
      blockNumber: Number(receipt.blockNumber),
    }
  }

  /**
   * Reverts to a snapshot of `evm_snapshot`. Waits until the node's transaction pool is empty: the node removes a mined
   * transaction from the pool only after it returns the receipt. If the chain were reverted before, the node would also
   * remove the next transaction with the same nonce.
   */
  async undo(snapshotId: string): Promise<void> {
    const deadline = Date.now() + 10_000
    while ((await this.request<{ pending: string }>('txpool_status')).pending !== '0x0')
      if (Date.now() > deadline) throw new Error('transactions stay in the pool')
    await this.request('evm_revert', [snapshotId])
  }

  /** Waits for a receipt. The node returns the hash of a transaction before it mines the block. */
  async receipt(hash: string): Promise<RawReceipt> {
    const deadline = Date.now() + 10_000
    while (Date.now() < deadline) {
      const receipt = await this.request<RawReceipt | null>('eth_getTransactionReceipt', [hash])
      if (receipt) return receipt
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    throw new Error(`transaction ${hash} was not mined`)
  }
}

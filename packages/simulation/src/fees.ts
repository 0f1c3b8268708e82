/** Reads gas prices, once per block. */
import type { Hex } from '@sluice/chains'
import { type BlockHeader, NO_HASH, type RequestOptions, type Rpc, resultInTime } from '@sluice/rpc'
import { BoundedMap } from './bounded-map.ts'

/** Maximum cached blocks: the newest blocks, and a few past blocks. */
const MAX_BLOCKS = 16
/** Maximum milliseconds to wait for the next base fee, which quotes can do without. */
const MAX_BASE_FEE_WAIT_MS = 1_000

/** Cached gas prices of a chain. */
export class FeeReader {
  private readonly gasPriceByBlock = new BoundedMap<Hex, Promise<bigint>>(MAX_BLOCKS)
  private readonly baseFeeByBlock = new BoundedMap<Hex, Promise<bigint | undefined>>(MAX_BLOCKS)
  /** True if the last `eth_feeHistory` took too long. The next read then returns at once, without a fee. */
  private isFeeHistorySlow = false

  /**
   * Returns the gas price in wei of a transaction sent now; at least the next base fee.
   *
   * @throws RpcError if no node reports the price; not cached
   */
  gasPrice(rpc: Rpc, header: BlockHeader, options?: RequestOptions): Promise<bigint> {
    return readOnce(this.gasPriceByBlock, header, async () => {
      const [price, nextFee] = await Promise.all([
        rpc.gasPrice(withoutSignal(options)),
        this.nextBaseFee(rpc, header, options),
      ])
      const baseFee = nextFee ?? header.baseFeePerGas ?? 0n
      return price > baseFee ? price : baseFee
    })
  }

  /**
   * Returns the gas price in wei that a transaction would have paid in the block after a past block. This is the base
   * fee of the later block plus the median tip of the past block. If the node no longer has these, it is the base fee
   * of the past block. On a chain without base fee, it is the current gas price.
   *
   * @throws RpcError if the chain has no base fee and no node reports a price
   */
  async pastGasPrice(rpc: Rpc, header: BlockHeader, options?: RequestOptions): Promise<bigint> {
    if (header.baseFeePerGas === null) return rpc.gasPrice(options)
    const block: Hex = `0x${header.number.toString(16)}`
    const request = rpc.request<FeeHistory | null>('eth_feeHistory', ['0x1', block, [TIP_PERCENTILE]], options)
    const history = await request.catch((error: unknown) => {
      if (options?.signal?.aborted) throw error
      return null
    })
    const nextFee = parseFee(history?.baseFeePerGas?.[1])
    return (nextFee ?? header.baseFeePerGas) + (parseFee(history?.reward?.[0]?.[0]) ?? 0n)
  }

  /**
   * Returns the base fee of the next block in wei per gas; undefined if unknown, or if the node takes long. Read from
   * the node, because the parameters of EIP-1559 differ between chains.
   */
  nextBaseFee(rpc: Rpc, header: BlockHeader, options?: RequestOptions): Promise<bigint | undefined> {
    if (header.baseFeePerGas === null) return Promise.resolve(undefined)
    return readOnce(this.baseFeeByBlock, header, async () => {
      const wasSlow = this.isFeeHistorySlow
      const read = resultInTime(this.readNextBaseFee(rpc, header, options), MAX_BASE_FEE_WAIT_MS, null).then((fee) => {
        this.isFeeHistorySlow = fee === null
        return fee ?? undefined
      })
      return wasSlow ? undefined : read
    })
  }

  private async readNextBaseFee(rpc: Rpc, { number }: BlockHeader, options?: RequestOptions) {
    try {
      const block: Hex = `0x${number.toString(16)}`
      const history = await rpc.request<FeeHistory | null>('eth_feeHistory', ['0x1', block, []], withoutSignal(options))
      return parseFee(history?.baseFeePerGas?.[1])
    } catch {
      // Callers then use the base fee of the block itself.
      return undefined
    }
  }
}

/** Percentile of a block's tips, weighted by gas, that is the assumed tip in the next block. */
const TIP_PERCENTILE = 50

type FeeHistory = { readonly baseFeePerGas?: readonly Hex[]; readonly reward?: readonly (readonly Hex[])[] | null }

/** Parses a fee in wei; undefined if the node returned no fee, or a malformed one. */
function parseFee(fee: unknown): bigint | undefined {
  return typeof fee === 'string' && /^0x[0-9a-f]+$/i.test(fee) ? BigInt(fee) : undefined
}

/** Removes the abort signal, because other callers share the request. */
function withoutSignal({ signal: _, ...options }: RequestOptions = {}): RequestOptions {
  return options
}

/** Reads a value of a block at most once, if the block has a hash. Failures are not cached. */
function readOnce<T>(cache: BoundedMap<Hex, Promise<T>>, { hash }: BlockHeader, read: () => Promise<T>): Promise<T> {
  if (hash === NO_HASH) return read()
  const cached = cache.get(hash)
  if (cached) return cached
  const pending = read()
  cache.set(hash, pending)
  pending.catch(() => cache.peek(hash) === pending && cache.delete(hash))
  return pending
}

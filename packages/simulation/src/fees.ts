/** Gas prices of the network, read once for each block that a transaction would follow. */
import type { Hex } from '@sluice/chains'
import type { BlockHeader, RequestOptions, Rpc } from '@sluice/rpc'
import { Bounded } from './bounded.ts'

/** The newest block, those before it whose work is still in flight, and a few of the past. */
const MAX_BLOCKS = 16

export class FeeReader {
  private readonly prices = new Bounded<Hex, Promise<bigint>>(MAX_BLOCKS)
  private readonly baseFees = new Bounded<Hex, Promise<bigint | undefined>>(MAX_BLOCKS)

  /**
   * Wei per gas that a transaction sent now would pay; at least the next base fee.
   *
   * @throws RpcError where no node tells the price; that is not remembered
   */
  gasPrice(rpc: Rpc, header: BlockHeader, options?: RequestOptions): Promise<bigint> {
    return once(this.prices, header, async () => {
      const [price, next] = await Promise.all([rpc.gasPrice(shared(options)), this.nextBaseFee(rpc, header, options)])
      const baseFee = next ?? header.baseFeePerGas ?? 0n
      return price > baseFee ? price : baseFee
    })
  }

  /**
   * Wei per gas that a transaction in the block after a past one would have paid: the base fee there and the median tip of the past
   * block. Where a chain has no base fee, or no node tells it any more, the block's own base fee, or today's price.
   *
   * @throws RpcError where the chain has no base fee and no node tells a price
   */
  async pastGasPrice(rpc: Rpc, header: BlockHeader, options?: RequestOptions): Promise<bigint> {
    if (header.baseFeePerGas === null) return rpc.gasPrice(options)
    const block: Hex = `0x${header.number.toString(16)}`
    const asked = rpc.request<FeeHistory | null>('eth_feeHistory', ['0x1', block, [TIP_PERCENTILE]], options)
    const history = await asked.catch((error: unknown) => {
      if (options?.signal?.aborted) throw error
      return null
    })
    const next = history?.baseFeePerGas?.[1]
    const tip = history?.reward?.[0]?.[0]
    return (next === undefined ? header.baseFeePerGas : BigInt(next)) + (tip === undefined ? 0n : BigInt(tip))
  }

  /**
   * Base fee of the block after this one, wei per gas; undefined where there is none or no node tells it. Nodes are asked, since
   * chains differ in the parameters of EIP-1559, and some change them.
   */
  nextBaseFee(rpc: Rpc, header: BlockHeader, options?: RequestOptions): Promise<bigint | undefined> {
    if (header.baseFeePerGas === null) return Promise.resolve(undefined)
    return once(this.baseFees, header, async () => {
      try {
        const block: Hex = `0x${header.number.toString(16)}`
        const history = await rpc.request<FeeHistory | null>('eth_feeHistory', ['0x1', block, []], shared(options))
        const next = history?.baseFeePerGas?.[1]
        return next === undefined ? undefined : BigInt(next)
      } catch {
        // It decides nothing but what `block.basefee` answers: the block's own does instead.
        return undefined
      }
    })
  }
}

/** Percentile of the tips in a block, by gas, that a transaction of the next one is taken to have paid. */
const TIP_PERCENTILE = 50

type FeeHistory = { readonly baseFeePerGas?: readonly Hex[]; readonly reward?: readonly (readonly Hex[])[] | null }

/** Without the signal of the request that came first: others wait for the same answer. */
function shared({ signal: _, ...options }: RequestOptions = {}): RequestOptions {
  return options
}

function once<T>(known: Bounded<Hex, Promise<T>>, { hash }: BlockHeader, read: () => Promise<T>): Promise<T> {
  const before = known.get(hash)
  if (before) return before
  const reading = read()
  known.set(hash, reading)
  reading.catch(() => known.peek(hash) === reading && known.delete(hash))
  return reading
}

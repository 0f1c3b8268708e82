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

type FeeHistory = { readonly baseFeePerGas?: readonly Hex[] }

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

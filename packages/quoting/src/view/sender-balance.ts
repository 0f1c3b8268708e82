/** Reads balances at a block. */
import { IERC20__factory } from '@sluice/bindings'
import { callCodec } from '@sluice/bindings/codec'
import { type Address, NATIVE } from '@sluice/chains'
import { type BlockRef, type Rpc, RpcError } from '@sluice/rpc'
import { NEUTRAL_SENDER } from '../neutral-sender.ts'
import { memoizeByKey } from './memoize.ts'

const balanceCodec = callCodec<[account: string], [bigint]>(IERC20__factory.createInterface(), 'balanceOf')

/**
 * Creates a reader of ERC-20 balances at a block, which caches them. The balance of the native token and of
 * `NEUTRAL_SENDER` is 0n without a request.
 */
export function balanceReader(rpc: Rpc, block: BlockRef): (token: Address, account: Address) => Promise<bigint> {
  const read = memoizeByKey(async (key: `${Address} ${Address}`) => {
    const [token, account] = key.split(' ') as [Address, Address]
    try {
      const answer = await rpc.call({ to: token, data: balanceCodec.encode(account) }, block)
      return answer.length >= 66 ? BigInt(answer.slice(0, 66)) : 0n
    } catch (error) {
      if (error instanceof RpcError && error.code === 'REVERTED') return 0n
      throw error
    }
  })
  return async (token, account) => (token === NATIVE || account === NEUTRAL_SENDER ? 0n : read(`${token} ${account}`))
}

/** Reads balances at a block. */
import { type Address, NATIVE } from '@sluice/chains'
import { type BlockRef, type Rpc, RpcError } from '@sluice/rpc'
import { NEUTRAL_SENDER } from '../neutral-sender.ts'
import { memoizeByKey } from './memoize.ts'

/** Selector of `balanceOf(address)`. */
const BALANCE_OF = '0x70a08231'

/**
 * Creates a reader of ERC-20 balances at a block, which caches them. The balance of the native token and of
 * `NEUTRAL_SENDER` is 0n without a request.
 */
export function balanceReader(rpc: Rpc, block: BlockRef): (token: Address, account: Address) => Promise<bigint> {
  const read = memoizeByKey(async (key: `${Address} ${Address}`) => {
    const [token, account] = key.split(' ') as [Address, Address]
    try {
      const answer = await rpc.call({ to: token, data: `${BALANCE_OF}${account.slice(2).padStart(64, '0')}` }, block)
      return answer.length >= 66 ? BigInt(answer.slice(0, 66)) : 0n
    } catch (error) {
      if (error instanceof RpcError && error.code === 'REVERTED') return 0n
      throw error
    }
  })
  return async (token, account) => (token === NATIVE || account === NEUTRAL_SENDER ? 0n : read(`${token} ${account}`))
}

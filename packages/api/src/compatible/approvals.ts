/** Endpoints of 1inch's `/approve`: the contract to approve, its current allowance, and the approval transaction. */
import { type Hex, NATIVE } from '@sluice/chains'
import { tokenAbi } from '@sluice/quoting'
import { RpcError } from '@sluice/rpc'
import type { Request } from 'express'
import { z } from 'zod'
import { ApiError } from '../errors.ts'
import type { RequestContext } from '../http/context.ts'
import { address, uint } from '../parameters.ts'
import { read } from '../requests.ts'
import type { ServedChain } from '../served-chain.ts'

const MAX_ALLOWANCE = 2n ** 256n - 1n

const allowanceQuery = z.object({
  tokenAddress: address('tokenAddress', { native: true }),
  walletAddress: address('walletAddress'),
})
const transactionQuery = z.object({
  tokenAddress: address('tokenAddress'),
  // 1inch approves without limit if `amount` is absent. Here it is required, so that an approval covers only the swap.
  amount: uint('amount'),
})

/** Handlers by the last segment of their path. */
export const approvals: Readonly<
  Record<string, (request: Request, chain: ServedChain, context: RequestContext) => Promise<object>>
> = {
  spender: async (_request, chain) => ({ address: chain.routerAddress }),

  async allowance({ query }, { liveChain, routerAddress }, { signal }) {
    const { tokenAddress, walletAddress } = read(allowanceQuery, query)
    const { address: tokenContract } = tokenAddress
    if (tokenContract === NATIVE) return { allowance: MAX_ALLOWANCE.toString() }
    const data = tokenAbi.encodeFunctionData('allowance', [walletAddress.address, routerAddress]) as Hex
    try {
      const answer = await liveChain.rpc.call({ to: tokenContract, data }, 'latest', { signal })
      const [allowance] = tokenAbi.decodeFunctionResult('allowance', answer)
      return { allowance: allowance.toString() }
    } catch (error) {
      if (error instanceof RpcError && error.code !== 'REVERTED') throw error
      throw new ApiError('INVALID_PARAMETER', 'tokenAddress is not an ERC-20 on this chain')
    }
  },

  async transaction({ query }, { liveChain, routerAddress }, { signal }) {
    const { tokenAddress, amount } = read(transactionQuery, query)
    const gasPrice = await liveChain.rpc.gasPrice({ signal })
    const data = tokenAbi.encodeFunctionData('approve', [routerAddress, amount])
    return { data, gasPrice: gasPrice.toString(), to: tokenAddress.input, value: '0' }
  },
}

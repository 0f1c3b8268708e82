/**
 * Contenders in the comparison of routers. They trade through Uniswap's router contracts at their Ethereum addresses.
 */
import { loadArtifact, type MainnetPool, readState } from '@sluice/devnet'
import type { Node } from '@sluice/system-test/wallet'
import { concat, Interface, toBeHex } from 'ethers'
import type { TradedToken } from '../../lib/trades.ts'
import { wallet } from '../../lib/wallet.ts'
import type { Hop, Peer } from '../../router/peers/peer.ts'
import type { Scenario } from '../../router/scenario.ts'

export const V2_ROUTER = '0x7a250d5630b4cf539739df2c5dacb4c659f2488d'
export const V3_ROUTER = '0x68b3465833fb72a70ecdf485e0e4c7bd8665fc45'
const V3_FACTORY: string = '0x1f98431c8ad98523631ae4a59f267346ea31f984'
/** Deadline of the transactions: a timestamp in seconds, far in the future. */
const DEADLINE = 2n ** 40n
/** Placeholder for the recipient. SwapRouter02 replaces it by its own address. */
const ROUTER_ITSELF = '0x0000000000000000000000000000000000000002'
/** Placeholder for the input amount. SwapRouter02 replaces it by its whole balance. */
const WHOLE_BALANCE = 0n

const v2 = new Interface(loadArtifact('@uniswap/v2-periphery/build/UniswapV2Router02.json').abi)
const v3 = new Interface(
  loadArtifact('@uniswap/swap-router-contracts/artifacts/contracts/SwapRouter02.sol/SwapRouter02.json').abi,
)

export type Trade = { readonly src: TradedToken; readonly dst: TradedToken; readonly amount: bigint }
export type Call = { readonly from: string; readonly to: string; readonly data: string }
/** Router in the comparison. Returns the call that makes a trade; null if it finds no route. */
export type Contender = (trade: Trade) => Promise<Call | null>

const walletCall = (to: string, data: string): Call => ({ from: wallet, to, data })

/** Trades in the V2 pair of the two tokens. */
export const v2Contender: Contender = async ({ src, dst, amount }) =>
  walletCall(
    V2_ROUTER,
    v2.encodeFunctionData('swapExactTokensForTokens', [amount, 0, [src.token, dst.token], wallet, DEADLINE]),
  )

/**
 * Creates a contender that trades in the V3 pool of the two tokens with the highest output. Compares the pools by
 * `eth_call`, for which the wallet must hold the amount.
 */
export function v3Contender(node: Node): Contender {
  const pools = readState('ethereum').pools.filter(({ factory }) => factory === V3_FACTORY)
  return async ({ src, dst, amount }) => {
    const hasBothTokens = ({ tokens }: MainnetPool) =>
      [src, dst].every(({ token }) => tokens.some((tradedToken) => tradedToken === token))
    let bestCall: { readonly paid: bigint; readonly call: Call } | null = null
    for (const { fee } of pools.filter(hasBothTokens)) {
      const swap = { tokenIn: src.token, tokenOut: dst.token, fee, recipient: wallet, amountIn: amount }
      const limits = { amountOutMinimum: 0, sqrtPriceLimitX96: 0 }
      const swapCall = walletCall(V3_ROUTER, v3.encodeFunctionData('exactInputSingle', [{ ...swap, ...limits }]))
      const paid = BigInt(await node.request<string>('eth_call', [swapCall, 'latest']).catch(() => '0'))
      if (paid > (bestCall?.paid ?? 0n)) bestCall = { paid, call: swapCall }
    }
    return bestCall?.call ?? null
  }
}

/** Creates a contender that sends the split route of a peer through SwapRouter02 in one transaction. */
export function splitContender(peer: Peer, { tokens, pools }: Scenario): Contender {
  const idByAddress = new Map(tokens.map(({ address, id }) => [address, id]))
  const addressOf = (token: number) => tokens[token]!.address
  const isPair = ({ pool }: Hop) => pools[pool]!.type === 'v2'

  const encodeSwap = (hops: readonly Hop[], amountIn: bigint, to: string) => {
    const path = [hops[0]!.tokenIn, ...hops.map(({ tokenOut }) => tokenOut)].map(addressOf)
    if (isPair(hops[0]!)) return v3.encodeFunctionData('swapExactTokensForTokens', [amountIn, 0, path, to])
    const packedPath = concat([
      path[0]!,
      ...hops.flatMap(({ pool }, i) => [toBeHex(pools[pool]!.feePpm, 3), path[i + 1]!]),
    ])
    return v3.encodeFunctionData('exactInput', [{ path: packedPath, recipient: to, amountIn, amountOutMinimum: 0 }])
  }
  /**
   * Builds one call for each group of consecutive hops of the same version, V2 or V3. Each call after the first spends
   * the output of the previous call, which the router holds.
   */
  const callsOfPath = ({ amountIn, hops }: { readonly amountIn: bigint | string; readonly hops: readonly Hop[] }) => {
    const groups: Hop[][] = []
    for (const hop of hops) {
      const lastGroup = groups.at(-1)
      if (lastGroup && isPair(lastGroup[0]!) === isPair(hop)) lastGroup.push(hop)
      else groups.push([hop])
    }
    return groups.map((group, i) =>
      encodeSwap(group, i === 0 ? BigInt(amountIn) : WHOLE_BALANCE, i === groups.length - 1 ? wallet : ROUTER_ITSELF),
    )
  }
  return async ({ src, dst, amount }) => {
    const [tokenIn, tokenOut] = [idByAddress.get(src.token)!, idByAddress.get(dst.token)!]
    const route = await peer.run({ id: 0, tokenIn, tokenOut, amountIn: String(amount) })
    if (!route || !('paths' in route)) return null
    return walletCall(V3_ROUTER, v3.encodeFunctionData('multicall(bytes[])', [route.paths.flatMap(callsOfPath)]))
  }
}

import { IERC20Metadata__factory } from '@sluice/bindings'
import { type Address, type Chain, NATIVE, ZERO_ADDRESS } from '@sluice/chains'
import type { BlockRef, RequestOptions, Rpc } from '@sluice/rpc'
import { RpcError } from '@sluice/rpc'

/** No ERC-20 in use has more; a contract that answers with a larger number is not understood. */
const MAX_DECIMALS = 77

const erc20 = IERC20Metadata__factory.createInterface()

/** Decimals of tokens: of the registry, or read once on chain. */
export class TokenFacts {
  private readonly known = new Map<Address, number | undefined>()

  constructor(chain: Chain) {
    for (const token of [chain.wrappedNative, chain.nativeErc20, ...chain.stables, ...chain.tokens])
      if (token && token.decimals !== null) this.known.set(token.address, token.decimals)
    for (const native of [NATIVE, ZERO_ADDRESS]) this.known.set(native, chain.nativeCurrency.decimals)
  }

  /** Undefined when not known, or when the contract does not tell. */
  decimals(token: Address): number | undefined {
    return this.known.get(token)
  }

  /** Reads what is not known yet; calls of one tick travel as one batch. */
  async learn(tokens: Iterable<Address>, rpc: Rpc, block: BlockRef, options: RequestOptions): Promise<void> {
    const missing = [...new Set(tokens)].filter((token) => !this.known.has(token))
    await Promise.all(
      missing.map(async (token) => this.known.set(token, await readDecimals(token, rpc, block, options))),
    )
  }
}

async function readDecimals(token: Address, rpc: Rpc, block: BlockRef, options: RequestOptions) {
  try {
    const data = await rpc.call(
      { to: token, data: erc20.encodeFunctionData('decimals') as `0x${string}` },
      block,
      options,
    )
    if (data.length !== 66) return undefined
    const decimals = BigInt(data)
    return decimals <= MAX_DECIMALS ? Number(decimals) : undefined
  } catch (error) {
    if (error instanceof RpcError && error.code === 'REVERTED') return undefined
    throw error
  }
}

/** Simulates swaps at the chain's node. */
import type { Address } from '@sluice/chains'
import type { Market } from '@sluice/liquidity'
import type { Rpc } from '@sluice/rpc'
import {
  type SimulationContext,
  SimulationError,
  type SimulationRequest,
  type SwapSimulation,
  simulateSwap,
} from '@sluice/simulation'

/** Maximum pools that may lend the input token to the sender in a simulation. */
const MAX_HOLDERS = 3

type Options = {
  /** Returns the current node and market, which are replaced each time that the chain wakes. */
  readonly getParts: () => { readonly rpc: Rpc; readonly market: Market }
  readonly context: SimulationContext
}

/**
 * Simulates swaps. If the storage slots of the input token are unknown, a pool that holds the token lends the input.
 */
export class Simulator {
  private readonly options: Options

  constructor(options: Options) {
    this.options = options
  }

  /**
   * Simulates a swap.
   *
   * @param poolAddresses - addresses of the swap's own pools, which must not lend the input
   * @throws SimulationError if the simulation cannot run; RpcError if the node fails
   */
  async run(request: SimulationRequest, poolAddresses: ReadonlySet<Address> = new Set()): Promise<SwapSimulation> {
    const { getParts, context } = this.options
    await this.rejectNonTokens(request)
    try {
      return await simulateSwap(getParts().rpc, request, context)
    } catch (error) {
      if (!(error instanceof SimulationError) || error.code !== 'UNKNOWN_SLOTS') throw error
      const { rpc, market } = getParts()
      const { pools } = await market.ensure([request.tokenIn], request.signal ? { signal: request.signal } : {})
      const holders: Address[] = []
      for (const { tokens, address } of pools.values())
        if (holders.length < MAX_HOLDERS && tokens.includes(request.tokenIn) && !poolAddresses.has(address))
          holders.push(address)
      if (holders.length === 0) throw error
      return simulateSwap(rpc, { ...request, holders }, context)
    }
  }

  /** Rejects an address that is not a token at the cost of one small call, before the search for its storage slots. */
  private async rejectNonTokens({ tokenIn, tokenOut, knownState, block, signal }: SimulationRequest): Promise<void> {
    // Quotes set `knownState`, and the tokens of their routes are checked. At past blocks, the market does not know
    // whether a token existed.
    if (knownState || typeof block !== 'string') return
    const { market } = this.options.getParts()
    await market.checkTokens([tokenIn, tokenOut], signal && { signal })
    for (const [name, address] of Object.entries({ tokenIn, tokenOut }))
      if (market.tokens.isToken(address) === false)
        throw new SimulationError('BAD_TOKEN', `${name} ${address} does not answer balanceOf`)
  }
}

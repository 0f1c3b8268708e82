import type { Address } from '@sluice/chains'
import type { Market } from '@sluice/liquidity'
import type { Rpc } from '@sluice/rpc'
import {
  type SimulationContext,
  SimulationError,
  type SimulationRequest,
  type SimulationResult,
  simulateSwap,
} from '@sluice/simulation'

/** Pools that are tried as lenders of a token. */
const MAX_HOLDERS = 3

type Options = {
  /** Node and market of the chain now: it may have slept since the last time. */
  readonly now: () => { readonly rpc: Rpc; readonly market: Market }
  readonly context: SimulationContext
}

/** Runs swaps on the chain's node. Tokens whose storage cannot be found are lent by pools that hold them. */
export class Simulator {
  private readonly options: Options

  constructor(options: Options) {
    this.options = options
  }

  /**
   * @param avoid - pools that the swap uses, which may not lend
   * @throws SimulationError, RpcError
   */
  async run(request: SimulationRequest, avoid: ReadonlySet<Address> = new Set()): Promise<SimulationResult> {
    const { now, context } = this.options
    await this.refuseOthers(request)
    try {
      return await simulateSwap(now().rpc, request, context)
    } catch (error) {
      if (!(error instanceof SimulationError) || error.code !== 'UNKNOWN_SLOTS') throw error
      const { rpc, market } = now()
      const { pools } = await market.ensure([request.tokenIn], request.signal ? { signal: request.signal } : {})
      const holders: Address[] = []
      for (const { tokens, address } of pools.values())
        if (holders.length < MAX_HOLDERS && tokens.includes(request.tokenIn) && !avoid.has(address))
          holders.push(address)
      if (holders.length === 0) throw error
      return simulateSwap(rpc, { ...request, holders }, context)
    }
  }

  /** An address without a token costs one small call, rather than those that look for its storage. */
  private async refuseOthers({ tokenIn, tokenOut, known, block, signal }: SimulationRequest): Promise<void> {
    // Routes are of tokens that were looked at; what stood there at an earlier block is not known.
    if (known || typeof block !== 'string') return
    const { market } = this.options.now()
    await market.look([tokenIn, tokenOut], signal && { signal })
    for (const [name, address] of Object.entries({ tokenIn, tokenOut }))
      if (market.tokens.isToken(address) === false)
        throw new SimulationError('BAD_TOKEN', `${name} ${address} does not answer balanceOf`)
  }
}

import { ClientError } from './errors.ts'
import { type HttpOptions, request } from './http.ts'
import type { ChainEntry, Route, SimulateParameters, SimulationResult, SwapParameters } from './types.ts'

/** The five endpoints, typed. Every method throws ClientError. */
export class SluiceClient {
  private readonly options: HttpOptions

  constructor(options: HttpOptions) {
    this.options = options
  }

  /** The best route. Rejects with `NO_ROUTE` where there is none, whichever version of the interface says so. */
  async getSwap(chainId: number, parameters: SwapParameters): Promise<Route> {
    const route = await request<Partial<Route>>(this.options, `/aggregator/${chainId}`, parameters)
    if (!route.tx || !route.toAmount || route.toAmount === '0' || !route.swaps)
      throw new ClientError('NO_ROUTE', 'no route found', { status: 200 })
    if (!isRoute(route)) throw new ClientError('BAD_ANSWER', 'the route is not as the interface has it')
    return route
  }

  /** What a call would do. A revert is a result, not an error. */
  simulate(chainId: number, parameters: SimulateParameters): Promise<SimulationResult> {
    return request(this.options, `/simulate/${chainId}`, {}, parameters)
  }

  /** USD by address, spelled as given; null where the token is not recognised. */
  prices(chainId: number, tokens: readonly string[]): Promise<Record<string, number | null>> {
    return request(this.options, `/prices/${chainId}`, { token: tokens })
  }

  /** Depth in USD by address, spelled as given; null where the token is not recognised. */
  liquidity(chainId: number, tokens: readonly string[]): Promise<Record<string, number | null>> {
    return request(this.options, `/liquidity/${chainId}`, { token: tokens })
  }

  /** Supported chains by chain id. */
  chains(): Promise<Record<string, ChainEntry>> {
    return request(this.options, '/chains', {})
  }
}

/** Whether what proving a route reads is there, with the types of the interface. */
function isRoute(route: Partial<Route>): route is Route {
  const texts = (of: object, ...names: readonly string[]) =>
    names.every((name) => typeof (of as Record<string, unknown>)[name] === 'string')
  const { tx, swaps } = route
  return (
    texts(route, 'toAmount', 'gasEstimate') &&
    Number.isSafeInteger(route.simulationBlock) &&
    texts(Object(tx), 'from', 'to', 'data', 'value') &&
    Array.isArray(swaps) &&
    swaps.every((leg) => texts(Object(leg), 'pool', 'tokenIn', 'tokenOut'))
  )
}

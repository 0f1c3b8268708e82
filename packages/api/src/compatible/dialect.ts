/** Interface of the adapters: each reads the parameters, and writes the responses, of another service's API. */
import type { ApiError } from '../errors.ts'
import type { QuoteResponse, SwapResponse } from '../responses.ts'

/** Query parameters by name. */
export type Query = Readonly<Record<string, unknown>>

/** Values that responses contain in addition to the quote. */
export type ResponseFacts = {
  readonly routerAddress: string
  readonly chainId: number
  readonly requestId: string
  readonly gasPriceWei: bigint
}

/** Adapter for the API of another service. */
export type Dialect = {
  /**
   * Converts parameters to those of `/aggregator` or `/quote`.
   *
   * @throws ApiError whose message has the parameter names of the other API
   */
  readonly toParameters: (query: Query) => Query
  readonly toBody: (route: SwapResponse | QuoteResponse, routeFacts: ResponseFacts, query: Query) => object
  /** Returns the body of a response with status 200 if there is no route. If undefined, a missing route is an error. */
  readonly toNoRouteBody: ((requestId: string) => object) | undefined
  readonly toErrorBody: (error: ApiError, requestId: string) => object
}

/**
 * Returns true unless the flag is absent, empty, `0`, or `false`. The letter case does not matter, because Python
 * clients write `True` and `False`.
 */
export const isSet = (flag: unknown): boolean => flag !== undefined && !/^(false|0)?$/i.test(String(flag))

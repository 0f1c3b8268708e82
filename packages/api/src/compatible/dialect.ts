/** Interface of an adapter that reads the parameters and writes the answers of another service's API. */
import type { ApiError } from '../errors.ts'
import type { QuoteResponse, SwapResponse } from '../responses.ts'

/** Query parameters by name. */
export type Query = Readonly<Record<string, unknown>>

/** Facts that answers need in addition to the quote. */
export type ResponseFacts = {
  readonly routerAddress: string
  readonly chainId: number
  readonly requestId: string
  readonly gasPriceWei: bigint
}

/** Adapter for another service's API. */
export type Dialect = {
  /** Converts parameters to those of `/aggregator` or `/quote`. @throws ApiError with the client's name of the parameter */
  readonly toParameters: (query: Query) => Query
  readonly toBody: (route: SwapResponse | QuoteResponse, routeFacts: ResponseFacts, query: Query) => object
  /** Returns the body with status 200 if no route exists; if undefined, a missing route is an error. */
  readonly toNoRouteBody: ((requestId: string) => object) | undefined
  readonly toErrorBody: (error: ApiError, requestId: string) => object
}

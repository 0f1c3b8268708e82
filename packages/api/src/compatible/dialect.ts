/** Dialect of another service, over the same quotes: its parameters are read and its answers written. */
import type { ApiError } from '../errors.ts'
import type { QuoteResponse, SwapResponse } from '../responses.ts'

export type Query = Readonly<Record<string, unknown>>

export type Facts = {
  readonly routerAddress: string
  readonly chainId: number
  readonly requestId: string
  readonly gasPriceWei: bigint
}

export type Dialect = {
  /** As `/aggregator` and `/quote` take them. @throws ApiError naming the parameter as the caller knows it */
  readonly parameters: (query: Query) => Query
  readonly body: (route: SwapResponse | QuoteResponse, facts: Facts, query: Query) => object
  /** Answered with 200 where there is no route; an error like all others when absent. */
  readonly noRoute: ((requestId: string) => object) | undefined
  readonly error: (error: ApiError, requestId: string) => object
}

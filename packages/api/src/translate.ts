/** Translates errors of other packages to ApiErrors. The compiler checks that the table covers every error code. */
import { MarketError, type MarketErrorCode } from '@sluice/liquidity'
import { QuotingError, type QuotingErrorCode } from '@sluice/quoting'
import { RoutingError, type RoutingErrorCode } from '@sluice/routing'
import { RpcError, type RpcErrorCode } from '@sluice/rpc'
import { SimulationError, type SimulationErrorCode } from '@sluice/simulation'
import { isError } from 'ethers'
import type { Logger } from 'pino'
import type { ApiErrorCode } from './error-table.ts'
import { ApiError } from './errors.ts'

/**
 * The ApiError for an error of another package. `message` replaces a message that may contain secrets, such as a node
 * URL with a key. `cure` replaces the default cure of `code`.
 */
type Translation = readonly [code: ApiErrorCode, message?: string, cure?: string]

/** Beginning of cures that only the operator can carry out. */
const OPERATOR_CURE = 'Retrying does not help before the operator of the service has'

/** Translations by the class and the code of the other package's error. */
const apiErrorByCode = {
  RpcError: {
    UNREACHABLE: [
      'RPC_FAILED',
      'no node of the chain answered',
      'Retry in some seconds. Where that does not help, the operator of the service must look after its node.',
    ],
    TIMEOUT: ['RPC_FAILED', 'the node of the chain did not answer in time'],
    RATE_LIMITED: ['RPC_FAILED', 'the node of the chain is rate limiting requests'],
    CREDIT: ['RPC_FAILED', "the plan of the chain's node is used up, or its key is refused"],
    BAD_ANSWER: ['RPC_FAILED', 'the node of the chain answered with what cannot be read'],
    LAGGING: ['RPC_FAILED', 'the node of the chain lacks the block'],
    PRUNED: ['RPC_FAILED', 'no node of the chain keeps the state of the block'],
    BLOCK_GONE: ['RPC_FAILED', 'the block was replaced by another one'],
    REJECTED: ['RPC_FAILED', 'the node of the chain refused the call'],
    REVERTED: ['RPC_FAILED', 'a read of the chain reverted'],
    WRONG_CHAIN: ['RPC_FAILED', 'the node answers for another chain', `${OPERATOR_CURE} named a node of this chain.`],
    NO_OVERRIDES: [
      'RPC_FAILED',
      'no node of the chain can simulate',
      `${OPERATOR_CURE} named a node that overrides state in eth_call.`,
    ],
    GAS_CAP: [
      'RPC_FAILED',
      'no node of the chain gives the call the gas it needs',
      `Ask for less \`gas\`, or trade less. ${OPERATOR_CURE} named a node that gives calls more.`,
    ],
    UNSUPPORTED: [
      'RPC_FAILED',
      'no node of the chain supports a method that is needed',
      `${OPERATOR_CURE} named a node that supports it.`,
    ],
    SIZE: ['RPC_FAILED', 'the request is too large for every node of the chain'],
    RANGE: ['RPC_FAILED', 'every node of the chain refuses the range of blocks'],
    ABORTED: ['TIMEOUT', 'the request took too long'],
  } satisfies Record<RpcErrorCode, readonly [ApiErrorCode, string, string?]>,
  SimulationError: {
    UNKNOWN_SLOTS: ['UNKNOWN_SLOTS'],
    BAD_TOKEN: ['BAD_TOKEN'],
    BAD_SLOT: ['BAD_SLOT'],
    BAD_REQUEST: ['INVALID_PARAMETER'],
    OVERLOADED: ['OVERLOADED'],
  } satisfies Record<SimulationErrorCode, Translation>,
  MarketError: {
    NOT_READY: ['NOT_READY'],
    STOPPED: ['NOT_READY'],
    REORGED: ['NOT_READY'],
    BUSY: ['OVERLOADED'],
    BAD_SNAPSHOT: ['NOT_READY'],
    BAD_POOL_LIST: ['NOT_READY'],
    BEHIND: ['BEHIND'],
  } satisfies Record<MarketErrorCode, Translation>,
  RoutingError: {
    ROUTE_INVARIANT: ['INTERNAL', 'the route found breaks the request; please report it with the request id'],
    WORK_SPENT: ['ROUTE_TIMEOUT'],
    SEARCH_OVERRAN: ['ROUTE_TIMEOUT'],
    THREAD_ENDED: ['INTERNAL', 'the search for a route broke off; please report it with the request id'],
  } satisfies Record<RoutingErrorCode, Translation>,
  QuotingError: {
    NO_EXECUTOR: ['UNSUPPORTED_CHAIN'],
    NATIVE_UNSUPPORTED: ['NATIVE_UNSUPPORTED'],
    GUARD_NOT_DEPLOYED: ['GUARD_NOT_DEPLOYED'],
    BLOCK_AHEAD: ['INVALID_PARAMETER'],
    NO_STATE: ['NO_STATE'],
    BEHIND: ['BEHIND'],
    DEADLINE_PASSED: ['INVALID_PARAMETER'],
    DEADLINE_FAR: ['INVALID_PARAMETER'],
    BAD_PERMIT: ['BAD_PERMIT'],
    BAD_TOKEN: ['BAD_TOKEN'],
    UNKNOWN_TOKEN: ['UNKNOWN_TOKEN'],
    NO_ROUTE: ['NO_ROUTE'],
    AMOUNT_TOO_SMALL: ['AMOUNT_TOO_SMALL'],
    INSUFFICIENT_LIQUIDITY: ['INSUFFICIENT_LIQUIDITY'],
    ROUTE_REVERTED: ['ROUTE_REVERTED'],
    PRICE_IMPACT: ['PRICE_IMPACT'],
    VALUE_LOSS: ['VALUE_LOSS'],
  } satisfies Record<QuotingErrorCode, Translation>,
} as const

/** API error codes by body-parser's error `type`. */
const bodyErrors: Readonly<Record<string, ApiErrorCode>> = {
  'entity.too.large': 'BODY_TOO_LARGE',
  'request.aborted': 'CLIENT_CLOSED',
}

/**
 * Translates any thrown value to an ApiError.
 *
 * @param abortReason - reason of the request's abort, which takes precedence over errors that follow from it
 */
export function toApiError(thrown: unknown, abortReason?: ApiError): ApiError {
  if (abortReason) return abortReason
  if (thrown instanceof ApiError) return thrown
  if (
    thrown instanceof RpcError ||
    thrown instanceof SimulationError ||
    thrown instanceof MarketError ||
    thrown instanceof RoutingError ||
    thrown instanceof QuotingError
  ) {
    const [code, text = thrown.message, cure] = (apiErrorByCode[thrown.name] as Readonly<Record<string, Translation>>)[
      thrown.code
    ]!
    if (thrown instanceof RpcError && thrown.code === 'RATE_LIMITED' && thrown.retryAfterMs !== undefined)
      return new ApiError('NODE_PAUSED', "the chain's node refuses requests for a while", {
        cause: thrown,
        retryAfter: Math.max(1, Math.ceil(thrown.retryAfterMs / 1_000)),
      })
    const details = 'details' in thrown && { details: thrown.details }
    return new ApiError(code, text, { cause: thrown, ...details, ...(cure && { cure }) })
  }
  // ethers could not decode the response of a contract or node.
  if (isError(thrown, 'BAD_DATA') || isError(thrown, 'BUFFER_OVERRUN'))
    return new ApiError('RPC_FAILED', 'the node of the chain answered with what cannot be read', { cause: thrown })
  if (isHttpError(thrown)) {
    const code = bodyErrors[thrown.type ?? '']
    if (code) return new ApiError(code, code === 'BODY_TOO_LARGE' ? 'the body is too large' : 'the caller hung up')
    return thrown instanceof URIError
      ? new ApiError('INVALID_PARAMETER', 'the path is not valid percent-encoded text', { cause: thrown })
      : new ApiError('INVALID_BODY', 'the body must be a JSON object', { cause: thrown })
  }
  return new ApiError('INTERNAL', 'unexpected error; please report it with the request id', { cause: thrown })
}

/**
 * Like `toApiError`, but logs the thrown value if it is a bug in the service, because the client gets only a general
 * message.
 */
export function toLoggedApiError(thrown: unknown, log: Pick<Logger, 'error'>, abortReason?: ApiError): ApiError {
  const error = toApiError(thrown, abortReason)
  if (error.code === 'INTERNAL') log.error({ err: thrown }, 'unexpected error')
  return error
}

/** Returns true for client errors of Express, such as an invalid path encoding or an unreadable body. */
function isHttpError(thrown: unknown): thrown is Error & { readonly status: number; readonly type?: string } {
  return thrown instanceof Error && 'status' in thrown && typeof thrown.status === 'number' && thrown.status < 500
}

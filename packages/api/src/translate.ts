/** What failures of other packages mean to a caller. The compiler keeps each table complete. */
import { MarketError, type MarketErrorCode } from '@sluice/liquidity'
import { RpcError, type RpcErrorCode } from '@sluice/rpc'
import { SimulationError, type SimulationErrorCode } from '@sluice/simulation'
import { isError } from 'ethers'
import type { ApiErrorCode } from './error-table.ts'
import { ApiError } from './errors.ts'

/** Endpoints of nodes may carry keys, so callers get these words and the log has the rest. */
const rpcErrors = {
  UNREACHABLE: ['RPC_FAILED', 'no node of the chain answered'],
  TIMEOUT: ['RPC_FAILED', 'the node of the chain did not answer in time'],
  REJECTED: ['RPC_FAILED', 'the node of the chain refused the call'],
  REVERTED: ['RPC_FAILED', 'a read of the chain reverted'],
  WRONG_CHAIN: ['RPC_FAILED', 'the node answers for another chain'],
  NO_OVERRIDES: ['RPC_FAILED', 'no node of the chain can simulate'],
  GAS_CAP: ['RPC_FAILED', 'no node of the chain gives the call the gas it needs'],
  ABORTED: ['TIMEOUT', 'the request took too long'],
} as const satisfies Record<RpcErrorCode, readonly [ApiErrorCode, string]>

const simulationCodes = {
  UNKNOWN_SLOTS: 'UNKNOWN_SLOTS',
  BAD_TOKEN: 'BAD_TOKEN',
  BAD_SLOT: 'BAD_SLOT',
  BAD_REQUEST: 'INVALID_PARAMETER',
  OVERLOADED: 'OVERLOADED',
} as const satisfies Record<SimulationErrorCode, ApiErrorCode>

const marketCodes = {
  NOT_READY: 'NOT_READY',
  STOPPED: 'NOT_READY',
  BAD_SNAPSHOT: 'NOT_READY',
  BEHIND: 'BEHIND',
} as const satisfies Record<MarketErrorCode, ApiErrorCode>

/** body-parser's `type` of a body that cannot be read. */
const bodyErrors: Readonly<Record<string, ApiErrorCode>> = {
  'entity.too.large': 'BODY_TOO_LARGE',
  'request.aborted': 'CLIENT_CLOSED',
}

/** @param abortReason - of the request: once its work is given up, every failure is that */
export function toApiError(thrown: unknown, abortReason?: ApiError): ApiError {
  if (abortReason) return abortReason
  if (thrown instanceof ApiError) return thrown
  if (thrown instanceof RpcError) {
    const [code, text] = rpcErrors[thrown.code]
    return new ApiError(code, text, { cause: thrown })
  }
  if (thrown instanceof SimulationError)
    return new ApiError(simulationCodes[thrown.code], thrown.message, { cause: thrown })
  if (thrown instanceof MarketError) return new ApiError(marketCodes[thrown.code], thrown.message, { cause: thrown })
  // The answer of a contract or a node that does not decode.
  if (isError(thrown, 'BAD_DATA') || isError(thrown, 'BUFFER_OVERRUN'))
    return new ApiError('RPC_FAILED', 'the node of the chain answered with what cannot be read', { cause: thrown })
  if (isHttpError(thrown)) {
    const code = bodyErrors[thrown.type ?? '']
    if (code) return new ApiError(code, code === 'BODY_TOO_LARGE' ? 'the body is too large' : 'the caller hung up')
    return thrown.type
      ? new ApiError('INVALID_BODY', 'the body must be a JSON object', { cause: thrown })
      : new ApiError('INVALID_PARAMETER', 'the path is not valid percent-encoded text', { cause: thrown })
  }
  return new ApiError('INTERNAL', 'unexpected error; please report it with the request id', { cause: thrown })
}

/** Errors of Express itself: a path that cannot be decoded, a body that cannot be read. */
function isHttpError(thrown: unknown): thrown is Error & { readonly status: number; readonly type?: string } {
  return thrown instanceof Error && 'status' in thrown && typeof thrown.status === 'number' && thrown.status < 500
}

/** Parses the HTTP body of a response into one answer per call, or a failure of the endpoint. */
import { RpcError } from './errors.ts'
import { parseJson } from './json.ts'
import { type NodeError, toRpcError } from './node-error.ts'

/** A JSON-RPC response. Some proxies send a plain string as the error. */
export type Answer = { readonly id?: unknown; readonly result?: unknown; readonly error?: NodeError | string | null }
export type ParsedBody = {
  /** Answers by the id of the call; if an id repeats, its first answer. */
  readonly answerById: ReadonlyMap<string, Answer>
  /**
   * Error that concerns all calls of the body: the error of the only answer. Undefined if this answer belongs to the
   * only call.
   */
  readonly batchError: NodeError | undefined
}

/**
 * Parses an HTTP body.
 *
 * @param ids - ids of the calls that were sent
 * @throws RpcError if the body is not JSON: `UNREACHABLE` if the status is 5xx, otherwise `BAD_ANSWER`
 */
export async function parseAnswers(text: string, status: number, ids: readonly number[]): Promise<ParsedBody> {
  let json: unknown
  try {
    json = await parseJson(text)
  } catch (cause) {
    throw new RpcError(
      status >= 500 ? 'UNREACHABLE' : 'BAD_ANSWER',
      `the node answered HTTP ${status} with something that is not JSON`,
      '0x',
      { cause },
    )
  }
  const answers = (Array.isArray(json) ? json : [json])
    .filter((answer): answer is Answer => typeof answer === 'object' && answer !== null)
    .map(wrapBareError)
  const answerById = new Map<string, Answer>()
  for (const answer of answers) {
    // Some proxies convert numeric ids to strings.
    const id = String(answer.id)
    if (answer.id != null && !answerById.has(id)) answerById.set(id, answer)
  }
  const onlyAnswer = answers.length === 1 ? answers[0] : undefined
  // Geth reports a batch that is too large as the error of its first call. Gateways may send an id of their own.
  const isOfOnlyCall = ids.length === 1 && answerById.has(String(ids[0]))
  const batchError = onlyAnswer?.error && !isOfOnlyCall ? errorOf(onlyAnswer.error) : undefined
  return { answerById, batchError }
}

/** Wraps an error that is sent without the envelope of JSON-RPC, as Infura sends rate limits. */
function wrapBareError(answer: Answer): Answer {
  const isBareError =
    answer.error == null && answer.result === undefined && typeof (answer as NodeError).message === 'string'
  return isBareError ? { id: answer.id, error: answer as NodeError } : answer
}

/** Methods that never return null. For other methods null is a valid result, for example if a block is unknown. */
const NON_NULL_METHODS = /^eth_(call|getLogs|getCode|gasPrice|chainId|blockNumber|getBalance|getStorageAt|estimateGas)$/

/** Returns true for a request of the logs of one block. Nodes of smartBCH answer null if there are none. */
function isLogsOfBlock(method: string, params: readonly unknown[]): boolean {
  return method === 'eth_getLogs' && Object.hasOwn(Object(params[0]), 'blockHash')
}

function errorOf(error: NodeError | string): NodeError {
  return typeof error === 'string' ? { message: error } : error
}

/** Returns the JSON-RPC error, or the error implied by the HTTP status if that says more. */
export function moreSpecificError(error: RpcError, httpError: RpcError | undefined): RpcError {
  if (!httpError) return error
  // The HTTP error carries the delay of the `Retry-After` header.
  const lacksDelay = error.code === httpError.code && error.retryAfterMs === undefined
  return error.code === 'REJECTED' || lacksDelay ? httpError : error
}

/**
 * Returns the result of an answer.
 *
 * @param httpError - error implied by the HTTP status, used if the JSON-RPC error is less specific
 * @throws RpcError
 */
export function resultOf(method: string, params: readonly unknown[], answer: Answer, httpError?: RpcError): unknown {
  if (answer.error) throw moreSpecificError(toRpcError(method, errorOf(answer.error)), httpError)
  if (answer.result === undefined)
    throw httpError ?? new RpcError('BAD_ANSWER', `${method}: an answer without a result`)
  const isLatest = method === 'eth_getBlockByNumber' && params[0] === 'latest'
  if (answer.result === null && (isLatest || (NON_NULL_METHODS.test(method) && !isLogsOfBlock(method, params))))
    throw new RpcError('BAD_ANSWER', `${method}: the answer is null`)
  return answer.result
}

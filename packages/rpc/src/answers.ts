/** From an HTTP body to one answer for each call of it, or a failure of the endpoint. */
import { RpcError } from './errors.ts'
import { parseJson } from './json.ts'
import { type NodeError, nodeError } from './node-error.ts'

/** Proxies send a bare text in place of the error. */
export type Answer = { readonly id?: unknown; readonly result?: unknown; readonly error?: NodeError | string | null }
export type Parsed = {
  /** By id; of two with the same id the first. */
  readonly byId: ReadonlyMap<string, Answer>
  /** An error that speaks of the whole body. */
  readonly whole: NodeError | undefined
}

/** @throws RpcError `BAD_ANSWER` for what is not JSON, `UNREACHABLE` where the status says that nothing answered */
export async function parseAnswers(text: string, status: number): Promise<Parsed> {
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
  const answers = (Array.isArray(json) ? json : [json]).filter(
    (answer): answer is Answer => typeof answer === 'object' && answer !== null,
  )
  const byId = new Map<string, Answer>()
  for (const answer of answers) {
    // Some proxies turn numbers into text.
    const id = String(answer.id)
    if (answer.id != null && !byId.has(id)) byId.set(id, answer)
  }
  const first = answers[0]
  const whole = answers.length === 1 && first?.error && first.id == null ? errorOf(first.error) : undefined
  return { byId, whole }
}

/** A block that is not known is null; so is much of what is not asked for here. Of these methods null says nothing. */
const neverNull = /^eth_(call|getLogs|getCode|gasPrice|chainId|blockNumber|getBalance|getStorageAt|estimateGas)$/

function errorOf(error: NodeError | string): NodeError {
  return typeof error === 'string' ? { message: error } : error
}

/**
 * @param failure - by the HTTP status, where the error itself says nothing
 * @throws RpcError
 */
export function resultOf(method: string, params: readonly unknown[], answer: Answer, failure?: RpcError): unknown {
  if (answer.error) {
    const error = nodeError(method, errorOf(answer.error))
    if (!failure) throw error
    // The pause stands in a header.
    const isPaused = error.code === failure.code && error.retryAfterMs === undefined
    throw error.code === 'REJECTED' || isPaused ? failure : error
  }
  if (answer.result === undefined) throw failure ?? new RpcError('BAD_ANSWER', `${method}: an answer without a result`)
  const isLatest = method === 'eth_getBlockByNumber' && params[0] === 'latest'
  if (answer.result === null && (isLatest || neverNull.test(method)))
    throw new RpcError('BAD_ANSWER', `${method}: the answer is null`)
  return answer.result
}

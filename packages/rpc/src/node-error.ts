/**
 * Classifies JSON-RPC errors of nodes and providers. Codes and texts are not standardized: code -32005 alone can mean a
 * rate limit, a too large block range, a gas limit, a too large batch, or a used-up plan. So the method and the text
 * decide; the code decides only if no text matches. `test/provider-messages.test.ts` checks the rules against messages
 * of providers.
 */
import type { Hex } from '@sluice/chains'
import { RpcError, type RpcErrorCode } from './errors.ts'
import { suggestedBlockCount } from './log-range.ts'

/** The `error` member of a JSON-RPC response. */
export type NodeError = { readonly code?: number; readonly message?: string; readonly data?: unknown }

type Rule = {
  readonly errorCode: RpcErrorCode
  /** Methods that the rule applies to; all if absent. */
  readonly method?: RegExp
  /** Pattern of the message and of the texts in the error's data. */
  readonly text: RegExp
}

const LOG_METHODS = /^eth_getLogs$/
const CALL_METHODS = /^eth_(call|estimateGas|createAccessList)$/

/** Rules in order of precedence: the first matching rule applies, so short and ambiguous patterns come last. */
const rules: readonly Rule[] = [
  {
    errorCode: 'REVERTED',
    text: /^(execution reverted|VM exception|VM execution error|EVM error)(?!.*(trie node|GasLimit))/i,
  },
  {
    errorCode: 'CREDIT',
    text: /daily request|(daily|monthly) .{0,20}(limit|quota|capacity)|quota|out of credits|insufficient credits|payment required|billing|maximum API usage|authenticat|unauthorized|(invalid|inactive|missing) (api.?)?key\b|(key|app) is (inactive|not allowed)|key (is )?(disabled|suspended|expired)|balance exceeded|(trial|plan|subscription) (has )?expired|access key/i,
  },
  {
    errorCode: 'RATE_LIMITED',
    text: /rate.?limit|rate exceeded|too many requests|request limit|per.?second|\/sec\b|concurrent requests|throttl|RPS limit|too much load|currently healthy/i,
  },
  {
    errorCode: 'UNSUPPORTED',
    text: /\bmethod\b.{0,60}\b(not (found|exist|available|supported|allowed|enabled|whitelisted)|disabled)|too many arguments|parameters? count|arguments and got/i,
  },
  {
    errorCode: 'LAGGING',
    method: LOG_METHODS,
    text: /beyond (the )?(current )?head|last accepted block|invalid block range|header range/i,
  },
  {
    errorCode: 'RANGE',
    method: LOG_METHODS,
    text: /\branges? |\brange\b|blocks? distance|too many (blocks|logs|results)|requested blocks|more than \S+ (results|logs)|logs (returned|over)|exceeds? (max results|limit)|limited to|response.{0,20}(size|too (large|big))|smaller than size|(at most|over|maximum) \S+ blocks|^limit exceeded|query (timeout|returns)|execution (timeout|aborted)|time(d )? ?out|deadline exceeded/i,
  },
  {
    errorCode: 'GAS_CAP',
    method: CALL_METHODS,
    text: /gas limit (is )?too high|intrinsic gas too high|gas limit.{0,12}exceed|exceeds .{0,24}gas|gas (limit )?cap\b|GasLimitMoreThe?a?nBlock/i,
  },
  {
    errorCode: 'SIZE',
    text: /\b(entity|body|payload|content|request|response|message|result|batch)\b.{0,20}too (large|big|long)|max(imum)? (batch|request|body|response) size|addresses or topics|number of address|filters\. the current limit|execution (timeout|aborted)|timed out/i,
  },
  {
    errorCode: 'PRUNED',
    text: /prun|missing trie node|\barchiv|\bstate\b.{0,80}(not available|unavailable|discarded|not found)|no state (available|found|data)|historical (state|rpc|backend)|lowest height|height is not available|purged for|earliest available|old data|failed to (load|compute).{0,20}(state|tipset)|unexpected state root|not exist on height|proof window|unsupported block number|body not found/i,
  },
  {
    errorCode: 'LAGGING',
    text: /header.{0,24}not found|unknown (block|header)|resource not found|block.{0,60}(not|cannot|could not) (be )?(found|available)|(find|found) (the |a )?block|no (such )?block( found)?\b|not currently canonical|unfinalized|beyond (the )?(current )?head|block.{0,30}out of range|BlockOutOfRange|block height is|last accepted block|less than or equal to the current|greater than latest|HeaderNotFound|sync is still|bad tipset height|(block|header)\b.{0,30}\b(does not|doesn't) exist|(does not have|above the).{0,20} block\b|height in (the )?future|future epoch|invalid block height|not yet available|results for height|current block number|upstreams? not synced/i,
  },
  {
    errorCode: 'UNREACHABLE',
    text: /temporary internal error|(service|server) (is )?(temporarily )?unavailable|bad gateway|prevented the request|unable to complete request|no (response or no )?available upstream|suitable provider|no matched providers/i,
  },
  {
    errorCode: 'REVERTED',
    text: /revert|out of gas|OutOfGas|\boog\b|Invalid(FE)?Opcode|NotActivated|invalid (opcode|jump)|Stack(Under|Over)flow|CallTooDeep|always failing transaction|execution halted/i,
  },
  { errorCode: 'UNSUPPORTED', text: /not supported|unsupported|current plan/i },
  { errorCode: 'TIMEOUT', text: /time(d )? ?out/i },
  {
    errorCode: 'RATE_LIMITED',
    text: /limit.?exceeded|exceeded.{0,40}(capacity|limit|requests)|capacity exceeded|request count|(is |too )busy|overloaded|try again/i,
  },
]

/** Meaning of the numeric codes of JSON-RPC errors, used if no rule matches the text. */
const codeByNumber: ReadonlyMap<number, RpcErrorCode> = new Map([
  [-32614, 'RANGE'],
  ...[429, -32005, -32007, -32012, -32016, -32017, -32029].map((code) => [code, 'RATE_LIMITED'] as const),
  [4444, 'PRUNED'],
  ...[-32001, -32008, -39001].map((code) => [code, 'LAGGING'] as const),
  [-32601, 'UNSUPPORTED'],
])

/**
 * Matches an error that states no cause, so that a retry may succeed. An error with a cause, such as a crashed handler,
 * would occur again.
 */
const INTERNAL_ERROR = /^\s*internal (json-?rpc |server )?error\.?\s*$/i

/** Codes of nodes that lack a block or its state. */
const missingBlockCodes: ReadonlySet<RpcErrorCode> = new Set(['LAGGING', 'PRUNED'])

const messageByCode: Partial<Record<RpcErrorCode, string>> = {
  CREDIT: "the provider's plan or key allows no more",
  RATE_LIMITED: 'the node is asked too often',
  UNSUPPORTED: 'the node cannot do that',
  RANGE: 'the node refuses the range of blocks',
  GAS_CAP: 'the node allows less gas',
  SIZE: 'the request is too large for the node',
  PRUNED: "the node does not keep the block's state",
  LAGGING: 'the node lacks the block',
  TIMEOUT: 'the node did not answer in time',
  UNREACHABLE: 'the provider cannot reach its node',
}

/**
 * Converts a JSON-RPC error.
 *
 * @returns an error with the code of the matching rule; `REJECTED` if none matches
 */
export function toRpcError(method: string, { code, message = 'no message', data }: NodeError): RpcError {
  const text = String(message)
  const revertData = revertDataOf(data)
  // Providers also put texts into `data`. Hex in `data` is revert data.
  if (revertData !== undefined) return new RpcError('REVERTED', text, revertData)
  const allText = [text, ...textsOf(data)].join(' ')
  const rule = rules.find((rule) => (rule.method?.test(method) ?? true) && rule.text.test(allText))
  // Code 3 means a revert. Alchemy also uses it for blocks that its node lacks.
  if (code === 3 && !(rule && missingBlockCodes.has(rule.errorCode))) return new RpcError('REVERTED', text)
  const errorCode = rule?.errorCode ?? codeByNumber.get(code ?? 0) ?? 'REJECTED'
  if (errorCode === 'REVERTED') return new RpcError('REVERTED', text)
  const blocks = errorCode === 'RANGE' ? suggestedBlockCount(allText, data) : undefined
  const retryAfterMs = errorCode === 'RATE_LIMITED' ? parseRetryDelayMs(allText, data) : undefined
  return new RpcError(errorCode, `${messageByCode[errorCode] ?? method}: ${text}`, '0x', {
    ...(blocks !== undefined && { grantedBlocks: blocks }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(errorCode === 'REJECTED' && { isInternal: INTERNAL_ERROR.test(allText) }),
  })
}

/** Extracts revert data from `data`, `data.data`, or text after "Reverted ", depending on the client. */
function revertDataOf(data: unknown): Hex | undefined {
  if (typeof data === 'string') return data.match(/^(?:Reverted )?(0x[0-9a-fA-F]*)$/)?.[1] as Hex | undefined
  if (typeof data === 'object' && data !== null && 'data' in data) return revertDataOf(data.data)
  return undefined
}

/** Maximum characters of each text in the error's data that are matched. */
const MAX_TEXT_CHARS = 500

function textsOf(data: unknown): readonly string[] {
  const texts = typeof data === 'object' && data !== null ? Object.values(data) : [data]
  return texts.flatMap((text) =>
    typeof text === 'string' && !text.startsWith('0x') ? text.slice(0, MAX_TEXT_CHARS) : [],
  )
}

/** Maximum accepted pause of a provider (`Retry-After`): a larger value may be a mistake. */
export const MAX_RETRY_AFTER_MS = 60_000

/**
 * Parses the delay before a retry, in milliseconds: Infura's `backoff_seconds`, Chainstack's `try_again_in`, or a text
 * such as "try again in 4ms".
 */
function parseRetryDelayMs(text: string, data: unknown): number | undefined {
  const { rate, try_again_in: delayText } = (typeof data === 'object' && data !== null ? data : {}) as {
    readonly rate?: { readonly backoff_seconds?: number }
    readonly try_again_in?: string
  }
  const seconds = Number(rate?.backoff_seconds ?? 0)
  const delayMatch = typeof delayText === 'string' ? delayText.match(/^\s*([\d.]+)\s*(ms|s)\b/i) : null
  const [, count, unit] = delayMatch ?? text.match(/try again in\s+([\d.]+)\s*(ms|s)\b/i) ?? []
  const ms = seconds > 0 ? 1_000 * seconds : Number(count ?? 0) * (unit?.toLowerCase() === 's' ? 1_000 : 1)
  return ms > 0 ? Math.min(MAX_RETRY_AFTER_MS, ms) : undefined
}

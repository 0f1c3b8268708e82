/** Errors of deployments. */
import { CodedError } from '@sluice/chains'
import { BaseError } from 'viem'

export type DeployErrorCode =
  | 'UNREACHABLE'
  | 'WRONG_CHAIN'
  | 'UNSUPPORTED_CHAIN'
  | 'BAD_KEY'
  | 'NO_ACCOUNT'
  | 'FUNDS_SHORT'
  | 'KEYLESS_DEPLOYER'
  | 'CODE_MISMATCH'
  | 'BAD_FILE'
  | 'TRANSACTION_FAILED'
  | 'TRANSACTION_PENDING'
  | 'NODE_FAILED'

export class DeployError extends CodedError<DeployErrorCode> {
  override readonly name = 'DeployError'
}

/** Returns the node's own message of an error, without the request arguments that viem adds. */
export function nodeMessage(error: unknown): string {
  if (error instanceof BaseError) return error.details || error.shortMessage
  return error instanceof Error ? error.message : String(error)
}

/**
 * Converts a failure of the node or of a deployment to a DeployError. viem throws a TypeError, SyntaxError, or
 * RangeError for an answer of the wrong type. Returns other errors unchanged. Removes the credentials, the path, and
 * the query of the endpoint from the message, because they may contain an API key and users share messages.
 */
export function toDeployError(error: unknown, rpcUrl: string): unknown {
  if (error instanceof TypeError || error instanceof SyntaxError || error instanceof RangeError)
    return new DeployError('NODE_FAILED', `an answer of the node cannot be read: ${error.message}`, { cause: error })
  if (!(error instanceof DeployError || error instanceof BaseError)) return error
  const code = error instanceof DeployError ? error.code : 'NODE_FAILED'
  return new DeployError(code, withoutKey(nodeMessage(error), rpcUrl), { cause: error })
}

function withoutKey(text: string, rpcUrl: string): string {
  if (!URL.canParse(rpcUrl)) return text
  const { origin, pathname, search, username, password } = new URL(rpcUrl)
  const secret = `${pathname}${search}`
  if (secret.length <= 1 && username === '' && password === '') return text
  const withoutUrl = text.replaceAll(rpcUrl, `${origin}/…`)
  return secret.length > 1 ? withoutUrl.replaceAll(secret, '/…') : withoutUrl
}

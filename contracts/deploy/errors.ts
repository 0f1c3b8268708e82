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

export class DeployError extends Error {
  override readonly name = 'DeployError'
  readonly code: DeployErrorCode

  constructor(code: DeployErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

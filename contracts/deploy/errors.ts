import { CodedError } from '@sluice/chains'

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

export class DeployError extends CodedError<DeployErrorCode> {
  override readonly name = 'DeployError'
}

import { CodedError } from '@sluice/chains'

/**
 * BUILD: a transaction of the recipe failed. COMPILE: solc refused a token. NODE: the node did not start, or refused a
 * request. REPLAY: a recorded block came out other than on chain.
 */
export type DevnetErrorCode = 'BUILD' | 'COMPILE' | 'NODE' | 'REPLAY'

export class DevnetError extends CodedError<DevnetErrorCode> {
  override readonly name = 'DevnetError'
}

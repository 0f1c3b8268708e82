/** Errors of this package. */
import { CodedError } from '@sluice/chains'

/**
 * BUILD: the local chain could not be built, for example because a transaction reverted. COMPILE: solc rejected a
 * source. NODE: the node did not start, or rejected a request. REPLAY: a replayed block differs from the recorded one.
 */
export type DevnetErrorCode = 'BUILD' | 'COMPILE' | 'NODE' | 'REPLAY'

/** An error of the local chain, with a code. */
export class DevnetError extends CodedError<DevnetErrorCode> {
  override readonly name = 'DevnetError'
}

/** Validates the results of calls. */
import type { Hex } from '@sluice/chains'
import { decodeLog, type RawLog } from './encode.ts'
import { RpcError } from './errors.ts'
import { inSlices, type Steps } from './slices.ts'
import type { Log } from './types.ts'

/**
 * Runs a parser and converts its exceptions, except for an `RpcError`.
 *
 * @throws RpcError `BAD_ANSWER` if the answer cannot be parsed
 */
export function orBadAnswer<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    if (cause instanceof RpcError) throw cause
    throw new RpcError('BAD_ANSWER', 'the node answered with something that cannot be read', '0x', { cause })
  }
}

/** Checks that a result is hex. @throws RpcError `BAD_ANSWER` if it is not */
export function hexAnswer(answer: unknown): Hex {
  if (typeof answer === 'string' && /^0x[0-9a-fA-F]*$/.test(answer)) return answer as Hex
  throw new RpcError('BAD_ANSWER', 'the node answered with something that is not hex')
}

/**
 * Decodes logs in time slices, since there may be thousands.
 *
 * @throws RpcError `BAD_ANSWER` if the result is malformed
 */
export function readLogs(raw: unknown): Promise<readonly Log[]> {
  return inSlices('logs', decodeLogs(raw))
}

function* decodeLogs(raw: unknown): Steps<readonly Log[]> {
  const logs: Log[] = []
  const rawLogs = orBadAnswer(() => [...(raw as RawLog[])])
  for (const log of rawLogs) {
    logs.push(orBadAnswer(() => decodeLog(log)))
    yield
  }
  return logs
}

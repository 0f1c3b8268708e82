/**
 * Kinds of notifications that a driver (the CoW Protocol service that runs solvers) sends about solutions.
 *
 * @see crates/solvers-dto/src/notification.rs of cowprotocol/services
 */

const KINDS = [
  ...['timeout', 'emptySolution', 'duplicatedSolutionId', 'simulationFailed', 'invalidClearingPrices', 'missingPrice'],
  ...['invalidExecutedAmount', 'nonBufferableTokensUsed', 'solverAccountInsufficientBalance', 'success', 'revert'],
  ...['settlementStarted', 'driverError', 'cancelled', 'expired', 'fail', 'postprocessingTimedOut', 'banned'],
  'deserializationError',
] as const

/** Notification kind; `other` for kinds added by later drivers. */
export type NotificationKind = (typeof KINDS)[number] | 'other'

/** Returns the kind of a notification body. */
export function notificationKind(body: unknown): NotificationKind {
  const kind = typeof body === 'object' && body !== null && 'kind' in body ? body.kind : undefined
  return KINDS.find((candidate) => candidate === kind) ?? 'other'
}

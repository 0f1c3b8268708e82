/** Notifications of a driver about solutions. @see crates/solvers-dto/src/notification.rs of cowprotocol/services */

const KINDS = [
  ...['timeout', 'emptySolution', 'duplicatedSolutionId', 'simulationFailed', 'invalidClearingPrices', 'missingPrice'],
  ...['invalidExecutedAmount', 'nonBufferableTokensUsed', 'solverAccountInsufficientBalance', 'success', 'revert'],
  ...['settlementStarted', 'driverError', 'cancelled', 'expired', 'fail', 'postprocessingTimedOut', 'banned'],
  'deserializationError',
] as const

/** `other`: a kind that a later driver may add. */
export type NotificationKind = (typeof KINDS)[number] | 'other'

export function notificationKind(body: unknown): NotificationKind {
  const kind = typeof body === 'object' && body !== null && 'kind' in body ? body.kind : undefined
  return KINDS.find((known) => known === kind) ?? 'other'
}

/** The SDK client for the service that serves the page. */
import { ClientError, SluiceClient } from '@sluice/client'

export const sluice = new SluiceClient({ baseUrl: location.origin, timeoutMs: 12_000 })

/** Retry rule for queries: returns true for a retryable error, at most twice. */
export function shouldRetry(failures: number, error: unknown): boolean {
  return error instanceof ClientError && error.retryable && failures < 2
}

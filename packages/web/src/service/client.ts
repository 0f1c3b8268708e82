/** The SDK client for the service that serves the page. */
import { ClientError, SluiceClient } from '@sluice/client'

export const sluice = new SluiceClient({ baseUrl: location.origin, timeoutMs: 12_000 })

/** Retry rule of queries: allows two retries of a retryable error. */
export function retry(failures: number, error: unknown): boolean {
  return error instanceof ClientError && error.retryable && failures < 2
}

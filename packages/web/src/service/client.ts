/** The SDK client of this page's own service. Nearly all calls of the page use it. */
import { ClientError, SluiceClient } from '@sluice/client'

export const sluice = new SluiceClient({ baseUrl: location.origin, timeoutMs: 12_000 })

/** Allows two retries of a retryable error. */
export function retry(failures: number, error: unknown): boolean {
  return error instanceof ClientError && error.retryable && failures < 2
}

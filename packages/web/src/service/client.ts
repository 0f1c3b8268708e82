/** The service that this page comes from, by its SDK: every call of the page goes through here. */
import { ClientError, SluiceClient } from '@sluice/client'

export const sluice = new SluiceClient({ baseUrl: location.origin, timeoutMs: 12_000 })

/** Waits and tries again what may succeed later, a bounded number of times. */
export function retry(failures: number, error: unknown): boolean {
  return error instanceof ClientError && error.retryable && failures < 2
}

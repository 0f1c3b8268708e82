/** A quote that follows the chain: the service tells when a block changes the answer, and when one does not. */
import { ClientError } from '@sluice/client'
import { useEffect, useRef, useState } from 'react'

export type StreamEvent<Body> =
  | { readonly kind: 'quote'; readonly body: Body }
  /** Looked at again at this block: what was told last stands. */
  | { readonly kind: 'block'; readonly block: number }
  | { readonly kind: 'refused'; readonly error: ClientError }

/** Opening or open; shut while the service takes no more streams, or has ended this one. */
export type StreamState = 'open' | 'shut'

/** Until a stream that was shut is tried again; quotes are asked for one by one meanwhile. */
const AGAIN_MS = 15_000
const FIRST_EVENT_MS = 12_000

/**
 * @param path - with the query; undefined closes
 * @param tell - called for every event of this very path
 */
export function useStream<Body>(path: string | undefined, tell: (event: StreamEvent<Body>) => void): StreamState {
  const [shut, setShut] = useState<string>()
  const latest = useRef(tell)
  latest.current = tell
  useEffect(() => {
    if (path === undefined || shut === path) return
    const source = new EventSource(path)
    const close = () => {
      source.close()
      setShut(path)
    }
    const on = (name: string, act: (body: Record<string, unknown>) => void) =>
      source.addEventListener(name, (event) => act(JSON.parse((event as MessageEvent<string>).data)))
    on('quote', (body) => latest.current({ kind: 'quote', body: body as Body }))
    on('block', ({ simulationBlock }) => latest.current({ kind: 'block', block: Number(simulationBlock) }))
    on('refused', (body) => latest.current({ kind: 'refused', error: refusalOf(body) }))
    // What says nothing at all is taken for shut.
    const silent = setTimeout(close, FIRST_EVENT_MS)
    for (const name of ['quote', 'block', 'refused']) source.addEventListener(name, () => clearTimeout(silent))
    source.addEventListener('end', close)
    source.addEventListener('error', close)
    return () => {
      clearTimeout(silent)
      source.close()
    }
  }, [path, shut])
  useEffect(() => {
    if (shut === undefined) return
    const later = setTimeout(() => setShut(undefined), AGAIN_MS)
    return () => clearTimeout(later)
  }, [shut])
  return shut === path ? 'shut' : 'open'
}

/** As the SDK words it where a request is refused. */
function refusalOf(body: Record<string, unknown>): ClientError {
  const { error, code, requestId } = body
  return new ClientError('NO_ROUTE', String(error), {
    status: 422,
    ...(typeof code === 'string' && { serviceCode: code }),
    ...(typeof requestId === 'string' && { requestId }),
    body,
  })
}

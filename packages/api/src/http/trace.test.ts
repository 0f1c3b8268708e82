/** Tests of the traces of requests. */
import { TraceRecorder } from '@sluice/tracing/recorder'
import { describe, expect, test, vi } from 'vitest'
import { loadConfig } from '../config.ts'
import { silentLog } from '../services.ts'
import { endTrace, startRecorder, startTrace } from './trace.ts'

const span = { run: () => {}, end: () => {} }
const parents: unknown[] = []
const recorder = {
  startRequest: (parent: unknown) => {
    parents.push(parent)
    return span
  },
} as unknown as TraceRecorder
const requestOf = (url: string | undefined, traceparent?: string) => ({ url, headers: { traceparent } }) as never

test('a recorder starts only with a collector', async () => {
  const start = vi.spyOn(TraceRecorder.prototype, 'start')
  expect(await startRecorder(loadConfig({}), silentLog())).toBeUndefined()
  const started = await startRecorder(loadConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }), silentLog())
  expect(start.mock.contexts).toEqual([started])
  start.mockRestore()
  await started!.close()
})

describe('the span of a request', () => {
  test('continues the trace of the caller', () => {
    expect(startTrace(requestOf('/quote/1', 'parent'), recorder)).toBe(span)
    expect(startTrace(requestOf(undefined), recorder)).toBe(span)
    expect(parents).toEqual(['parent', undefined])
  })

  test('does not exist without a recorder, or for a stream', () => {
    expect(startTrace(requestOf('/quote/1'))).toBeUndefined()
    expect(startTrace(requestOf('/stream/1?src=0x1'), recorder)).toBeUndefined()
    expect(startTrace(requestOf('/streams'), recorder)).toBe(span)
  })

  test.each([
    [499, false],
    [500, true],
  ])('has the attributes of its response, and failed for %d: %s', (statusCode, hasFailed) => {
    const ends: unknown[] = []
    const trace = { ...span, end: (...of: unknown[]) => ends.push(of) }
    const request = { method: 'GET', url: `/${'x'.repeat(300)}?secret=1` }
    const context = { id: 'id', chainId: 7, errorCode: 'INTERNAL' }
    endTrace(trace as never, '/quote/:chainId', request as never, { statusCode } as never, context as never)
    const attributes = {
      ...{ 'http.request.method': 'GET', 'http.route': '/quote/:chainId', 'http.response.status_code': statusCode },
      ...{
        'url.path': `/${'x'.repeat(199)}`,
        'sluice.request_id': 'id',
        'sluice.chain_id': 7,
        'error.type': 'INTERNAL',
      },
    }
    expect(ends).toEqual([['GET /quote/:chainId', attributes, hasFailed]])
  })
})

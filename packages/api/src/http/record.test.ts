/** Tests of what is recorded of a finished request, and of the state of a request. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { ApiError } from '../errors.ts'
import { createMetrics } from '../metrics.ts'
import { silentLog } from '../services.ts'
import { attach, contextOf, RequestContext } from './context.ts'
import { pathOf, record } from './record.ts'
import { endTrace, startRecorder, startTrace } from './trace.ts'

const requestOf = (url = '/quote/1', headers: object = {}) => ({ url, method: 'GET', headers }) as IncomingMessage
const contextFor = (timeoutMs = 60_000, headers: object = {}) =>
  new RequestContext(requestOf('/', headers), silentLog(), timeoutMs)

describe('a finished request', () => {
  const recorded = async (change: Partial<RequestContext>, status = 200) => {
    const metrics = createMetrics()
    const lines: Record<string, unknown>[] = []
    const log = { info: (fields: Record<string, unknown>) => lines.push(fields) }
    const context = Object.assign(contextFor(60_000, { referer: 'https://dex.example/' }), change)
    const request = requestOf(`/quote/1?feeExemptKey=secret${'x'.repeat(300)}`)
    record('/quote/:chainId', request, { statusCode: status } as ServerResponse, context, { metrics, log } as never)
    metrics.backgroundQueue.flush()
    const text = await metrics.registry.metrics()
    return { text, line: lines[0]! }
  }

  test('is counted by endpoint, status, code, and integrator, and logged without its query', async () => {
    const { text, line } = await recorded({ errorCode: 'NO_ROUTE' }, 404)
    expect(text).toContain('sluice_requests_total{endpoint="/quote/:chainId",status="404",code="NO_ROUTE"} 1')
    expect(text).toContain('sluice_integrator_requests_total{integrator="dex.example",endpoint="/quote/:chainId"} 1')
    expect(text).toContain('sluice_request_seconds_count{endpoint="/quote/:chainId"} 1')
    expect(line).toMatchObject({ method: 'GET', path: '/quote/1', status: 404, code: 'NO_ROUTE' })
    expect(JSON.stringify(line)).not.toContain('secret')
  })

  test('has the duration of each stage in seconds, and its own', async () => {
    const { text, line } = await recorded({ stages: new Map([['route', 1_500]]), startedAt: performance.now() - 2_000 })
    expect(text).toContain('sluice_stage_seconds_sum{stage="route"} 1.5\n')
    const [, seconds] = /sluice_request_seconds_sum\{[^}]*\} ([\d.]+)/.exec(text)!
    expect(Number(seconds)).toBeGreaterThanOrEqual(2)
    expect(Number(seconds)).toBeLessThan(60)
    expect(line.ms as number).toBeGreaterThanOrEqual(2_000)
    expect(String(line.ms)).toMatch(/^\d+(\.\d)?$/)
  })

  test('that its client left has status 499, and a stream has no duration', async () => {
    expect((await recorded({ errorCode: 'CLIENT_CLOSED' })).line.status).toBe(499)
    expect((await recorded({ isStream: true })).text).not.toContain('sluice_request_seconds_count')
  })
})

test('a path ends before the query', () => {
  expect(['/a?b', '/a', '?b', ''].map((url) => pathOf(requestOf(url)))).toEqual(['/a', '/a', '', ''])
  expect(pathOf({} as IncomingMessage)).toBe('')
})

describe('the state of a request', () => {
  test('has an id that is safe to log', () => {
    expect(contextFor(1, { 'x-request-id': 'a.B-1_' }).id).toBe('a.B-1_')
    for (const sent of ['', 'a b', 'x'.repeat(65), 'a\n', ['a']])
      expect(contextFor(1, { 'x-request-id': sent }).id).toMatch(/^[0-9a-f-]{36}$/)
    expect(contextFor(1, { 'x-request-id': 'x'.repeat(64) }).id).toHaveLength(64)
  })

  test('is aborted at its deadline, which a stream does not have', async () => {
    const context = contextFor(20)
    expect([context.signal.aborted, context.hasQueued, context.isStream]).toEqual([false, false, false])
    await expect(context.orAborted(new Promise(() => {}))).rejects.toMatchObject({
      ...{ code: 'TIMEOUT', message: 'the request took longer than 20 ms' },
    })
    expect(context.abortReason).toMatchObject({ code: 'TIMEOUT' })
    const stream = contextFor(20)
    const { signal } = stream
    stream.markAsStream()
    const done = contextFor(20)
    const { signal: doneSignal } = done
    done.finish()
    await sleep(40)
    expect([signal.aborted, stream.isStream, doneSignal.aborted]).toEqual([false, true, false])
  })

  test('keeps the first reason of its abort, also for a signal that is read later', () => {
    const context = contextFor()
    const reason = new ApiError('CLIENT_CLOSED', 'gone')
    context.abort(reason)
    context.abort(new ApiError('TIMEOUT', 'late'))
    expect([context.abortReason, context.signal.aborted, context.signal.reason]).toEqual([reason, true, reason])
  })

  test('adds up the durations of a stage, also of failed ones', async () => {
    const context = contextFor()
    expect(await context.time('route', () => 5)).toBe(5)
    await expect(context.time('route', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    const first = context.stages.get('route')!
    await context.time('route', () => sleep(10))
    expect(context.stages.get('route')!).toBeGreaterThan(first)
    expect([...context.stages.keys()]).toEqual(['route'])
  })

  test('ends with its response: as an abort if that was not sent, unless it is a stream', () => {
    const close = (writableFinished: boolean, isStream: boolean) => {
      const context = Object.assign(contextFor(), { isStream })
      let listener = () => {}
      let isDone = false
      const response = {
        writableFinished,
        once: (_: string, run: () => void) => {
          listener = run
        },
      } as unknown as ServerResponse
      attach(context, response, () => {
        isDone = true
      })
      expect(contextOf(response)).toBe(context)
      listener()
      return [isDone, context.errorCode, context.abortReason?.code]
    }
    expect(close(true, false)).toEqual([true, undefined, undefined])
    expect(close(false, false)).toEqual([true, 'CLIENT_CLOSED', 'CLIENT_CLOSED'])
    expect(close(false, true)).toEqual([true, undefined, undefined])
  })
})

describe('the trace of a request', () => {
  const recorder = (parents: unknown[]) =>
    ({
      startRequest: (parent: unknown) => {
        parents.push(parent)
        return {}
      },
    }) as never

  test('is recorded with its parent, but not of a stream or without a recorder', () => {
    const parents: unknown[] = []
    expect(startTrace(requestOf('/quote/1', { traceparent: '00-ab' }), recorder(parents))).toEqual({})
    expect(startTrace(requestOf('/stream/1'), recorder(parents))).toBeUndefined()
    expect(startTrace(requestOf('/streams'), recorder(parents))).toEqual({})
    expect(startTrace(requestOf('/quote/1'))).toBeUndefined()
    expect(parents).toEqual(['00-ab', undefined])
  })

  test('has the path without the query, and fails with status 500 and above', () => {
    const ends: unknown[][] = []
    const trace = { end: (...of: unknown[]) => ends.push(of) } as never
    const context = { id: 'mine', chainId: 7, errorCode: 'X' } as RequestContext
    for (const statusCode of [499, 500])
      endTrace(trace, '/quote/:chainId', requestOf('/quote/7?key=secret'), { statusCode } as ServerResponse, context)
    expect(ends.map(([name, , isError]) => [name, isError])).toEqual([
      ['GET /quote/:chainId', false],
      ['GET /quote/:chainId', true],
    ])
    expect(ends[0]![1]).toEqual({
      ...{ 'http.request.method': 'GET', 'http.route': '/quote/:chainId', 'http.response.status_code': 499 },
      ...{ 'url.path': '/quote/7', 'sluice.request_id': 'mine', 'sluice.chain_id': 7, 'error.type': 'X' },
    })
  })

  test('needs a collector', async () => {
    expect(await startRecorder({ otelExporterOtlpEndpoint: undefined } as never, silentLog())).toBeUndefined()
  })
})

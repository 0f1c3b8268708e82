import { expect, test } from 'vitest'
import { SingleFlight } from './single-flight.ts'

function controlled() {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const signals: AbortSignal[] = []
  const work = (signal: AbortSignal) => {
    signals.push(signal)
    return promise
  }
  return { work, signals, resolve, reject }
}
const never = () => new AbortController().signal

test('concurrent work with one key runs once, and runs again after it ends', async () => {
  const flights = new SingleFlight<string>()
  const { work, signals, resolve } = controlled()
  const both = Promise.all([flights.run('a', never(), work), flights.run('a', never(), work)])
  const other = flights.run('b', never(), work)
  resolve('done')
  expect(await both).toEqual(['done', 'done'])
  expect(await other).toBe('done')
  expect(signals).toHaveLength(2)
  await flights.run('a', never(), work)
  expect(signals).toHaveLength(3)
})

test('an abort of one caller does not affect the other', async () => {
  const flights = new SingleFlight<string>()
  const { work, signals, resolve } = controlled()
  const first = new AbortController()
  const aborted = flights.run('a', first.signal, work)
  const remaining = flights.run('a', never(), work)
  first.abort(new Error('gone'))
  await expect(aborted).rejects.toThrow('gone')
  expect(signals[0]!.aborted).toBe(false)
  resolve('done')
  expect(await remaining).toBe('done')
})

test('work without callers is aborted, and the next caller starts it again', async () => {
  const flights = new SingleFlight<string>()
  const { work, signals, resolve } = controlled()
  const only = new AbortController()
  const aborted = flights.run('a', only.signal, work)
  only.abort(new Error('gone'))
  await expect(aborted).rejects.toThrow('gone')
  expect(signals[0]!.aborted).toBe(true)
  const next = flights.run('a', never(), work)
  expect(signals[1]!.aborted).toBe(false)
  resolve('done')
  expect(await next).toBe('done')
})

test('a failure reaches every caller', async () => {
  const flights = new SingleFlight<string>()
  const { work, reject } = controlled()
  const both = [flights.run('a', never(), work), flights.run('a', never(), work)]
  reject(new Error('broken'))
  for (const one of both) await expect(one).rejects.toThrow('broken')
})

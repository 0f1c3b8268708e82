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

test('identical works that overlap run once, and the next after them runs anew', async () => {
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

test('one caller who gives up leaves the other undisturbed', async () => {
  const flights = new SingleFlight<string>()
  const { work, signals, resolve } = controlled()
  const first = new AbortController()
  const given = flights.run('a', first.signal, work)
  const kept = flights.run('a', never(), work)
  first.abort(new Error('gone'))
  await expect(given).rejects.toThrow('gone')
  expect(signals[0]!.aborted).toBe(false)
  resolve('done')
  expect(await kept).toBe('done')
})

test('work that nobody waits for is aborted, and the next caller starts it anew', async () => {
  const flights = new SingleFlight<string>()
  const { work, signals, resolve } = controlled()
  const only = new AbortController()
  const given = flights.run('a', only.signal, work)
  only.abort(new Error('gone'))
  await expect(given).rejects.toThrow('gone')
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

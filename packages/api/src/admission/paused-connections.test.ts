import { Socket } from 'node:net'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { PausedConnections } from './paused-connections.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const sockets = (count: number) => Array.from({ length: count }, () => new Socket())
const pausedOf = (all: readonly Socket[]) => all.filter((socket) => socket.isPaused()).length
const refuse = (paused: PausedConnections, all: readonly Socket[]) => {
  for (const socket of all) paused.notifyRefused(socket)
}

test('the first 50 refusals of a tick pause no connection, all further ones do', () => {
  const paused = new PausedConnections()
  const all = sockets(80)
  refuse(paused, all)
  expect(pausedOf(all.slice(0, 50))).toBe(0)
  expect(pausedOf(all.slice(50))).toBe(30)
})

test('while refusals go on, a connection is paused for a second', () => {
  const paused = new PausedConnections()
  const first = sockets(60)
  refuse(paused, first)
  for (let tick = 1; tick <= 20; tick++) {
    vi.advanceTimersByTime(50)
    expect(pausedOf(first)).toBe(10)
    refuse(paused, sockets(51))
  }
  vi.advanceTimersByTime(50)
  expect(pausedOf(first)).toBe(0)
})

test('all connections are resumed after 50 to 100 ms without many refusals', () => {
  const paused = new PausedConnections()
  const all = sockets(200)
  refuse(paused, all)
  vi.advanceTimersByTime(50)
  expect(pausedOf(all)).toBe(150)
  refuse(paused, sockets(50))
  vi.advanceTimersByTime(50)
  expect(pausedOf(all)).toBe(0)
})

test('the timer ends with the refusals, and starts again with the next', () => {
  const paused = new PausedConnections()
  refuse(paused, sockets(60))
  vi.advanceTimersByTime(200)
  expect(vi.getTimerCount()).toBe(0)
  const all = sockets(60)
  refuse(paused, all)
  expect(vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(100)
  expect(pausedOf(all)).toBe(0)
})

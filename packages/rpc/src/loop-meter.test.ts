import { performance } from 'node:perf_hooks'
import { expect, test, vi } from 'vitest'
import { createLoopMeter } from './loop-meter.ts'

test('the share is measured from the last time it was asked for', () => {
  const first = { idle: 10, active: 10, utilization: 0.5 }
  const second = { idle: 20, active: 40, utilization: 0.75 }
  const measure = vi.spyOn(performance, 'eventLoopUtilization')
  try {
    const meter = createLoopMeter()
    measure.mockReturnValueOnce(first).mockReturnValueOnce(second)
    expect(meter()).toBe(0.5)
    measure.mockReturnValueOnce({ idle: 0, active: 1, utilization: 1 }).mockReturnValueOnce(first)
    expect(meter()).toBe(1)
    expect(measure.mock.calls).toEqual([[undefined], [], [second], []])
  } finally {
    measure.mockRestore()
  }
})

import { expect, test } from 'vitest'
import { Semaphore } from './semaphore.ts'

function pendingWork() {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  return { work: () => promise, end: resolve, fail: reject }
}
const soon = () => new Promise((resolve) => setImmediate(resolve))

test('so many run at a time, the others in the order in which they came, whether works fail or not', async () => {
  const two = new Semaphore(2)
  const works = [pendingWork(), pendingWork(), pendingWork(), pendingWork()]
  const order: number[] = []
  const all = works.map(({ work }, k) =>
    two.run(() => {
      order.push(k)
      return work()
    }),
  )
  expect(order, 'nothing is begun within the call').toEqual([])
  await soon()
  expect(order).toEqual([0, 1])
  works[1]!.fail(new Error('no'))
  await expect(all[1]).rejects.toThrow('no')
  await soon()
  expect(order).toEqual([0, 1, 2])
  for (const { end } of works) end()
  await two.idle()
  expect(order).toEqual([0, 1, 2, 3])
  await Promise.allSettled(all)
})

/** Tests what becomes of files when their thread ends, with a thread in memory. */
import { EventEmitter } from 'node:events'
import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, expect, test, vi } from 'vitest'
import type { StoreRequest } from './messages.ts'

class FakeWorker extends EventEmitter {
  readonly requests: StoreRequest[] = []
  constructor() {
    super()
    workers.push(this)
  }
  postMessage(request: StoreRequest): void {
    this.requests.push(request)
  }
  ref(): void {}
  unref(): void {}
  /** Answers the last request. */
  answer(result: unknown): void {
    this.emit('message', { jobId: this.requests.at(-1)!.jobId, result })
  }
}
const workers: FakeWorker[] = []
vi.resetModules()
vi.doMock('node:worker_threads', () => ({ Worker: FakeWorker }))
const { openFile, StoreFile } = await import('./store-thread.ts')
afterAll(() => void vi.resetModules())
afterAll(() => void vi.doUnmock('node:worker_threads'))

test('requests to a thread that ends fail, later ones too, and the next file starts another thread', async () => {
  const opening = StoreFile.open('one')
  workers[0]!.answer(null)
  const file = await opening
  expect(file.isLost).toBe(false)
  const failures: Error[] = []
  for (const request of [file.close(), StoreFile.open('two')])
    request.catch((error: Error) => void failures.push(error))
  const cause = new Error('out of memory')
  workers[0]!.emit('error', cause)
  workers[0]!.emit('exit', 1)
  await turn()
  expect(failures).toMatchObject(Array(2).fill({ message: 'the thread that keeps files has ended', cause }))
  await expect(file.close()).rejects.toThrow('the thread that keeps files has ended')
  expect([file.isLost, workers[0]!.requests.length]).toEqual([true, 3])
  const reopening = StoreFile.open('two')
  expect(workers).toHaveLength(2)
  workers[1]!.answer(null)
  expect(await reopening).toMatchObject({ facts: null, isLost: false })
  expect(file.isLost).toBe(true)
})

test('each file has its own id, whether it holds a market or records', async () => {
  const openings = [openFile, () => StoreFile.open('market'), openFile].map((open) =>
    open({ do: 'open-records', path: 'records', limits: {} as never }),
  )
  const { requests } = workers.at(-1)!
  const fileIds = requests.slice(-openings.length).map(({ fileId }) => fileId)
  expect(new Set(fileIds).size).toBe(openings.length)
  for (const { jobId } of requests) workers.at(-1)!.emit('message', { jobId, result: null })
  await Promise.all(openings)
})

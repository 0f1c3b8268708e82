import { expect, test, vi } from 'vitest'
import { Abort } from './abort.ts'
import { type Call, type CallGroup, createCall, type SendContext } from './calls.ts'
import { RpcError } from './errors.ts'

function world(id = 5) {
  const abort = new Abort()
  const abandoned: CallGroup[] = []
  const sendContext: SendContext = { signal: abort, priority: 'quote' }
  const handle = createCall(['eth_call', [{ to: '0x1' }, 'latest']], id, sendContext, (group) => abandoned.push(group))
  return { abort, abandoned, sendContext, ...handle }
}
const groupOf = (...calls: readonly Call[]): CallGroup => {
  const group: CallGroup = { hasOwnBody: false, calls }
  for (const call of calls) call.group = group
  return group
}

test('a call has the body of a JSON-RPC request', () => {
  const { call, sendContext } = world()
  expect(JSON.parse(call.body)).toEqual({
    ...{ jsonrpc: '2.0', id: 5, method: 'eth_call', params: [{ to: '0x1' }, 'latest'] },
  })
  expect(call).toMatchObject({ id: 5, method: 'eth_call', isFinished: false, sendContext })
})

test('the first answer counts, and the signal is listened to no more', async () => {
  const { abort, abandoned, call, answer } = world()
  groupOf(call)
  call.finish('0x12')
  expect(call.isFinished).toBe(true)
  call.finish(new RpcError('CREDIT', 'late'))
  abort.abort()
  expect(await answer).toBe('0x12')
  expect(abandoned).toEqual([])
})

test('listening ends with the answer', () => {
  const controller = new AbortController()
  const remove = vi.spyOn(controller.signal, 'removeEventListener')
  const { call, answer } = createCall(['m', []], 1, { signal: controller.signal, priority: 'quote' }, () => {})
  expect(remove).not.toHaveBeenCalled()
  call.finish(null)
  expect(remove).toHaveBeenCalledOnce()
  return expect(answer).resolves.toBeNull()
})

test('an error of the call rejects it, and another object is an answer', async () => {
  const failed = world()
  const error = new RpcError('SIZE', 'no')
  failed.call.finish(error)
  await expect(failed.answer).rejects.toBe(error)
  const other = world()
  const result = new Error('no RpcError')
  other.call.finish(result)
  expect(await other.answer).toBe(result)
})

test('a call that is given up is rejected and takes no answer', async () => {
  const { abort, call, answer } = world()
  abort.abort()
  expect(call.isFinished).toBe(true)
  call.finish('0x12')
  await expect(answer).rejects.toMatchObject({ code: 'ABORTED', message: expect.stringContaining('eth_call') })
})

test('a group is abandoned once all of its calls have ended and the last was given up', async () => {
  const first = world(1)
  const second = world(2)
  const group = groupOf(first.call, second.call)
  first.abort.abort()
  expect(first.abandoned).toEqual([])
  second.abort.abort()
  expect(second.abandoned).toEqual([group])
  await Promise.allSettled([first.answer, second.answer])
})

test('a call that is given up before it has a group abandons nothing', async () => {
  const { abort, abandoned, answer } = world()
  abort.abort()
  expect(abandoned).toEqual([])
  await expect(answer).rejects.toMatchObject({ code: 'ABORTED' })
})

import { expect, test } from 'vitest'
import { messageOf } from './error-messages.ts'

test.each([
  [new Error('User rejected'), 'User rejected'],
  [{ message: 'denied', code: 4001 }, 'denied'],
  ['User canceled', 'User canceled'],
  [0, '0'],
  [{ code: 4900 }, 'Error code 4900.'],
  [{}, 'The reason is unknown.'],
  [new Error(''), 'The reason is unknown.'],
  [undefined, 'The reason is unknown.'],
  [null, 'The reason is unknown.'],
  ['', 'The reason is unknown.'],
])('the message of the thrown value %j is %s', (value, message) => {
  expect(messageOf(value)).toBe(message)
})

import { expect, it } from 'vitest'
import { optionAfterKey } from './option-keys.ts'

it('moves between options and continues at the other end', () => {
  expect(optionAfterKey('ArrowDown', 0, 3)).toBe(1)
  expect(optionAfterKey('ArrowDown', 2, 3)).toBe(0)
  expect(optionAfterKey('ArrowUp', 0, 3)).toBe(2)
  expect(optionAfterKey('Home', 1, 3)).toBe(0)
  expect(optionAfterKey('End', 1, 3)).toBe(2)
})

it('moves nowhere by other keys, or without options', () => {
  expect(optionAfterKey('Enter', 0, 3)).toBeUndefined()
  // Without options, the picker's active index is -1.
  for (const key of ['ArrowDown', 'ArrowUp', 'Home', 'End']) expect(optionAfterKey(key, -1, 0)).toBeUndefined()
})

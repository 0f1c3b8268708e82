/** Borrowed arrays that must come back clean. */
import { describe, expect, test } from 'vitest'
import { Scratch } from './scratch.ts'

/** Longer than the arrays that are cleared when borrowed. */
const LENGTH = 2_000

describe('blank arrays', () => {
  test('writes are undone, even if the function throws', () => {
    const scratch = new Scratch()
    const write = () =>
      scratch.within(() => {
        const places = scratch.blankIndexArray(LENGTH, (array) => array.fill(-1, 2, 3))
        const sums = scratch.zeroFloats(LENGTH, (array) => array.fill(0, 4, 5))
        expect([...places]).toEqual(new Array(LENGTH).fill(-1))
        expect([...sums]).toEqual(new Array(LENGTH).fill(0))
        places[2] = 7
        sums[4] = 1.5
        return [places, sums]
      })
    const first = write()
    const fail = () => {
      write()
      throw new Error('no more work')
    }
    expect(() => scratch.within(fail)).toThrow('no more work')
    expect(write()).toEqual(first)
  })

  test('are kept apart from arrays with leftover contents', () => {
    const scratch = new Scratch()
    const wipe = () => {}
    scratch.within(() => scratch.bytes(LENGTH).fill(1))
    scratch.within(() => scratch.ints(LENGTH).fill(1))
    scratch.within(() => {
      expect(Math.max(...scratch.zeroBytes(LENGTH, wipe), ...scratch.zeroInts(LENGTH, wipe))).toBe(0)
    })
  })

  test('an array is wiped once, not again for the next array in its slot', () => {
    const scratch = new Scratch()
    let wiped = 0
    scratch.within(() => {
      scratch.within(() => scratch.zeroInts(LENGTH, () => wiped++))
      scratch.within(() => scratch.ints(LENGTH))
    })
    expect(wiped).toBe(1)
  })
})

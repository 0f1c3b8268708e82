/** Tests of the fast decoder for address lists. */
import { ZERO_ADDRESS } from '@sluice/chains'
import { AbiCoder } from 'ethers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nonzeroAddresses } from './address-list.ts'

const address = fc.oneof(
  fc.constant(ZERO_ADDRESS as string),
  fc.stringMatching(/^[0-9a-f]{40}$/).map((hex) => `0x${hex}`),
)
const encode = (list: readonly string[]) => AbiCoder.defaultAbiCoder().encode(['address[]'], [list])

test('decodes the same nonzero addresses as a general ABI decoder', () => {
  fc.assert(
    fc.property(fc.array(address, { maxLength: 50 }), (list) => {
      const expected = [...list.entries()].filter(([, each]) => each !== ZERO_ADDRESS)
      expect([...nonzeroAddresses(encode(list))]).toEqual(expected)
    }),
  )
})

test('a truncated result ends the list early', () => {
  const list = Array.from({ length: 3 }, (_, i) => `0x${String(i + 1).repeat(40)}`)
  const whole = encode(list)
  for (let end = 0; end < whole.length; end += 7) {
    const decoded = [...nonzeroAddresses(whole.slice(0, end))].map(([, each]) => each)
    expect(decoded).toEqual(list.slice(0, decoded.length))
  }
  expect([...nonzeroAddresses('0x')]).toEqual([])
})

/** Tests of the `permit` parameter, and of its agreement with the swap. */
import { NATIVE, toAddress } from '@sluice/chains'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { NATIVE_TEXT } from '../requests.ts'
import { checkPermit, permit } from './permit.ts'

const bytes = (count: number) => `0x${'ab'.repeat(count)}`
const parse = (text: unknown) => {
  const { data, error } = permit.safeParse(text)
  return data ?? error!.issues[0]!.message
}

describe('a permit', () => {
  test('has its kind, three numbers, and a signature', () => {
    expect(parse(`eip2612:5:3:99:${bytes(65)}`)).toEqual({
      ...{ kind: 'eip2612', amount: 5n, nonce: 3n, deadline: 99n, signature: bytes(65) },
    })
    for (const kind of ['dai', 'permit2'])
      expect(parse(`${kind}:0:0:0:${bytes(64)}`)).toMatchObject({ kind, amount: 0n })
  })

  test.each([
    ['', 'permit must be kind:amount:nonce:deadline:signature'],
    ['eip2612', 'permit must be kind:amount'],
    [`eip712:1:1:1:${bytes(65)}`, 'permit must be kind:amount'],
    ['eip2612:1:1:1', 'permit must be kind:amount'],
    [`eip2612:1:1:1:${bytes(65)}:1`, 'permit must be kind:amount'],
    [`eip2612:-1:1:1:${bytes(65)}`, 'permit.amount'],
    [`eip2612:1:x:1:${bytes(65)}`, 'permit.nonce'],
    [`eip2612:1:1::${bytes(65)}`, 'permit.deadline'],
    ['eip2612:1:1:1:', 'permit.signature'],
    ['eip2612:1:1:1:0x', 'permit.signature must not be empty'],
    [`eip2612:1:1:1:${bytes(63)}`, 'permit.signature must be 64 or 65 bytes'],
    [`dai:1:1:1:${bytes(66)}`, 'permit.signature must be 64 or 65 bytes'],
    [`permit2:1:1:1:${bytes(4_097)}`, 'permit.signature'],
  ])('%s is refused', (text, message) => expect(parse(text)).toContain(message))

  test('of Permit2 may have a signature of any length up to 4,096 bytes', () => {
    for (const count of [1, 4_096]) expect(parse(`permit2:1:1:1:${bytes(count)}`)).toHaveProperty('kind', 'permit2')
  })

  test.each([
    ['amount', 160n],
    ['nonce', 48n],
    ['deadline', 48n],
  ])('of Permit2 has an %s below 2^%i, as its contract stores it; other kinds may have more', (name, bits) => {
    const text = (kind: string, value: bigint) => {
      const fields = ['amount', 'nonce', 'deadline'].map((field) => (field === name ? value : 1n))
      return `${kind}:${fields.join(':')}:${bytes(65)}`
    }
    expect(parse(text('permit2', 2n ** bits - 1n))).toMatchObject({ [name]: 2n ** bits - 1n })
    expect(parse(text('permit2', 2n ** bits))).toBe(`permit.${name} must be below 2^${bits} for Permit2`)
    expect(parse(text('eip2612', 2n ** bits))).toMatchObject({ [name]: 2n ** bits })
  })
})

describe('a swap with a permit', () => {
  const token = { input: '0xa', address: toAddress(`0x${'a'.repeat(40)}`) }
  const signed = (kind: string, amount: bigint) =>
    ({ ...(parse(`${kind}:1:1:1:${bytes(65)}`) as object), amount }) as never
  const mistakes = (terms: object) => {
    const result = z
      .any()
      .superRefine(checkPermit)
      .safeParse({ src: token, from: token, amount: 5n, ...terms })
    return (result.error?.issues ?? []).map(({ message }) => message)
  }

  test('has a sender, an ERC-20, and an amount that the permit covers', () => {
    expect(mistakes({ permit: signed('eip2612', 5n) })).toEqual([])
    expect(mistakes({ permit: signed('eip2612', 4n) })).toEqual(['permit.amount must be at least amount'])
    expect(mistakes({ permit: signed('permit2', 4n) })).toEqual(['permit.amount must be at least amount'])
    expect(mistakes({ permit: signed('dai', 0n) })).toEqual([])
    expect(mistakes({ permit: signed('eip2612', 1n), amount: undefined })).toEqual([])
    expect(mistakes({ permit: signed('eip2612', 5n), from: undefined })).toEqual(['from must be provided with permit'])
    expect(mistakes({ permit: signed('eip2612', 5n), src: { input: NATIVE_TEXT, address: NATIVE } })).toEqual([
      'permit must be left out for the native token, which needs none',
    ])
    expect(mistakes({ src: { input: NATIVE_TEXT, address: NATIVE } })).toEqual([])
  })
})

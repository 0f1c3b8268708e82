/** Tests of the text format. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fromText, toText } from './text.ts'

test('plain data and bigints survive a round trip', () => {
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      fc.bigInt(),
      fc.string(),
      fc.string().map((text) => `#${text}`),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), tie('value'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }))
  fc.assert(
    fc.property(value, (value) => {
      expect(fromText(toText(value))).toEqual(value)
    }),
  )
})

import { expect, test } from 'vitest'
import { basicAuthorization } from './basic-authorization.ts'

test.each([
  ['me:p%40ss@', 'me:p@ss'],
  ['me@', 'me:'],
  [':secret@', ':secret'],
  ['me:50%@', 'me:50%'],
  ['m%zz:p%40ss@', 'm%zz:p@ss'],
  ['me:50%off=%40^@', 'me:50%off=@^'],
  ['me:%ff%41@', 'me:%ff%41'],
])('the credentials "%s" of a URL become the header of "%s"', (credentials, expected) => {
  expect(basicAuthorization(new URL(`https://${credentials}node.example`))).toBe(`Basic ${btoa(expected)}`)
})

test('a URL without credentials has no header', () => {
  expect(basicAuthorization(new URL('https://node.example/key'))).toBeUndefined()
})

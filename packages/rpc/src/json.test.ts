import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseJson } from './json.ts'

/** Long enough to be parsed piece by piece. */
const long = 'x'.repeat(70_000)

test('long JSON is read as the engine reads it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(undefined, 1, '\t'), async (value, space) => {
      for (const whole of [[value, long, value], { a: value, '\\"': [long, [value, long]], z: value }]) {
        const text = JSON.stringify(whole, null, space)
        expect(await parseJson(text)).toEqual(JSON.parse(text))
      }
    }),
  )
})

test.each([
  `["${long}"`,
  `["${long}",]`,
  `["${long}" 1]`,
  `{"a":"${long}",}`,
  `{"a" "${long}"}`,
  `["${long}"] 1`,
  `["${long}`,
  `{a:"${long}"}`,
  `<html>${long}</html>`,
  `[${'['.repeat(70_000)}`,
])('what is no JSON is refused, %#', async (text) => {
  await expect(parseJson(text)).rejects.toThrow()
})

test('a key that is a name of JavaScript is a key', async () => {
  const read = (await parseJson(`{"__proto__":{"a":1},"b":"${long}"}`)) as object
  expect(Object.getPrototypeOf(read)).toBe(Object.prototype)
  expect(Object.keys(read)).toEqual(['__proto__', 'b'])
})

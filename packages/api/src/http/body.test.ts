/** Tests of JSON bodies: numbers against exact rational arithmetic, flags, lists, and limits. */
import { Readable } from 'node:stream'
import type { Request, Response } from 'express'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { jsonObjectOf, readBody, toQueryParameters } from './body.ts'

/** Runs the body parser on a text. @throws the error that it passes on */
function parse(text: string, type = 'application/json'): Promise<unknown> {
  const bytes = Buffer.from(text)
  const headers = { 'content-type': type, 'content-length': String(bytes.length) }
  const request = Object.assign(Readable.from([bytes], { objectMode: false }), { headers }) as unknown as Request
  return new Promise((resolve, reject) => {
    readBody(request, {} as Response, (error?: unknown) => (error ? reject(error) : resolve(request.body)))
  })
}

const parseNumber = async (text: string) => ((await parse(`{"x":${text}}`)) as { readonly x: unknown }).x

/** Returns mantissa and exponent of a decimal, with a mantissa that 10 does not divide. */
function exactOf(text: string): readonly [bigint, number] {
  const [, sign, integer = '', fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text)!
  let [mantissa, shift] = [BigInt(`${integer}${fraction}`), Number(exponent) - fraction.length]
  if (mantissa === 0n) return [0n, 0]
  while (mantissa % 10n === 0n) [mantissa, shift] = [mantissa / 10n, shift + 1]
  return [sign === '-' ? -mantissa : mantissa, shift]
}

describe('numbers', () => {
  const digits = (max: number) => fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: max })
  const numberText = fc
    .tuple(
      fc.constantFrom('', '-'),
      digits(40).map((text) => text.replace(/^0+(?=\d)/, '')),
      fc.option(digits(30), { nil: undefined }),
      fc.option(fc.tuple(fc.constantFrom('e', 'E'), fc.constantFrom('', '+', '-'), fc.integer({ min: 0, max: 100 })), {
        nil: undefined,
      }),
    )
    .map(([sign, integer, fraction, exponent]) =>
      [sign, integer, fraction === undefined ? '' : `.${fraction}`, exponent?.join('') ?? ''].join(''),
    )

  test('become plain digits of exactly the same value, without zeros at their ends', async () => {
    await fc.assert(
      fc.asyncProperty(numberText, async (text) => {
        const plain = await parseNumber(text)
        expect(plain).toMatch(/^-?(0|[1-9]\d*)(\.\d*[1-9])?$/)
        expect(exactOf(plain as string)).toEqual(exactOf(text))
      }),
      { numRuns: 300 },
    )
  })

  test.each([
    ['1e18', '1000000000000000000'],
    ['5.0', '5'],
    ['0.50', '0.5'],
    ['1e-2', '0.01'],
    ['12345678901234567890123', '12345678901234567890123'],
    ['-0', '-0'],
    ['1e100', `1${'0'.repeat(100)}`],
    ['1e-100', `0.${'0'.repeat(99)}1`],
  ])('%s is %s', async (text, expected) => expect(await parseNumber(text)).toBe(expected))

  test.each(['1e101', '1e-101', '1e99999999'])('%s has an exponent that no parameter has, and stays', async (text) => {
    expect(await parseNumber(text)).toBe(text)
  })
})

test('null becomes absent, and texts and booleans stay', async () => {
  const body = await parse('{"a":null,"b":"1e3","c":true,"d":[1,null,"x"]}')
  expect(body).toEqual({ b: '1e3', c: true, d: ['1', undefined, 'x'] })
  expect(Object.keys(body as object)).toEqual(['b', 'c', 'd'])
})

test('a body may have 270,000 bytes and no more', async () => {
  const bodyOf = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`
  expect(Object.keys((await parse(bodyOf(270_000))) as object)).toEqual(['a'])
  await expect(parse(bodyOf(270_001))).rejects.toMatchObject({ type: 'entity.too.large' })
})

test('only a JSON object is a body', async () => {
  const objectOf = (body: unknown) => jsonObjectOf({ body } as Request)
  expect(objectOf({ a: 1 })).toEqual({ a: 1 })
  for (const body of [undefined, null, [], [{ a: 1 }], 'text', 5])
    expect(() => objectOf(body)).toThrow('the body must be a JSON object')
  await expect(parse('"text"')).rejects.toThrow()
  await expect(parse('{"a":')).rejects.toThrow()
  expect(await parse('{"a":1}', 'text/plain')).toBeUndefined()
})

describe('fields as parameters', () => {
  const flags = new Set(['calls'])
  const lists = new Set(['pools'])
  const parametersOf = (fields: object) => ({ ...toQueryParameters(fields, { flags, lists }) })

  test('turn booleans into 1 and 0 only if a flag is expected', () => {
    expect(parametersOf({ calls: true, amount: true })).toEqual({ calls: '1', amount: true })
    expect(parametersOf({ calls: false, amount: false })).toEqual({ calls: '0', amount: false })
    expect(parametersOf({ calls: 'true' })).toEqual({ calls: 'true' })
    expect({ ...toQueryParameters({ calls: true }) }).toEqual({ calls: true })
  })

  test('join lists of texts only if a list is expected, and drop empty ones', () => {
    expect(parametersOf({ pools: ['a', 'b'], amount: ['a', 'b'] })).toEqual({ pools: 'a,b', amount: ['a', 'b'] })
    expect(parametersOf({ pools: ['a'] })).toEqual({ pools: 'a' })
    expect(parametersOf({ pools: [] })).toEqual({})
    expect(parametersOf({ pools: 'a,b' })).toEqual({ pools: 'a,b' })
  })

  test('leave lists of anything else, which the schema refuses', () => {
    for (const pools of [['a', 5], [5, 'a'], [5], [['a']], { length: 1, 0: 'a' }, 5, null])
      expect(parametersOf({ pools })).toEqual({ pools })
  })

  test('have no prototype, so that no name is special', () => {
    const parameters = toQueryParameters(JSON.parse('{"__proto__":"a","constructor":"b"}'))
    expect(Object.getPrototypeOf(parameters)).toBeNull()
    expect(Object.entries(parameters)).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ])
  })
})

/** Tests that the recorded examples match their schemas and have the same fields as current responses. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import { beforeAll, expect, test } from 'vitest'
import recorded from '../src/docs/example-answers.json' with { type: 'json' }
import { type ExampleAnswer, openApiDocument } from '../src/docs/openapi.ts'
import { localService } from './src/devnet.ts'
import { EXAMPLE_SETTINGS, exampleAnswers } from './src/example-answers.ts'

type Operation = {
  readonly operationId: string
  readonly responses: {
    readonly 200: { readonly content: Readonly<Record<string, { schema: object; example: unknown }>> }
  }
}
const document = JSON.parse(JSON.stringify(openApiDocument()))
const operations = Object.values<Record<string, Operation>>(document.paths).flatMap((methods) => Object.values(methods))
const ajv = new Ajv2020({ strict: false, validateFormats: false })
ajv.addSchema(document, 'document')

const local = localService(EXAMPLE_SETTINGS)
let fresh: Readonly<Record<string, ExampleAnswer>>
beforeAll(async () => {
  fresh = await exampleAnswers(local.devnet, local.server.url)
})

test('every operation has an example, and every example an operation', () => {
  expect(Object.keys(recorded).toSorted()).toEqual(operations.map(({ operationId }) => operationId).toSorted())
  for (const { operationId, responses } of operations)
    expect(Object.values(responses[200].content)[0]!.example, operationId).toBeDefined()
})

test.each(operations.map((operation) => [operation.operationId, operation] as const))(
  '%s: the example and a live response match the schema',
  (operationId, { responses }) => {
    const { schema } = Object.values(responses[200].content)[0]!
    const pointer = (schema as { $ref: string }).$ref
    const validate = ajv.getSchema(`document${pointer}`)!
    for (const examples of [recorded, fresh] as Readonly<Record<string, ExampleAnswer>>[]) {
      expect(validate(examples[operationId]!.answer), JSON.stringify(validate.errors)).toBe(true)
    }
  },
)

test.each(operations.map(({ operationId }) => operationId))(
  '%s: the example has the fields of a live response',
  (id) => {
    const examples = recorded as Readonly<Record<string, ExampleAnswer>>
    const [example, live] = [examples, fresh].map((answers) => shapeOf(answers[id]!.answer)) as [string[], string[]]
    expect(withoutTypesOfNulls(example, live)).toEqual(withoutTypesOfNulls(live, example))
  },
)

test('a response without a required field is detected', () => {
  expect(withoutTypesOfNulls(shapeOf({ a: 1, b: null }), shapeOf({ a: 1, b: [{ c: '' }] }))).toEqual(['a number', 'b'])
  expect(withoutTypesOfNulls(shapeOf({ a: 1, b: [{ c: '' }] }), shapeOf({ a: 1, b: null }))).toEqual(['a number', 'b'])
  expect(shapeOf({ a: 1, b: [{ c: '' }] })).toEqual(['a number', 'b', 'b[] c string'])
  expect(shapeOf({ a: 1 })).not.toEqual(shapeOf({ a: '1' }))
  const validate = ajv.getSchema('document#/components/schemas/Quote')!
  expect(validate({ ...(recorded.quote.answer as object), toAmount: 1 })).toBe(false)
})

/** Returns the paths and types of all values. Keys that are addresses or chain ids become `*`. */
function shapeOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return [path, ...new Set(value.flatMap((item) => shapeOf(item, `${path}[]`)))].toSorted()
  if (typeof value !== 'object' || value === null) return [`${path} ${value === null ? 'null' : typeof value}`.trim()]
  const all = Object.entries(value).flatMap(([name, fieldValue]) =>
    shapeOf(fieldValue, `${path} ${/^(0x[0-9a-fA-F]+|\d+(:0x[0-9a-fA-F]+)?)$/.test(name) ? '*' : name}`.trim()),
  )
  return [...new Set(all)].toSorted()
}

/**
 * Returns a shape without the types of values that are null in it or in the other shape. A bound, for example, is null
 * if a slow machine did not compute it in time.
 */
function withoutTypesOfNulls(shape: readonly string[], otherShape: readonly string[]): string[] {
  const nulls = [...shape, ...otherShape].flatMap((entry) => /^(.*) null$/.exec(entry)?.[1] ?? [])
  const nullOf = (entry: string) =>
    nulls.find((path) => entry === path || (/^(\[\])? /.test(entry.slice(path.length)) && entry.startsWith(path)))
  return [...new Set(shape.map((entry) => nullOf(entry) ?? entry))].toSorted()
}

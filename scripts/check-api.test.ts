/** Tests of the compatibility check of the HTTP interface. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openApiDocument } from '@sluice/api'
import { expect, test } from 'vitest'
import { breakingChanges } from './lib/check/compatible.ts'
import { root } from './lib/run.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests change any field of the document.
type Any = any
const current = (): Any => JSON.parse(JSON.stringify(openApiDocument()))

test('the API is compatible with the last release', () => {
  expect(breakingChanges(JSON.parse(readFileSync(join(root, 'docs/openapi.json'), 'utf8')), current())).toEqual([])
})

const aggregator = (document: Any) => document.paths['/aggregator/{chain_id}'].get
const parameter = (document: Any, name: string) =>
  aggregator(document).parameters.find((parameter: Any) => parameter.name === name)

test.each<[string, (document: Any) => void, string]>([
  ['a path that goes', (it) => delete it.paths['/prices/{chain_id}'], 'GET /prices/{chain_id} is gone'],
  ['a parameter that goes', (it) => aggregator(it).parameters.splice(1, 1), 'query src is gone'],
  [
    'one that becomes required',
    (it) => Object.assign(parameter(it, 'slippage'), { required: true }),
    'slippage is required',
  ],
  [
    'another default',
    (it) => Object.assign(parameter(it, 'slippage').schema, { default: '1' }),
    'its default has changed',
  ],
  [
    'a narrower pattern',
    (it) => Object.assign(parameter(it, 'from').schema, { pattern: '^x$' }),
    'its pattern has changed',
  ],
  ['a value that is refused', (it) => parameter(it, 'intermediates').schema.enum.pop(), 'any is not taken any more'],
  ['a field that goes', (it) => delete it.components.schemas.Route.properties.tx, 'answer.tx is gone'],
  ['one that may be missing', (it) => it.components.schemas.Route.required.pop(), 'may be missing'],
  [
    'another type',
    (it) => Object.assign(it.components.schemas.Simulation.properties.gasUsed, { type: 'string' }),
    'may be string',
  ],
  [
    'a new field of a body that is required',
    (it) => it.paths['/simulate/{chain_id}'].post.requestBody.content['application/json'].schema.required.push('gas'),
    'gas is required',
  ],
  [
    'alternatives that all differ',
    (it) => Object.assign(parameter(it, 'from'), { schema: { anyOf: [{ type: 'integer' }, { type: 'null' }] } }),
    'its type has changed',
  ],
])('%s is detected', (_what, change, fault) => {
  const changed = current()
  change(changed)
  expect(breakingChanges(current(), changed).join('\n')).toContain(fault)
})

test('new optional parts are compatible', () => {
  const more = current()
  more.paths['/new'] = more.paths['/chains']
  aggregator(more).parameters.push({ name: 'more', in: 'query', required: false, schema: { type: 'string' } })
  more.components.schemas.Route.properties.more = { type: 'string' }
  parameter(more, 'intermediates').schema.enum.push('more')
  parameter(more, 'from').schema.pattern += '|^named$'
  const slippage = parameter(more, 'slippage')
  const { default: value, ...text } = slippage.schema
  slippage.schema = { default: value, anyOf: [text, { type: 'number', minimum: 0 }] }
  expect(breakingChanges(current(), more)).toEqual([])
})

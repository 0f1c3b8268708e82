/** docs/api.md and the text of /docs, both made from the OpenAPI document and the error table. */
import { errorTable } from '../error-table.ts'
import { examples } from './examples.ts'
import { openApiDocument } from './openapi.ts'

type Schema = {
  readonly type?: string | readonly string[]
  readonly pattern?: string
  readonly default?: string
  readonly enum?: readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly additionalProperties?: Schema | false
  readonly $ref?: string
}
type Parameter = {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly description: string
  readonly schema: Schema
}
type Operation = {
  readonly summary: string
  readonly description: string
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } }
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema: Schema }>> }>
  >
}
type Document = {
  readonly info: { readonly description: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

export type Table = Anchors & { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] }
export type Section = {
  readonly title: string
  readonly paragraphs: readonly string[]
  readonly tables: readonly Table[]
}
/** Names of the rows of a table that are linked to, by their places. */
type Anchors = { readonly anchors?: readonly string[] }

/** The reference as sections, for whoever renders it. Text is Markdown with nothing but `code`. */
export function reference(): { readonly intro: string; readonly sections: readonly Section[] } {
  const { info, paths, components } = openApiDocument() as unknown as Document
  const endpoints = Object.entries(paths).map(([path, methods]) => endpoint(path, methods, components.schemas))
  return { intro: info.description, sections: [...endpoints, errors()] }
}

function endpoint(
  path: string,
  methods: Readonly<Record<string, Operation>>,
  schemas: Document['components']['schemas'],
): Section {
  const main = methods.get ?? methods.post!
  const names = Object.keys(methods).map((method) => method.toUpperCase())
  const query = methods.get ? main.parameters.filter((parameter) => parameter.in === 'query') : bodyParameters(main)
  const name = Object.values(main.responses[200]!.content!)[0]!.schema.$ref!.split('/').at(-1)!
  const statuses = Object.keys(main.responses).join(', ')
  const alsoPost =
    methods.get && methods.post
      ? [
          'With POST the same fields are one JSON object, in which numbers, booleans, and lists may stand as such and null is an absent field.',
        ]
      : []
  return {
    title: `${names.join(' and ')} ${path}`,
    paragraphs: [`${main.summary}. ${main.description}`, ...alsoPost, `Statuses: ${statuses}.`],
    tables: [
      ...(query.length > 0
        ? [{ head: ['Parameter', 'Required', 'Default', 'Meaning'], rows: query.map(parameterRow) }]
        : []),
      { head: ['Field of the answer', 'Type', 'Meaning'], rows: fieldRows(schemas[name]!) },
    ],
  }
}

/** The fields of a body in place of parameters. */
function bodyParameters({ requestBody }: Operation): readonly Parameter[] {
  const { properties = {}, required = [] } = requestBody!.content['application/json'].schema
  return Object.entries(properties).map(([name, schema]) => ({
    ...{ name, in: 'body', schema },
    required: required.includes(name),
    description: schema.description ?? '',
  }))
}

function parameterRow({ name, required, description, schema }: Parameter): readonly string[] {
  return [
    `\`${name}\``,
    required ? 'yes' : 'no',
    schema.default === undefined ? '' : `\`${schema.default}\``,
    description,
  ]
}

/** One row for each field, with nested ones as `outer.inner` and `outer[].inner`. */
function fieldRows(schema: Schema, prefix = ''): string[][] {
  if (schema.additionalProperties) {
    const value = schema.additionalProperties
    const key = prefix ? `${prefix}.(key)` : '(key)'
    return [[`\`${key}\``, typeName(value), value.description ?? schema.description ?? ''], ...fieldRows(value, key)]
  }
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = prefix ? `${prefix}.${name}` : name
    // Of an object that may be null, the fields are those of the object.
    const object = field.anyOf?.find(({ properties }) => properties) ?? field
    const inner = field.items ? fieldRows(field.items, `${path}[]`) : fieldRows(object, path)
    const optional = schema.required?.includes(name) ? '' : ', optional'
    return [[`\`${path}\``, typeName(field) + optional, field.description ?? ''], ...inner]
  })
}

function typeName({ type, enum: names, anyOf }: Schema): string {
  if (anyOf) return [...new Set(anyOf.map(typeName))].join(' or ')
  if (names) return names.map((name) => `\`${name}\``).join(' or ')
  return [type ?? 'any'].flat().join(' or ')
}

function errors(): Section {
  return {
    title: 'Errors',
    paragraphs: [
      'Version B answers `{ "error": text, "code": code, "requestId": id, "cure": text, "docs": path }`, with `reasons` and `maxRoutableAmount` where there is no route. Version A answers plain text, an HTML page for 404, and 200 with `toAmount` `0` and no `tx` where there is no route. A reverting simulation is no error. Every error has a `Link` to its row here, with `rel="help"`; 503 has `Retry-After` in seconds, and `RateLimit` where a share of the caller is used up.',
    ],
    tables: [
      {
        anchors: Object.keys(errorTable),
        head: ['Status', 'Code', 'Cause', 'Cure'],
        rows: Object.entries(errorTable).map(([code, { status, cause, cure }]) => [
          String(status),
          `\`${code}\``,
          cause,
          cure,
        ]),
      },
    ],
  }
}

/** docs/api.md, whole. */
export function apiReference(): string {
  const { intro, sections } = reference()
  const parts = ['# API', 'Generated by `npm run docs`; do not edit.', intro, ...sections.map(asMarkdown), examples()]
  return `${parts.join('\n\n')}\n`
}

/** One section of the reference as Markdown. */
export function asMarkdown({ title, paragraphs, tables }: Section): string {
  return [`## ${title}`, ...paragraphs, ...tables.map(markdownTable)].join('\n\n')
}

function markdownTable({ head, rows, anchors = [] }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map((cells, k) => line(anchored(cells, anchors[k])))].join(
    '\n',
  )
}

/** A place to be linked to in front of the first cell. */
function anchored([first, ...others]: readonly string[], anchor: string | undefined): readonly string[] {
  return anchor === undefined ? [first!, ...others] : [`<a id="${anchor}"></a>${first}`, ...others]
}

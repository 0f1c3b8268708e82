/** Generates docs/api.md and docs/errors.md from the OpenAPI document and the error table. */
import { errorTable } from '../error-table.ts'
import { examples } from './examples.ts'
import { exampleOf, openApiDocument } from './openapi.ts'

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
  readonly operationId: string
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

type Table = Anchors & { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] }
type Section = {
  readonly title: string
  readonly paragraphs: readonly string[]
  readonly tables: readonly Table[]
  /** Request and response as Markdown. */
  readonly example: string
}
/** HTML anchors of the rows of a table, by row index. */
type Anchors = { readonly anchors?: readonly string[] }

/** Returns the endpoints of the OpenAPI document as sections of docs/api.md. */
function apiSections(): { readonly intro: string; readonly sections: readonly Section[] } {
  const { info, paths, components } = openApiDocument() as unknown as Document
  const endpoints = Object.entries(paths).map(([path, methods]) => sectionOf(path, methods, components.schemas))
  return { intro: info.description, sections: endpoints }
}

function sectionOf(
  path: string,
  methods: Readonly<Record<string, Operation>>,
  schemas: Document['components']['schemas'],
): Section {
  const main = methods.get ?? methods.post!
  const names = Object.keys(methods).map((method) => method.toUpperCase())
  const documentedParameters = methods.get
    ? main.parameters.filter((parameter) => parameter.in === 'query')
    : bodyParameters(main)
  const responseName = Object.values(main.responses[200]!.content!)[0]!.schema.$ref!.split('/').at(-1)!
  const statuses = Object.keys(main.responses).join(', ')
  const fields = fieldRows(schemas[responseName]!)
  const alsoPost =
    methods.get && methods.post
      ? [
          'With POST, the same fields are in one JSON object. Fields may be JSON numbers, booleans (for 0 and 1), and arrays (for lists); null stands for an absent field.',
        ]
      : []
  return {
    title: `${names.join(' and ')} ${path}`,
    paragraphs: [`${main.summary}. ${main.description}`, ...alsoPost, `Statuses: ${statuses}.`],
    tables: [
      ...(documentedParameters.length > 0
        ? [{ head: ['Parameter', 'Required', 'Default', 'Meaning'], rows: documentedParameters.map(parameterRow) }]
        : []),
      ...(fields.length > 0 ? [{ head: ['Field of the answer', 'Type', 'Meaning'], rows: fields }] : []),
    ],
    example: exampleBlock(main.operationId),
  }
}

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

/** Returns one row per field; nested fields are `outer.inner` and `outer[].inner`. */
function fieldRows(schema: Schema, prefix = ''): string[][] {
  if (schema.additionalProperties) {
    const value = schema.additionalProperties
    const key = prefix ? `${prefix}.(key)` : '(key)'
    return [
      [`\`${key}\``, typeName(value), value.description ?? schema.description ?? ''],
      ...fieldRows(objectOf(value), key),
    ]
  }
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = prefix ? `${prefix}.${name}` : name
    const inner = field.items ? fieldRows(field.items, `${path}[]`) : fieldRows(objectOf(field), path)
    const optional = schema.required?.includes(name) ? '' : ', optional'
    return [[`\`${path}\``, typeName(field) + optional, field.description ?? ''], ...inner]
  })
}

/** Returns the object schema of a nullable object; for any other schema, the schema itself. */
function objectOf(schema: Schema): Schema {
  return schema.anyOf?.find(({ properties }) => properties) ?? schema
}

function typeName({ type, enum: names, anyOf }: Schema): string {
  if (anyOf) return [...new Set(anyOf.map(typeName))].join(' or ')
  if (names) return names.map((name) => `\`${name}\``).join(' or ')
  return [type ?? 'any'].flat().join(' or ')
}

/** Returns docs/errors.md. */
export function errorReference(): string {
  const head = ['Code', 'Status', 'Cause', 'Cure']
  const rows = Object.entries(errorTable).map(([code, { status, cause, cure }]) => [
    `\`${code}\``,
    String(status),
    cause,
    cure,
  ])
  return `${[ERRORS, markdownTable({ anchors: Object.keys(errorTable), head, rows })].join('\n\n')}\n`
}

const ERRORS = `# Error codes

Generated by \`npm run docs\`; do not edit.

An error of version B is JSON: \`{ "error": text, "code": code, "requestId": id, "cure": text, "docs": path }\`. \`reasons\` and
\`maxRoutableAmount\` are added if there is no route. \`ERROR_VERSION=A\` of the service answers plain text instead, an HTML page for 404, and 200
with \`toAmount\` \`0\` and no \`tx\` if there is no route.

A transaction that reverts in a simulation is a result, not an error. Each error has a \`Link\` header with \`rel="help"\` to its row on this
page. 503 has \`Retry-After\` in seconds, and \`RateLimit\` if the caller has used up its share. [Errors and retries](guides/errors-and-retries.md)
explains which requests to repeat.`

/** Returns docs/api.md. */
export function apiReference(): string {
  const { intro, sections } = apiSections()
  const errors = '[Error codes](errors.md) has the cause and the cure of every error.'
  const parts = [
    ...['# API', 'Generated by `npm run docs`; do not edit.', intro, errors],
    ...[...sections.map(asMarkdown), examples()],
  ]
  return `${parts.join('\n\n')}\n`
}

function asMarkdown({ title, paragraphs, tables, example }: Section): string {
  return [`## ${title}`, ...paragraphs, ...tables.map(markdownTable), example].join('\n\n')
}

/** Maximum characters of hex data in examples, without `0x`; longer data is cut off. */
const MAX_HEX_DIGITS = 66

/** Formats the recorded request and response of an operation. */
function exampleBlock(operationId: string): string {
  const { request, body, answer } = exampleOf(operationId)!
  const json = (value: unknown) => `\`\`\`json\n${shortenHex(JSON.stringify(value, null, 2))}\n\`\`\``
  const shownAnswer = typeof answer === 'string' ? `\`\`\`text\n${answer}\`\`\`` : json(answer)
  const sentRequest = `\`\`\`http\n${shortenHex(request)} HTTP/1.1\n\`\`\``
  return [
    'Example, on the local chain:',
    sentRequest,
    ...(body === undefined ? [] : [json(body)]),
    'Answer:',
    shownAnswer,
  ].join('\n\n')
}

const shortenHex = (text: string) => text.replace(new RegExp(`(0x[0-9a-f]{${MAX_HEX_DIGITS}})[0-9a-f]+`, 'g'), '$1…')

function markdownTable({ head, rows, anchors = [] }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map((cells, k) => line(withAnchor(cells, anchors[k])))].join(
    '\n',
  )
}

/** Adds an HTML anchor before the first cell of a row. */
function withAnchor([firstCell, ...otherCells]: readonly string[], anchor: string | undefined): readonly string[] {
  return anchor === undefined ? [firstCell!, ...otherCells] : [`<a id="${anchor}"></a>${firstCell}`, ...otherCells]
}

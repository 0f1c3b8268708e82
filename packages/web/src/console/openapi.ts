/** The parts of the service's OpenAPI document that the console shows. */
export type Parameter = {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly description?: string
  readonly schema?: { readonly default?: unknown; readonly enum?: readonly string[] }
}
type Schema = {
  readonly properties?: Readonly<
    Record<
      string,
      {
        readonly description?: string
        readonly default?: unknown
        readonly type?: string
        readonly items?: { readonly type?: string }
      }
    >
  >
  readonly required?: readonly string[]
}
type Operation = {
  readonly operationId: string
  readonly summary?: string
  readonly description?: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
  readonly responses?: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>
}
export type OpenApi = { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> }

export type Field = {
  readonly name: string
  readonly place: 'path' | 'query' | 'body'
  readonly required: boolean
  readonly description: string
  readonly hint: string
  /** The value is JSON, not text. */
  readonly isJson: boolean
  /** The value is a list of texts: commas separate them, unless it is JSON. */
  readonly isList?: boolean
}

/** True for what no call does without: also for `amount`, which is called optional because `amountOut` may stand in its place. */
export const isNeeded = ({ name, required }: Pick<Field, 'name' | 'required'>): boolean => required || name === 'amount'

export type Endpoint = {
  readonly id: string
  readonly method: 'get' | 'post'
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly fields: readonly Field[]
  readonly isStream: boolean
}

export function endpointsOf({ paths }: OpenApi): readonly Endpoint[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) => {
      if (method !== 'get' && method !== 'post') return []
      const { operationId: id, summary = '', description = '', responses = {} } = operation
      const isStream = Object.keys(responses['200']?.content ?? {}).includes('text/event-stream')
      return [
        {
          id,
          method,
          path,
          summary,
          description,
          isStream,
          fields: [...parametersOf(operation), ...bodyOf(operation)],
        },
      ]
    }),
  )
}

function parametersOf({ parameters = [] }: Operation): readonly Field[] {
  return parameters.flatMap(({ name, in: place, required = false, description = '', schema }) => {
    if (place === 'header') return []
    return [{ name, place, required, description, hint: textOf(schema?.default), isJson: false }]
  })
}

function bodyOf({ requestBody }: Operation): readonly Field[] {
  const { properties = {}, required = [] } = requestBody?.content['application/json']?.schema ?? {}
  return Object.entries(properties).map(([name, { description = '', default: value, type, items }]) => ({
    ...{ name, description, place: 'body' as const, required: required.includes(name), hint: textOf(value) },
    isJson: type === 'array' || type === 'object',
    ...(type === 'array' && items?.type === 'string' && { isList: true }),
  }))
}

const textOf = (value: unknown): string => (value === undefined ? '' : String(value))

/** A request as its fields make it. */
export type Call = { readonly method: 'get' | 'post'; readonly path: string; readonly body?: string }

export function callOf({ method, path, fields }: Endpoint, values: Readonly<Record<string, string>>): Call {
  const given = (place: Field['place']) =>
    fields.flatMap((field) =>
      field.place === place && values[field.name] ? [[field, values[field.name]!] as const] : [],
    )
  const filled = given('path').reduce(
    (text, [{ name }, value]) => text.replace(`{${name}}`, encodeURIComponent(value)),
    path,
  )
  // Commas separate items of a list, and may stand as they are.
  const query = given('query').map(([{ name }, value]) => `${name}=${encodeURIComponent(value).replaceAll('%2C', ',')}`)
  const body = Object.fromEntries(
    given('body').map(([{ name, isJson, isList }, value]) => [
      name,
      isList ? listed(value) : isJson ? parsed(value) : value,
    ]),
  )
  return {
    method,
    path: query.length > 0 ? `${filled}?${query.join('&')}` : filled,
    ...(method === 'post' && { body: JSON.stringify(body) }),
  }
}

/** A list of texts, typed as JSON or between commas. */
function listed(text: string): unknown {
  const value = parsed(text)
  return typeof value === 'string' ? value.split(/[\s,]+/).filter(Boolean) : value
}

/** JSON as a value. Other text goes as it is: the service says what is wrong with it. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

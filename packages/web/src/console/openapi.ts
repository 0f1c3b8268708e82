/** Builds the form fields and requests of the API console from the service's OpenAPI document. */

/** A parameter of an operation in the OpenAPI document. */
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

export type ParameterField = {
  readonly name: string
  readonly location: 'path' | 'query' | 'body'
  readonly required: boolean
  readonly description: string
  /** Placeholder of the input field: the default value. */
  readonly hint: string
  /** True if the value is JSON, not text. */
  readonly isJson: boolean
  /** True if the value is a list of strings, separated by commas or written as JSON. */
  readonly isList?: boolean
}

/** Returns true for required parameters, and for `amount`, which a request may omit only if it has `amountOut`. */
export const isNeeded = ({ name, required }: Pick<ParameterField, 'name' | 'required'>): boolean =>
  required || name === 'amount'

export type ConsoleEndpoint = {
  readonly id: string
  readonly method: 'get' | 'post'
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly fields: readonly ParameterField[]
  readonly isStream: boolean
}

export function endpointsOf({ paths }: OpenApi): readonly ConsoleEndpoint[] {
  return Object.entries(paths).flatMap(([path, operationByMethod]) =>
    Object.entries(operationByMethod).flatMap(([method, operation]) => {
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
          fields: [...parameterFieldsOf(operation), ...bodyFieldsOf(operation)],
        },
      ]
    }),
  )
}

function parameterFieldsOf({ parameters = [] }: Operation): readonly ParameterField[] {
  return parameters.flatMap(({ name, in: location, required = false, description = '', schema }) => {
    if (location === 'header') return []
    return [{ name, location, required, description, hint: textOf(schema?.default), isJson: false }]
  })
}

function bodyFieldsOf({ requestBody }: Operation): readonly ParameterField[] {
  const { properties = {}, required = [] } = requestBody?.content['application/json']?.schema ?? {}
  return Object.entries(properties).map(([name, { description = '', default: value, type, items }]) => ({
    ...{ name, description, location: 'body' as const, required: required.includes(name), hint: textOf(value) },
    isJson: type === 'array' || type === 'object',
    ...(type === 'array' && items?.type === 'string' && { isList: true }),
  }))
}

const textOf = (value: unknown): string => (value === undefined ? '' : String(value))

/** An HTTP request built from the form fields. */
export type ConsoleCall = { readonly method: 'get' | 'post'; readonly path: string; readonly body?: string }

/** Builds the request of an endpoint from the values of its fields. Omits empty fields. */
export function callOf(
  { method, path, fields }: ConsoleEndpoint,
  values: Readonly<Record<string, string>>,
): ConsoleCall {
  const valuesIn = (location: ParameterField['location']) =>
    fields.flatMap((field) =>
      field.location === location && values[field.name] ? [[field, values[field.name]!] as const] : [],
    )
  const filledPath = valuesIn('path').reduce(
    (text, [{ name }, value]) => text.replace(`{${name}}`, encodeURIComponent(value)),
    path,
  )
  // Commas separate list items. They need no escape in a query.
  const query = valuesIn('query').map(
    ([{ name }, value]) => `${name}=${encodeURIComponent(value).replaceAll('%2C', ',')}`,
  )
  const body = Object.fromEntries(
    valuesIn('body').map(([{ name, isJson, isList }, value]) => [
      name,
      isList ? listItems(value) : isJson ? parseJsonOrText(value) : value,
    ]),
  )
  return {
    method,
    path: query.length > 0 ? `${filledPath}?${query.join('&')}` : filledPath,
    ...(method === 'post' && { body: JSON.stringify(body) }),
  }
}

/** Parses a list of strings written as JSON or separated by commas. */
function listItems(text: string): unknown {
  const value = parseJsonOrText(text)
  return typeof value === 'string' ? value.split(/[\s,]+/).filter(Boolean) : value
}

/** Parses JSON. Returns invalid JSON unchanged, so that the service reports the error. */
function parseJsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

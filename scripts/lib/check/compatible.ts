/** Compares an OpenAPI document with an earlier release. docs/stability.md defines the promises. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }
type Fields = { readonly [name: string]: Json }

/** Returns descriptions of the incompatibilities for callers of the earlier document; empty if there are none. */
export function breakingChanges(before: Json, after: Json): readonly string[] {
  const [old, now] = [new Document(before), new Document(after)]
  return old.operations.flatMap(({ name, path, method }) => {
    const current = now.operation(path, method)
    if (!current) return [`${name} is gone`]
    const previous = old.operation(path, method)!
    return [
      ...parameterBreaks(name, old.parameters(previous), now.parameters(current)),
      ...inputBreaks(`${name} body`, old.body(previous), now.body(current)),
      ...outputBreaks(`${name} answer`, old.answer(previous), now.answer(current)),
    ]
  })
}

class Document {
  private readonly root: Fields

  constructor(root: Json) {
    this.root = fields(root)
  }

  get operations() {
    return Object.entries(fields(this.root.paths)).flatMap(([path, methods]) =>
      Object.keys(fields(methods)).map((method) => ({ name: `${method.toUpperCase()} ${path}`, path, method })),
    )
  }

  operation(path: string, method: string): Fields | undefined {
    const operation = fields(fields(this.root.paths)[path])[method]
    return operation === undefined ? undefined : fields(operation)
  }

  parameters(operation: Fields): ReadonlyMap<string, Fields> {
    const all = (operation.parameters ?? []) as readonly Json[]
    return new Map(all.map(fields).map((one) => [`${one.in} ${one.name}`, one]))
  }

  body(operation: Fields): Fields | undefined {
    const content = Object.values(fields(fields(operation.requestBody).content))[0]
    return content === undefined ? undefined : this.resolve(fields(content).schema)
  }

  answer(operation: Fields): Fields | undefined {
    const content = Object.values(fields(fields(fields(operation.responses)['200']).content))[0]
    return content === undefined ? undefined : this.resolve(fields(content).schema)
  }

  private resolve(schema: Json | undefined): Fields {
    const schemaFields = fields(schema)
    const name = typeof schemaFields.$ref === 'string' ? schemaFields.$ref.split('/').at(-1)! : undefined
    return name === undefined ? schemaFields : fields(fields(fields(this.root.components).schemas)[name])
  }
}

function fields(value: Json | undefined): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

function optional(value: Json | undefined): Fields | undefined {
  return value === undefined ? undefined : fields(value)
}

function parameterBreaks(
  name: string,
  before: ReadonlyMap<string, Fields>,
  after: ReadonlyMap<string, Fields>,
): readonly string[] {
  const previousBreaks = [...before].flatMap(([key, old]) => {
    const now = after.get(key)
    if (!now) return [`${name}: ${key} is gone`]
    const stricter = now.required === true && old.required !== true ? [`${name}: ${key} is required`] : []
    return [...stricter, ...inputBreaks(`${name}: ${key}`, fields(old.schema), fields(now.schema))]
  })
  const addedRequired = [...after].filter(([key, { required }]) => required === true && !before.has(key))
  return [...previousBreaks, ...addedRequired.map(([key]) => `${name}: ${key} is new and required`)]
}

/**
 * Returns the incompatibilities of input: everything accepted before must still be accepted. One compatible alternative
 * is enough.
 */
function inputBreaks(name: string, before: Fields | undefined, after: Fields | undefined): readonly string[] {
  if (!before) return []
  if (!after) return [`${name} is gone`]
  if (before.anyOf === undefined && after.anyOf !== undefined) {
    const { anyOf, ...rest } = after
    const [best = []] = list(anyOf)
      .map((alternative) => inputBreaks(name, before, { ...rest, ...fields(alternative) }))
      .sort((a, b) => a.length - b.length)
    return best
  }
  // A pattern with an additional alternative matches everything that the old one does.
  const isWider = (key: string) => key === 'pattern' && String(after[key]).startsWith(`${before[key]}|`)
  const changedFields = ['type', 'pattern', 'default'].filter(
    (key) => before[key] !== undefined && !same(before[key], after[key]) && !isWider(key),
  )
  const values = list(before.enum).filter((value) => after.enum !== undefined && !list(after.enum).includes(value))
  const [old, now] = [fields(before.properties), fields(after.properties)]
  const required = list(after.required).filter((field) => !list(before.required).includes(field))
  return [
    ...changedFields.map((key) => `${name}: its ${key} has changed`),
    ...(before.enum === undefined && after.enum !== undefined ? [`${name}: only some values are taken`] : []),
    ...values.map((value) => `${name}: ${value} is not taken any more`),
    ...required.map((field) => `${name}: ${field} is required`),
    ...Object.keys(old).flatMap((field) => inputBreaks(`${name}.${field}`, fields(old[field]), optional(now[field]))),
    ...(before.items === undefined ? [] : inputBreaks(`${name}[]`, fields(before.items), fields(after.items))),
  ]
}

/** Returns the incompatibilities of output: every former field must still be present with the same meaning. */
function outputBreaks(name: string, before: Fields | undefined, after: Fields | undefined): readonly string[] {
  if (!before) return []
  if (!after) return [`${name} is gone`]
  const types = [before.type ?? null].flat()
  const addedRequired = [after.type ?? null].flat().filter((type) => before.type !== undefined && !types.includes(type))
  const [old, now] = [fields(before.properties), fields(after.properties)]
  const lostFields = list(before.required)
    .map(String)
    .filter((field) => field in now && !list(after.required).includes(field))
  const values = fields(before.additionalProperties)
  return [
    ...addedRequired.map((type) => `${name}: may be ${type}`),
    ...(before.pattern !== undefined && before.pattern !== after.pattern ? [`${name}: its pattern has changed`] : []),
    ...lostFields.map((field) => `${name}.${field} may be missing`),
    ...Object.keys(old).flatMap((field) => outputBreaks(`${name}.${field}`, fields(old[field]), optional(now[field]))),
    ...(before.items === undefined ? [] : outputBreaks(`${name}[]`, fields(before.items), fields(after.items))),
    ...(Object.keys(values).length === 0
      ? []
      : outputBreaks(`${name}.(key)`, values, fields(after.additionalProperties))),
  ]
}

function list(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : []
}

function same(a: Json | undefined, b: Json | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

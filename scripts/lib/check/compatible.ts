/** Compares an OpenAPI document with an earlier release. docs/stability.md defines the promises. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }
type Fields = { readonly [name: string]: Json }

/** Returns descriptions of the incompatibilities for callers of the earlier document; empty if there are none. */
export function breakingChanges(released: Json, currentApi: Json): readonly string[] {
  const [releasedDocument, currentDocument] = [new Document(released), new Document(currentApi)]
  return releasedDocument.operations.flatMap(({ name, path, method }) => {
    const current = currentDocument.operation(path, method)
    if (!current) return [`${name} is gone`]
    const previous = releasedDocument.operation(path, method)!
    return [
      ...parameterBreaks(name, releasedDocument.parameters(previous), currentDocument.parameters(current)),
      ...inputBreaks(`${name} body`, releasedDocument.body(previous), currentDocument.body(current)),
      ...outputBreaks(`${name} answer`, releasedDocument.answer(previous), currentDocument.answer(current)),
    ]
  })
}

class Document {
  private readonly root: Fields

  constructor(root: Json) {
    this.root = fieldsOf(root)
  }

  get operations() {
    return Object.entries(fieldsOf(this.root.paths)).flatMap(([path, methods]) =>
      Object.keys(fieldsOf(methods)).map((method) => ({ name: `${method.toUpperCase()} ${path}`, path, method })),
    )
  }

  operation(path: string, method: string): Fields | undefined {
    const operation = fieldsOf(fieldsOf(this.root.paths)[path])[method]
    return operation === undefined ? undefined : fieldsOf(operation)
  }

  parameters(operation: Fields): ReadonlyMap<string, Fields> {
    const all = (operation.parameters ?? []) as readonly Json[]
    return new Map(all.map(fieldsOf).map((one) => [`${one.in} ${one.name}`, one]))
  }

  body(operation: Fields): Fields | undefined {
    const content = Object.values(fieldsOf(fieldsOf(operation.requestBody).content))[0]
    return content === undefined ? undefined : this.resolve(fieldsOf(content).schema)
  }

  answer(operation: Fields): Fields | undefined {
    const content = Object.values(fieldsOf(fieldsOf(fieldsOf(operation.responses)['200']).content))[0]
    return content === undefined ? undefined : this.resolve(fieldsOf(content).schema)
  }

  private resolve(schema: Json | undefined): Fields {
    const schemaFields = fieldsOf(schema)
    const name = typeof schemaFields.$ref === 'string' ? schemaFields.$ref.split('/').at(-1)! : undefined
    return name === undefined ? schemaFields : fieldsOf(fieldsOf(fieldsOf(this.root.components).schemas)[name])
  }
}

function fieldsOf(value: Json | undefined): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

function optionalFieldsOf(value: Json | undefined): Fields | undefined {
  return value === undefined ? undefined : fieldsOf(value)
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
    return [...stricter, ...inputBreaks(`${name}: ${key}`, fieldsOf(old.schema), fieldsOf(now.schema))]
  })
  const addedRequired = [...after].filter(([key, { required }]) => required === true && !before.has(key))
  return [...previousBreaks, ...addedRequired.map(([key]) => `${name}: ${key} is new and required`)]
}

/**
 * Returns the incompatibilities of input: everything accepted before must still be accepted. If input can now have
 * several forms (`anyOf`), one that accepts the former input is enough.
 */
function inputBreaks(name: string, before: Fields | undefined, after: Fields | undefined): readonly string[] {
  if (!before) return []
  if (!after) return [`${name} is gone`]
  if (before.anyOf === undefined && after.anyOf !== undefined) {
    const { anyOf, ...rest } = after
    const [best = []] = listOf(anyOf)
      .map((alternative) => inputBreaks(name, before, { ...rest, ...fieldsOf(alternative) }))
      .sort((a, b) => a.length - b.length)
    return best
  }
  // A pattern with an additional alternative matches everything that the old one does.
  const isWider = (key: string) => key === 'pattern' && String(after[key]).startsWith(`${before[key]}|`)
  const changedFields = ['type', 'pattern', 'default'].filter(
    (key) => before[key] !== undefined && !isEqualJson(before[key], after[key]) && !isWider(key),
  )
  const values = listOf(before.enum).filter((value) => after.enum !== undefined && !listOf(after.enum).includes(value))
  const [old, now] = [fieldsOf(before.properties), fieldsOf(after.properties)]
  const required = listOf(after.required).filter((field) => !listOf(before.required).includes(field))
  return [
    ...changedFields.map((key) => `${name}: its ${key} has changed`),
    ...(before.enum === undefined && after.enum !== undefined ? [`${name}: only some values are taken`] : []),
    ...values.map((value) => `${name}: ${value} is not taken any more`),
    ...required.map((field) => `${name}: ${field} is required`),
    ...Object.keys(old).flatMap((field) =>
      inputBreaks(`${name}.${field}`, fieldsOf(old[field]), optionalFieldsOf(now[field])),
    ),
    ...(before.items === undefined ? [] : inputBreaks(`${name}[]`, fieldsOf(before.items), fieldsOf(after.items))),
  ]
}

/** Returns the incompatibilities of output: every former field must still be present with the same meaning. */
function outputBreaks(name: string, before: Fields | undefined, after: Fields | undefined): readonly string[] {
  if (!before) return []
  if (!after) return [`${name} is gone`]
  const types = [before.type ?? null].flat()
  const addedRequired = [after.type ?? null].flat().filter((type) => before.type !== undefined && !types.includes(type))
  const [old, now] = [fieldsOf(before.properties), fieldsOf(after.properties)]
  const lostFields = listOf(before.required)
    .map(String)
    .filter((field) => field in now && !listOf(after.required).includes(field))
  const values = fieldsOf(before.additionalProperties)
  return [
    ...addedRequired.map((type) => `${name}: may be ${type}`),
    ...(before.pattern !== undefined && before.pattern !== after.pattern ? [`${name}: its pattern has changed`] : []),
    ...lostFields.map((field) => `${name}.${field} may be missing`),
    ...Object.keys(old).flatMap((field) =>
      outputBreaks(`${name}.${field}`, fieldsOf(old[field]), optionalFieldsOf(now[field])),
    ),
    ...(before.items === undefined ? [] : outputBreaks(`${name}[]`, fieldsOf(before.items), fieldsOf(after.items))),
    ...(Object.keys(values).length === 0
      ? []
      : outputBreaks(`${name}.(key)`, values, fieldsOf(after.additionalProperties))),
  ]
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : []
}

function isEqualJson(a: Json | undefined, b: Json | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

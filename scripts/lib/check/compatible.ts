/**
 * Compares an OpenAPI document with that of an earlier release. docs/stability.md says which changes are compatible.
 */

/** Value of a JSON document. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }
type Fields = { readonly [name: string]: Json }

/** Returns descriptions of the changes that break callers of the released API; empty if there are none. */
export function breakingChanges(released: Json, currentApi: Json): readonly string[] {
  const [releasedDocument, currentDocument] = [new Document(released), new Document(currentApi)]
  return releasedDocument.operations.flatMap(({ name, path, method }) => {
    const currentOperation = currentDocument.operation(path, method)
    if (!currentOperation) return [`${name} is gone`]
    const releasedOperation = releasedDocument.operation(path, method)!
    return [
      ...parameterBreaks(
        name,
        releasedDocument.parameters(releasedOperation),
        currentDocument.parameters(currentOperation),
      ),
      ...inputBreaks(`${name} body`, releasedDocument.body(releasedOperation), currentDocument.body(currentOperation)),
      ...outputBreaks(
        `${name} answer`,
        releasedDocument.answer(releasedOperation),
        currentDocument.answer(currentOperation),
      ),
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
    const parameters = (operation.parameters ?? []) as readonly Json[]
    return new Map(parameters.map(fieldsOf).map((parameter) => [`${parameter.in} ${parameter.name}`, parameter]))
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
  const breaksOfOldParameters = [...before].flatMap(([key, oldParameter]) => {
    const newParameter = after.get(key)
    if (!newParameter) return [`${name}: ${key} is gone`]
    const isNewlyRequired = newParameter.required === true && oldParameter.required !== true
    return [
      ...(isNewlyRequired ? [`${name}: ${key} is required`] : []),
      ...inputBreaks(`${name}: ${key}`, fieldsOf(oldParameter.schema), fieldsOf(newParameter.schema)),
    ]
  })
  const addedRequiredParameters = [...after].filter(([key, { required }]) => required === true && !before.has(key))
  return [...breaksOfOldParameters, ...addedRequiredParameters.map(([key]) => `${name}: ${key} is new and required`)]
}

/**
 * Returns the incompatibilities of an input: everything accepted before must still be accepted. If the new schema has
 * alternatives (`anyOf`), it is enough that one of them accepts the former input.
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
  // A pattern with an additional alternative at its end still matches everything that the old pattern matched.
  const isWider = (key: string) => key === 'pattern' && String(after[key]).startsWith(`${before[key]}|`)
  const changedFields = ['type', 'pattern', 'default'].filter(
    (key) => before[key] !== undefined && !isEqualJson(before[key], after[key]) && !isWider(key),
  )
  const removedValues = listOf(before.enum).filter(
    (value) => after.enum !== undefined && !listOf(after.enum).includes(value),
  )
  const [oldProperties, newProperties] = [fieldsOf(before.properties), fieldsOf(after.properties)]
  const newlyRequired = listOf(after.required).filter((field) => !listOf(before.required).includes(field))
  return [
    ...changedFields.map((key) => `${name}: its ${key} has changed`),
    ...(before.enum === undefined && after.enum !== undefined ? [`${name}: only some values are taken`] : []),
    ...removedValues.map((value) => `${name}: ${value} is not taken any more`),
    ...newlyRequired.map((field) => `${name}: ${field} is required`),
    ...Object.keys(oldProperties).flatMap((field) =>
      inputBreaks(`${name}.${field}`, fieldsOf(oldProperties[field]), optionalFieldsOf(newProperties[field])),
    ),
    ...(before.items === undefined ? [] : inputBreaks(`${name}[]`, fieldsOf(before.items), fieldsOf(after.items))),
  ]
}

/** Returns the incompatibilities of an output: every former field must still be present, with the same type. */
function outputBreaks(name: string, before: Fields | undefined, after: Fields | undefined): readonly string[] {
  if (!before) return []
  if (!after) return [`${name} is gone`]
  const types = [before.type ?? null].flat()
  const addedTypes = [after.type ?? null].flat().filter((type) => before.type !== undefined && !types.includes(type))
  const [oldProperties, newProperties] = [fieldsOf(before.properties), fieldsOf(after.properties)]
  const optionalizedFields = listOf(before.required)
    .map(String)
    .filter((field) => field in newProperties && !listOf(after.required).includes(field))
  const valueSchema = fieldsOf(before.additionalProperties)
  return [
    ...addedTypes.map((type) => `${name}: may be ${type}`),
    ...(before.pattern !== undefined && before.pattern !== after.pattern ? [`${name}: its pattern has changed`] : []),
    ...optionalizedFields.map((field) => `${name}.${field} may be missing`),
    ...Object.keys(oldProperties).flatMap((field) =>
      outputBreaks(`${name}.${field}`, fieldsOf(oldProperties[field]), optionalFieldsOf(newProperties[field])),
    ),
    ...(before.items === undefined ? [] : outputBreaks(`${name}[]`, fieldsOf(before.items), fieldsOf(after.items))),
    ...(Object.keys(valueSchema).length === 0
      ? []
      : outputBreaks(`${name}.(key)`, valueSchema, fieldsOf(after.additionalProperties))),
  ]
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : []
}

function isEqualJson(a: Json | undefined, b: Json | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

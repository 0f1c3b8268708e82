/** Validates Kubernetes objects by the schemas of the Kubernetes API, like a server with strict field validation. */

export type Manifest = {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> }
  // biome-ignore lint/suspicious/noExplicitAny: the schemas define its shape.
  readonly [field: string]: any
}

type Model = new (data: object) => { readonly validate: () => void }

/** npm packages with the schemas of API groups that are not part of Kubernetes, by group. */
const SCHEMA_PACKAGES: Readonly<Record<string, string>> = {
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
}

async function modelOf({ apiVersion, kind }: Manifest): Promise<Model> {
  const schemaPackage = SCHEMA_PACKAGES[apiVersion.split('/')[0]!] ?? 'kubernetes-models'
  const module = (await import(`${schemaPackage}/${apiVersion}/${kind}`)) as Readonly<Record<string, Model>>
  return module[kind]!
}

/** Returns the mistakes of a manifest, with their paths: invalid values, missing fields, and unknown fields. */
export async function mistakesOf(manifest: Manifest): Promise<readonly string[]> {
  const Model = await modelOf(manifest)
  const model = new Model(manifest)
  const fieldsRead = new Map<object, Set<string>>()
  try {
    recordReads(model, fieldsRead).validate()
  } catch (error) {
    return [(error as Error).message]
  }
  return unreadFields(model, fieldsRead, '')
}

/** Returns a proxy of a value that records which of its fields are read. */
function recordReads<T extends object>(value: T, fieldsRead: Map<object, Set<string>>): T {
  return new Proxy(value, {
    get(target, name) {
      const field = Reflect.get(target, name) as unknown
      if (typeof name === 'string' && Object.hasOwn(target, name))
        fieldsRead.set(target, (fieldsRead.get(target) ?? new Set()).add(name))
      return typeof field === 'object' && field !== null ? recordReads(field, fieldsRead) : field
    },
  })
}

/**
 * Returns a message for each field that the validation has not read. Validation reads every field that a schema
 * defines, so these fields are unknown.
 */
function unreadFields(
  value: object,
  fieldsRead: ReadonlyMap<object, ReadonlySet<string>>,
  path: string,
): readonly string[] {
  return Object.entries(value).flatMap(([name, field]) => {
    const here = `${path}/${name}`
    if (!fieldsRead.get(value)?.has(name)) return [`${here} is no field`]
    return typeof field === 'object' && field !== null ? unreadFields(field, fieldsRead, here) : []
  })
}

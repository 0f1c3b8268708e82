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
  const readFields = new Map<object, Set<string>>()
  try {
    recordReads(model, readFields).validate()
  } catch (error) {
    return [(error as Error).message]
  }
  return unreadFields(model, readFields, '')
}

/** Returns a proxy of a value that records which of its fields are read. */
function recordReads<T extends object>(value: T, readFields: Map<object, Set<string>>): T {
  return new Proxy(value, {
    get(target, name) {
      const field = Reflect.get(target, name) as unknown
      if (typeof name === 'string' && Object.hasOwn(target, name))
        readFields.set(target, (readFields.get(target) ?? new Set()).add(name))
      return typeof field === 'object' && field !== null ? recordReads(field, readFields) : field
    },
  })
}

/** Returns the fields that the validation has not read, which no schema defines. */
function unreadFields(
  value: object,
  readFields: ReadonlyMap<object, ReadonlySet<string>>,
  path: string,
): readonly string[] {
  return Object.entries(value).flatMap(([name, field]) => {
    const here = `${path}/${name}`
    if (!readFields.get(value)?.has(name)) return [`${here} is no field`]
    return typeof field === 'object' && field !== null ? unreadFields(field, readFields, here) : []
  })
}

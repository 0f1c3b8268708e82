/**
 * Requests drawn from the published document: every documented parameter of every endpoint, in combination, with values that are
 * meant, odd or wrong. A parameter that is new in the document is drawn without a change here.
 */
import fc from 'fast-check'

type Schema = {
  readonly type?: string
  readonly pattern?: string
  readonly enum?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}
export type Parameter = {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly schema: Schema
}
export type Operation = {
  readonly operationId: string
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } }
  readonly responses: Readonly<
    Record<
      string,
      { readonly content: { readonly 'application/json': { readonly schema: { readonly $ref: string } } } }
    >
  >
}
export type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, never>> }
}

/** What there is on the chain to be asked for. */
export type Known = {
  readonly chainId: number
  readonly tokens: readonly string[]
  readonly accounts: readonly string[]
  readonly pools: readonly string[]
  /** Families and brands. */
  readonly sources: readonly string[]
  readonly head: number
}

export type Drawn = {
  readonly operation: Operation
  readonly path: string
  readonly init: { readonly method: string; readonly headers: Readonly<Record<string, string>>; readonly body?: string }
  /** Query or body, by name. */
  readonly values: Readonly<Record<string, string>>
}

const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
const random = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((drawn) => `0x${Buffer.from(drawn).toString('hex')}`)
const someOf = (values: readonly string[], most = 4) =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: most }).map((chosen) => chosen.join())
/** Of every size from one unit up. */
const amount = fc
  .tuple(fc.integer({ min: 1, max: 999 }), fc.integer({ min: 0, max: 27 }))
  .map(([digits, zeros]) => `${digits}${'0'.repeat(zeros)}`)

const odd = fc.oneof(
  fc.constantFrom(
    '',
    '0',
    '-1',
    '1e18',
    ' 1',
    'NaN',
    '0x',
    'null',
    '__proto__',
    '%00',
    '9'.repeat(78),
    `${2n ** 256n}`,
  ),
  fc.constantFrom(`0x${'0'.repeat(40)}`, NATIVE, NATIVE.toLowerCase(), ','),
  fc.string({ maxLength: 30 }),
)

/** Values that a parameter may well be sent with, by its name where that says more than its schema. */
function meant({ name, schema }: Pick<Parameter, 'name' | 'schema'>, known: Known): fc.Arbitrary<string> {
  const token = fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...known.tokens) },
    { weight: 2, arbitrary: fc.constant(NATIVE) },
    { weight: 1, arbitrary: random(20) },
  )
  const byName: Readonly<Record<string, fc.Arbitrary<string>>> = {
    chain_id: fc.constant(String(known.chainId)),
    src: token,
    dst: token,
    tokenIn: token,
    tokenOut: token,
    token: fc.array(token, { minLength: 1, maxLength: 10 }).map((tokens) => tokens.join()),
    amount,
    amountIn: amount,
    from: fc.constantFrom(...known.accounts),
    slippage: fc.constantFrom('0', '0.01', '0.5', '5', '99.9999'),
    convenienceFee: fc.constantFrom('0', '0.0001', '1', '10'),
    convenienceFeeRecipient: fc.constantFrom(...known.accounts),
    minimumBlock: fc.integer({ min: known.head - 7, max: known.head + 2 }).map(String),
    // Most states of the past are not held by the local node.
    block: fc.oneof(
      fc.constantFrom('latest', 'pending', 'safe', 'finalized', 'earliest', String(known.head)),
      fc.integer({ min: 0, max: known.head + 3 }).map(String),
    ),
    // Mostly of the future.
    deadline: fc.integer({ min: 1.7e9, max: 4e9 }).map(String),
    gasPrice: fc.constantFrom('0', '1', '1000000000', '100000000000', `${2n ** 64n - 1n}`),
    gas: fc.constantFrom('100000', '1000000', '0x989680'),
    includeSources: someOf(known.sources, 8),
    excludeSources: someOf(known.sources, 8),
    excludePools: someOf(known.pools, 20),
    maxHops: fc.constantFrom('1', '2', '3', '4'),
    maxSplits: fc.oneof(fc.constantFrom('1', '2', '3', '4'), fc.integer({ min: 1, max: 64 }).map(String)),
    maxPriceImpact: fc.constantFrom('0.1', '1', '15', '100'),
    data: fc.oneof(fc.constant('0x'), random(4), random(68)),
  }
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (Object.hasOwn(byName, name)) return byName[name]!
  return schema.pattern ? fc.stringMatching(new RegExp(schema.pattern)) : fc.string({ maxLength: 20 })
}

/** @param wrong - how often a value is none that is meant, in percent */
function value(parameter: Pick<Parameter, 'name' | 'schema'>, known: Known, wrong: number): fc.Arbitrary<string> {
  const bySchema = parameter.schema.pattern
    ? fc.stringMatching(new RegExp(parameter.schema.pattern)).map((text) => text.slice(0, 400))
    : odd
  return fc.oneof(
    { weight: 100 - wrong, arbitrary: meant(parameter, known) },
    { weight: Math.ceil(wrong / 2), arbitrary: bySchema },
    { weight: Math.ceil(wrong / 2), arbitrary: odd },
  )
}

/** Percent of requests that hold nothing but meant values, so that what works is met as often as what is refused. */
const ALL_MEANT = 70
const WRONG = 8

function record(
  parameters: readonly (Pick<Parameter, 'name' | 'schema'> & { readonly required: boolean })[],
  known: Known,
): fc.Arbitrary<Readonly<Record<string, string>>> {
  const of = (wrong: number) =>
    fc
      .tuple(
        ...parameters.map((parameter) => {
          const given = value(parameter, known, wrong)
          const nothing = fc.constant(undefined)
          if (parameter.required && wrong === 0) return given
          // Few are left out that must be there; of the others, about a third is given.
          const [some, none] = parameter.required ? [30, 1] : [3, 7]
          return fc.oneof({ weight: some, arbitrary: given }, { weight: none, arbitrary: nothing })
        }),
      )
      .map((values) =>
        Object.fromEntries(
          parameters.flatMap(({ name }, k) => (values[k] === undefined ? [] : [[name, values[k]] as const])),
        ),
      )
  return fc.oneof({ weight: ALL_MEANT, arbitrary: of(0) }, { weight: 100 - ALL_MEANT, arbitrary: of(WRONG) })
}

/** Any request of the document; routes most of all, since they have most parameters. */
export function drawn({ paths }: Document, known: Known): fc.Arbitrary<Drawn> {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      weight: Math.max(4, operation.parameters.length + (operation.requestBody ? 8 : 0)) ** 2,
      arbitrary: requestOf(path, method.toUpperCase(), operation, known),
    })),
  )
  return fc.oneof(...operations)
}

function requestOf(path: string, method: string, operation: Operation, known: Known): fc.Arbitrary<Drawn> {
  const inPath = operation.parameters.filter((parameter) => parameter.in === 'path')
  const inHeader = operation.parameters.filter((parameter) => parameter.in === 'header')
  const body = operation.requestBody?.content['application/json'].schema
  const fields = body
    ? Object.entries(body.properties!).map(([name, schema]) => ({
        name,
        schema,
        required: body.required?.includes(name) ?? false,
      }))
    : operation.parameters.filter((parameter) => parameter.in === 'query')
  const places = record(
    inPath.map((parameter) => ({ ...parameter, required: true })),
    known,
  )
  return fc.tuple(places, record(inHeader, known), record(fields, known)).map(([places, sent, values]) => {
    const target = path.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent((places[name] ?? '').toWellFormed()),
    )
    const query = body ? '' : `?${new URLSearchParams(values)}`
    // Only what fits into a header can be sent in one.
    const headers = Object.fromEntries(Object.entries(sent).filter(([, text]) => /^[\x21-\x7e]*$/.test(text)))
    return {
      operation,
      path: target + query,
      init: body
        ? { method, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(values) }
        : { method, headers },
      values,
    }
  })
}

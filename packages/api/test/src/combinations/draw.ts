/**
 * Generates random requests from the OpenAPI document: combinations of all documented parameters with plausible, unusual or invalid
 * values. New parameters of the document need no change here.
 */
import fc from 'fast-check'

type Schema = {
  readonly type?: string
  readonly pattern?: string
  readonly enum?: readonly string[]
  readonly items?: Schema
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
    Record<string, { readonly content: Readonly<Record<string, { readonly schema: { readonly $ref: string } }>> }>
  >
}
export type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, never>> }
}

/** Facts of the chain from which plausible values are drawn. */
export type KnownValues = {
  readonly chainId: number
  readonly tokens: readonly string[]
  readonly accounts: readonly string[]
  readonly pools: readonly string[]
  /** Names of families and brands. */
  readonly sources: readonly string[]
  /** Hashes of mined transactions, some of which swap. */
  readonly transactions: readonly string[]
  readonly head: number
  /** Valid permits with their token and owner. */
  readonly permits: readonly { readonly permit: string; readonly src: string; readonly from: string }[]
}

export type Drawn = {
  readonly operation: Operation
  readonly path: string
  readonly init: { readonly method: string; readonly headers: Readonly<Record<string, string>>; readonly body?: string }
  /** Parameters of the query or fields of the body. */
  readonly values: Readonly<Record<string, string>>
  /** Lists of objects in the body, by field; each object is like `values`. */
  readonly lists: Readonly<Record<string, readonly Readonly<Record<string, string>>[]>>
}

const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
const random = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((drawn) => `0x${Buffer.from(drawn).toString('hex')}`)
const someOf = (values: readonly string[], max = 4) =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: max }).map((chosen) => chosen.join())
/** Arbitrary amount of any magnitude, from one base unit. */
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

/** Returns plausible values of a parameter: by its name if it is known, else by its schema. */
function meant({ name, schema }: Pick<Parameter, 'name' | 'schema'>, knownValues: KnownValues): fc.Arbitrary<string> {
  const token = fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...knownValues.tokens) },
    { weight: 2, arbitrary: fc.constant(NATIVE) },
    { weight: 1, arbitrary: random(20) },
  )
  const byName: Readonly<Record<string, fc.Arbitrary<string>>> = {
    chain_id: fc.constant(String(knownValues.chainId)),
    src: token,
    dst: token,
    tokenIn: token,
    tokenOut: token,
    token: fc.array(token, { minLength: 1, maxLength: 10 }).map((tokens) => tokens.join()),
    coins: fc
      .array(fc.tuple(fc.constantFrom(String(knownValues.chainId), 'devnet', 'coingecko', 'nowhere'), token), {
        minLength: 1,
        maxLength: 10,
      })
      .map((coins) => coins.map((coin) => coin.join(':')).join()),
    amount,
    amountIn: amount,
    amountOut: amount,
    from: fc.constantFrom(...knownValues.accounts),
    recipient: fc.oneof(fc.constantFrom(...knownValues.accounts), random(20)),
    slippage: fc.constantFrom('0', '0.01', '0.5', '5', '99.9999', 'auto'),
    convenienceFee: fc.constantFrom('0', '0.0001', '1', '10'),
    convenienceFeeRecipient: fc.constantFrom(...knownValues.accounts),
    minimumBlock: fc.integer({ min: knownValues.head - 7, max: knownValues.head + 2 }).map(String),
    // The local node lacks the state of most past blocks.
    block: fc.oneof(
      fc.constantFrom('latest', 'pending', 'safe', 'finalized', 'earliest', String(knownValues.head)),
      fc.integer({ min: 0, max: knownValues.head + 3 }).map(String),
    ),
    // Most deadlines are in the future.
    deadline: fc.integer({ min: 1.7e9, max: 4e9 }).map(String),
    gasPrice: fc.constantFrom('0', '1', '1000000000', '100000000000', `${2n ** 64n - 1n}`),
    gas: fc.constantFrom('100000', '1000000', '0x989680'),
    includeSources: someOf(knownValues.sources, 8),
    excludeSources: someOf(knownValues.sources, 8),
    excludePools: someOf(knownValues.pools, 20),
    maxHops: fc.constantFrom('1', '2', '3', '4'),
    maxSplits: fc.oneof(fc.constantFrom('1', '2', '3', '4'), fc.integer({ min: 1, max: 64 }).map(String)),
    maxPriceImpact: fc.constantFrom('0.1', '1', '15', '100'),
    permit: fc.constantFrom(...knownValues.permits.map(({ permit }) => permit)),
    data: fc.oneof(fc.constant('0x'), random(4), random(68)),
    hash: fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...knownValues.transactions) },
      { weight: 1, arbitrary: random(32) },
    ),
  }
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (Object.hasOwn(byName, name)) return byName[name]!
  return schema.pattern ? fc.stringMatching(new RegExp(schema.pattern)) : fc.string({ maxLength: 20 })
}

/** Returns values of a parameter. @param wrong - percent of values that are unusual or invalid */
function value(
  parameter: Pick<Parameter, 'name' | 'schema'>,
  knownValues: KnownValues,
  wrong: number,
): fc.Arbitrary<string> {
  const bySchema = parameter.schema.pattern
    ? fc.stringMatching(new RegExp(parameter.schema.pattern)).map((text) => text.slice(0, 400))
    : odd
  return fc.oneof(
    { weight: 100 - wrong, arbitrary: meant(parameter, knownValues) },
    { weight: Math.ceil(wrong / 2), arbitrary: bySchema },
    { weight: Math.ceil(wrong / 2), arbitrary: odd },
  )
}

/** Percent of requests with plausible values only, so that enough requests succeed. */
const ALL_MEANT = 70
const WRONG = 8

function record(
  parameters: readonly (Pick<Parameter, 'name' | 'schema'> & { readonly required: boolean })[],
  knownValues: KnownValues,
): fc.Arbitrary<Readonly<Record<string, string>>> {
  const of = (wrong: number) =>
    fc
      .tuple(
        ...parameters.map((parameter) => {
          const drawnValue = value(parameter, knownValues, wrong)
          const nothing = fc.constant(undefined)
          const isNeeded = parameter.required || parameter.name === 'amount'
          if (isNeeded && wrong === 0) return drawnValue
          // Required parameters are rarely omitted; of the optional ones, about a third is present.
          const [some, none] = isNeeded ? [30, 1] : parameter.name === 'permit' ? [1, 9] : [3, 7]
          return fc.oneof({ weight: some, arbitrary: drawnValue }, { weight: none, arbitrary: nothing })
        }),
      )
      .map((values) =>
        permitted(
          oneAmount(
            Object.fromEntries(
              parameters.flatMap(({ name }, k) => (values[k] === undefined ? [] : [[name, values[k]] as const])),
            ),
          ),
          knownValues,
        ),
      )
  return fc.oneof({ weight: ALL_MEANT, arbitrary: of(0) }, { weight: 100 - ALL_MEANT, arbitrary: of(WRONG) })
}

/** Usually removes `amount` if both `amount` and `amountOut` are drawn, because they exclude each other. */
function oneAmount(values: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { amount, ...otherValues } = values
  return values.amountOut === undefined || amount?.endsWith('7') ? values : otherValues
}

/** Usually sets the token and owner of a drawn valid permit, so that it can succeed. */
function permitted(
  values: Readonly<Record<string, string>>,
  { permits }: KnownValues,
): Readonly<Record<string, string>> {
  const signed = permits.find(({ permit }) => permit === values.permit)
  if (!signed || values.amount?.startsWith('13')) return values
  const { src, from } = signed
  return { ...values, src, from }
}

/** Returns requests of all documented operations, weighted by their number of parameters. */
export function drawn({ paths }: Document, knownValues: KnownValues): fc.Arbitrary<Drawn> {
  // Endpoints for operators have no parameters to combine.
  const described = Object.entries(paths).filter(([path]) => !/^\/(health|ready|metrics)/.test(path))
  const operations = described.flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      weight: Math.ceil(Math.max(8, operation.parameters.length + (operation.requestBody ? 8 : 0)) ** 1.75),
      arbitrary: requestOf(path, method.toUpperCase(), operation, knownValues),
    })),
  )
  return fc.oneof(...operations)
}

/** Maximum objects of a list in a body. */
const MAX_LISTED = 2

function fieldsOf({ properties = {}, required = [] }: Schema) {
  return Object.entries(properties).map(([name, schema]) => ({ name, schema, required: required.includes(name) }))
}

function requestOf(path: string, method: string, operation: Operation, knownValues: KnownValues): fc.Arbitrary<Drawn> {
  const inPath = operation.parameters.filter((parameter) => parameter.in === 'path')
  const inHeader = operation.parameters.filter((parameter) => parameter.in === 'header')
  const body = operation.requestBody?.content['application/json'].schema
  const all = body ? fieldsOf(body) : []
  const listed = all.filter(({ schema }) => schema.items?.properties)
  const fields = body
    ? all.filter((field) => !listed.includes(field))
    : operation.parameters.filter((parameter) => parameter.in === 'query')
  /** Names of parameters that are lists of text, which a query joins with commas. */
  const plain = all.filter(({ schema }) => schema.type === 'array' && !schema.items?.properties).map(({ name }) => name)
  const places = record(
    inPath.map((parameter) => ({ ...parameter, required: true })),
    knownValues,
  )
  const lists = fc.record(
    Object.fromEntries(
      listed.map(({ name, schema }) => [
        name,
        fc.array(record(fieldsOf(schema.items!), knownValues), { minLength: 1, maxLength: MAX_LISTED }),
      ]),
    ),
  )
  return fc
    .tuple(places, record(inHeader, knownValues), record(fields, knownValues), lists)
    .map(([places, sent, values, lists]) => {
      const target = path.replace(/\{(\w+)\}/g, (_, name: string) =>
        encodeURIComponent((places[name] ?? '').toWellFormed()),
      )
      const split = Object.fromEntries(plain.flatMap((name) => (values[name] ? [[name, values[name].split(',')]] : [])))
      const query = body ? '' : `?${new URLSearchParams(values)}`
      // Only values of visible ASCII are sent as headers.
      const headers = Object.fromEntries(Object.entries(sent).filter(([, text]) => /^[\x21-\x7e]*$/.test(text)))
      return {
        operation,
        path: target + query,
        init: body
          ? {
              method,
              headers: { ...headers, 'content-type': 'application/json' },
              body: JSON.stringify({ ...values, ...split, ...lists }),
            }
          : { method, headers },
        values,
        lists,
      }
    })
}

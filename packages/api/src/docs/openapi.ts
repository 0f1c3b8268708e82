/** Generates the OpenAPI 3.1 document from the schemas that parse requests. */
import { z } from 'zod'
import { errorTable } from '../error-table.ts'
import { chainReady, health, ready } from '../operator-responses.ts'
import { refereeResponse } from '../referee-response.ts'
import {
  currentPricesPath,
  currentPricesQuery,
  historyQuery,
  liquidityQuery,
  NATIVE_TEXT,
  pricesBody,
  pricesQuery,
  simulateFields,
  statsQuery,
  statusQuery,
  tokenListQuery,
  tokensQuery,
} from '../requests.ts'
import {
  chainMap,
  currentPrices,
  errorBody,
  liquidity,
  priceHistory,
  prices,
  quoteResponse,
  quotesResponse,
  simulation,
  streamEvents,
  swapResponse,
  tokenList,
  tokenReports,
} from '../responses.ts'
import { stats } from '../stats-response.ts'
import { permitResponse } from '../swap/permit-response.ts'
import { listParameters, permitQuery, quoteParameters, quotesFields, swapParameters } from '../swap/request.ts'
import { statusResponse } from '../swap/status-response.ts'
import exampleAnswers from './example-answers.json' with { type: 'json' }

/** Returns the response of the local chain for an operation, recorded by `npm run docs -- --examples`. */
export const exampleOf = (operationId: string): ExampleAnswer | undefined =>
  (exampleAnswers as Readonly<Record<string, ExampleAnswer>>)[operationId]

/** A recorded request and its response. */
export type ExampleAnswer = {
  /** Method and path. */
  readonly request: string
  readonly body?: unknown
  readonly answer: unknown
}
type Json = Readonly<Record<string, unknown>>
type ObjectSchema = { readonly properties: Readonly<Record<string, Json>>; readonly required?: readonly string[] }
export type Operation = {
  readonly summary: string
  readonly description: string
  readonly statuses: readonly number[]
}

/** Error statuses that every endpoint can return. */
const commonStatuses = [400, 405, 408, 431, 500]
/** Error statuses that every endpoint of a chain can return. */
const chainStatuses = [...commonStatuses, 404, 414, 502, 503, 504]
const descriptions = {
  swap: {
    summary: 'Best route and the transaction to submit',
    description:
      'Finds the route that pays most after gas, splits it over several pools if that is better, and returns a transaction to the Guard Contract. The returned bytes were simulated. Check that `tx` exists and `toAmount` is not `0`, approve `tx.to` for an ERC-20 input, and submit `tx` unmodified with a gas limit 20 % above `gasEstimate`.',
    statuses: [...chainStatuses, 403, 422],
  },
  quote: {
    summary: 'The best route without a wallet',
    description:
      'Like `/aggregator`, without the transaction: for the input field of a swap form. `from` is optional; without it, the route is simulated from an address that no token treats specially. At the same block, `/aggregator` returns the same amounts.',
    statuses: [...chainStatuses, 403, 422],
  },
  quotes: {
    summary: 'Many quotes of one block',
    description:
      'Up to 20 quotes at the same block. Each has its own result or error; an error does not affect the other quotes. Parameters may be JSON numbers, booleans (for 0 and 1), and arrays (for lists); null stands for an absent parameter. If quotes name a `minimumBlock`, the highest one applies to all.',
    statuses: [...chainStatuses, 413],
  },
  stream: {
    summary: 'A quote that is kept up to date',
    description:
      'Server-Sent Events, for `EventSource`. Takes the parameters of `/quote`, or of `/aggregator` if `from` is given. Sends at most one event per block: `quote` first, and whenever the best amount or route changes; `block` if the last quote still holds; `refused` if there is no quote; `end` with a reason if the chain cannot be read or the service stops. Close the `EventSource` after `end`. A refusal before the first event is an ordinary response with an error status. The `EventSource` of a browser does not reconnect after such a response: open a new one after `Retry-After`. The id of an event is its block. A comment every 10 s keeps connections through proxies open. Identical streams share the work. The number of open streams per caller is limited.',
    statuses: [...chainStatuses, 403],
  },
  simulate: {
    summary: 'Simulation of a transaction',
    description:
      'Simulates any call on the state of `block`, in the environment of the block after it, with balance and allowance of `from` set to `amountIn`. Simulates the call once more without measuring code at the sender, because some tokens and routers check the code of accounts. A revert is a result: status 200 with `success` false.',
    statuses: [...chainStatuses, 413, 422],
  },
  prices: {
    summary: 'USD prices of tokens',
    description:
      'Null for tokens without a known price. With `detail=1`, each price has its sources and a confidence. A POST takes up to 1,000 tokens, as an array. Responses to GET have an `ETag`.',
    statuses: [...chainStatuses, 413, 422],
  },
  currentPrices: {
    summary: "USD prices in the format of DefiLlama's price API",
    description:
      'For programs that read DefiLlama: the same path with this base URL, and the prices of `/prices`. `coins` is a list of up to 100 times `chain:address`, separated by commas, on at most 20 served chains. `chain` is the key of the chain at DefiLlama (`CoinsPrefix` in `/chains`), its chain id, or its name in `/chains`, in any letter case. The zero address and NATIVE are the native token. The keys of the response are the coins as the request spells them. Coins without a price are absent: coins of chains that are not served, unknown tokens, tokens whose pools are still being searched for (repeat the request), and coins of a chain that fails or does not answer in time while another chain answers. The response has an `ETag`.',
    statuses: [...commonStatuses, 414, 502, 503, 504],
  },
  liquidity: {
    summary: 'Depth of tokens in USD',
    description: 'USD liquidity of the tokens in all pools of the chain; null for tokens without a known price.',
    statuses: chainStatuses,
  },
  history: {
    summary: 'Past prices of tokens',
    description:
      "USD prices at the blocks that the process has followed, kept in memory: at most 512 points per token, at a distance in blocks that grows with the length of the history. Recording of a token starts with the first request for it; recording of the tokens in the chain's file starts with the first request for the chain. At most 64 tokens per chain are recorded. Empty for tokens without a price.",
    statuses: chainStatuses,
  },
  permit: {
    summary: 'Permits to sign instead of an approval',
    description:
      "The permits that the token and the chain support, read on chain: EIP-2612, DAI's variant of it, and Permit2, with domain and nonce at the current block. Sign one with `eth_signTypedData_v4`, append the signature to `permit`, and pass the result to `/aggregator`.",
    statuses: chainStatuses,
  },
  tokens: {
    summary: 'Behavior of tokens when they are traded',
    description:
      'Taxes by pool and direction, measured on the current state with two amounts in one `eth_call` per pool. The report does not show how a token behaves later, or for other accounts.',
    statuses: chainStatuses,
  },
  tokenList: {
    summary: 'Token list',
    description:
      "In the format of Uniswap's token lists, sorted by descending liquidity: the tokens of the chain's file, and tokens with at least 10,000 USD in pools. Names and symbols are those of the contracts, without control characters, bidirectional overrides, and similar characters.",
    statuses: chainStatuses,
  },
  status: {
    summary: 'Status of a transaction',
    description:
      'Returns whether a transaction is pending, was mined, or reverted and why. For a swap through the Guard Contract, also returns the amounts that left the sender and reached the recipient, by the logs of the receipt; with `toAmount`, compared with the quote. Each request asks the node, so poll about once per block.',
    statuses: chainStatuses,
  },
  referee: {
    summary: 'Quality of a mined swap',
    description:
      'Judges a mined swap of any router. Reads the paid and received amounts from logs, balances, and native transfers. Quotes the same trade at the state before the swap. Returns how much more the best route would have paid, and the maximum for any route according to the proven bound. Reports a sandwich if transactions of the same block look like one. The node must have the state of the previous block; with eth_simulateV1, the state at the position of the swap in its block is used too. `gaps` lists the data that could not be read. A request takes seconds.',
    statuses: chainStatuses,
  },
  stats: {
    summary: 'Changes of quotes in later blocks',
    description:
      'A share of the quotes is simulated again one and two blocks later, with the same transaction. The statistics show how the output changed and how many transactions would have reverted: for the chain, and by DEX family, DEX, and pool.',
    statuses: chainStatuses,
  },
  chains: {
    summary: 'Supported chains',
    description: 'The chains that all other endpoints accept.',
    statuses: commonStatuses,
  },
  health: {
    summary: 'Liveness of the process',
    description: 'Returns 200 while the process is alive. Restart the process if it does not respond.',
    statuses: commonStatuses,
  },
  ready: {
    summary: 'Readiness of the process',
    description:
      'Returns 503 while the process stops, if it can serve no chain, and if Redis has not answered for 15 s. A single chain that fails is reported in the body, with status 200.',
    statuses: commonStatuses,
  },
  chainReady: {
    summary: 'Readiness of a chain',
    description:
      'Returns 503 while the chain cannot be followed. An idle chain counts as ready: the next request starts it.',
    statuses: [...commonStatuses, 404],
  },
  metrics: {
    summary: 'Metrics for Prometheus',
    description:
      'In the Prometheus text format. Names begin with `sluice_`. If `METRICS_PORT` is set, the metrics are served only on that port, and this path answers 404.',
    statuses: [...commonStatuses, 404],
  },
} as const satisfies Record<string, Operation>

const TAGS: Readonly<Record<keyof typeof descriptions, string>> = {
  ...{ swap: 'Swaps', quote: 'Swaps', quotes: 'Swaps', stream: 'Swaps', permit: 'Swaps', status: 'Swaps' },
  referee: 'Swaps',
  ...{ simulate: 'Simulation', prices: 'Prices', currentPrices: 'Prices', liquidity: 'Prices', history: 'Prices' },
  ...{ tokens: 'Tokens', tokenList: 'Tokens', stats: 'Chains', chains: 'Chains' },
  ...{ health: 'Operation', ready: 'Operation', chainReady: 'Operation', metrics: 'Operation' },
}
const TAG_DESCRIPTIONS = {
  Swaps: 'Quotes, transactions, and their status.',
  Simulation: 'Simulation of transactions of any router on current state.',
  Prices: 'USD prices and depth from on-chain liquidity.',
  Tokens: 'Token lists, and the behavior of tokens.',
  Chains: 'Supported chains, and changes of quotes in later blocks.',
  Operation: 'For operators: liveness, readiness, and metrics of the process.',
}

/** WETH on Ethereum, for examples. */
const WETH = '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2'

const MAX_INT32 = 2 ** 31 - 1

const inputSchema = (schema: z.ZodType) => toSchema(schema, 'input') as unknown as ObjectSchema
const outputSchema = (schema: z.ZodType) => toSchema(schema, 'output')

function toSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...schemaBody } = z.toJSONSchema(schema, {
    io,
    target: 'draft-2020-12',
    override: ({ jsonSchema }) => {
      // Generators for Java, C#, Kotlin, and Rust take 32 bits without a format. Some chain ids are longer.
      if (jsonSchema.type === 'integer' && !(jsonSchema.maximum! <= MAX_INT32)) jsonSchema.format = 'int64'
    },
  })
  return schemaBody
}

function queryParameters(schema: z.ZodType): Json[] {
  const { properties, required = [] } = inputSchema(schema)
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    description,
    schema,
  }))
}

const chainId = {
  name: 'chain_id',
  in: 'path',
  required: true,
  description: 'EVM chain id: one of the keys of the response of `/chains`.',
  schema: { type: 'string', pattern: '^[1-9][0-9]*$' },
}
const transactionHash = {
  name: 'hash',
  in: 'path',
  required: true,
  description: 'Hash of the transaction.',
  schema: { type: 'string', pattern: '^0x[0-9a-fA-F]{64}$' },
}
const requestId = {
  name: 'X-Request-Id',
  in: 'header',
  required: false,
  description: 'Returned in the response; generated if absent.',
  schema: { type: 'string', pattern: '^[A-Za-z0-9_.-]{1,64}$' },
}

function pathParameters(schema: z.ZodType, examples: Readonly<Record<string, string>>): Json[] {
  const { properties } = inputSchema(schema)
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    ...{ name, in: 'path', required: true, description, schema, example: examples[name] },
  }))
}

/** Returns the response of an error status; its description lists the causes of all codes with that status. */
function errorResponse(status: number): Json {
  const rows = Object.entries(errorTable).filter(([, row]) => row.status === status)
  return {
    description: rows.map(([code, { cause }]) => `\`${code}\`: ${cause}`).join('\n\n'),
    ...(status === 503 && { headers: { 'Retry-After': { description: 'Seconds.', schema: { type: 'integer' } } } }),
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  }
}

function operation(
  name: keyof typeof descriptions,
  schema: string,
  parameters: readonly Json[],
  extra: Json = {},
  mediaType = 'application/json',
): Json {
  const { summary, description, statuses } = descriptions[name]
  const operationId = typeof extra.operationId === 'string' ? extra.operationId : name
  return {
    operationId,
    tags: [TAGS[name]],
    summary,
    description,
    parameters: [...parameters, requestId],
    ...extra,
    responses: {
      200: {
        description: 'OK',
        content: {
          [mediaType]: { schema: { $ref: `#/components/schemas/${schema}` }, example: exampleOf(operationId)?.answer },
        },
      },
      ...Object.fromEntries([...statuses].sort((a, b) => a - b).map((status) => [status, errorResponse(status)])),
    },
  }
}

/** Adds the 503 response of a readiness endpoint, with the same body schema as the response 200. */
function withNotReady(operation: Json): Json {
  const responses = operation.responses as Readonly<Record<string, Json>>
  return { ...operation, responses: { ...responses, 503: { ...responses[200], description: 'Not ready' } } }
}

function bodyWith(schema: z.ZodType): Json {
  return { required: true, content: { 'application/json': { schema: withJsonTypes(inputSchema(schema)) } } }
}

/** Adds the JSON types that a body accepts in place of text: numbers, booleans, lists, and null for an absent field. */
function withJsonTypes(schema: ObjectSchema): ObjectSchema {
  const { properties, required = [] } = schema
  const fields = Object.entries(properties).map(([name, field]) => [
    name,
    fieldWithJsonTypes(field, listParameters.has(name), required.includes(name)),
  ])
  return { ...schema, properties: Object.fromEntries(fields) }
}

function fieldWithJsonTypes(field: Json, isList: boolean, isRequired: boolean): Json {
  const { description, default: value, ...text } = field
  if (isObjectSchema(text.items)) return { ...field, items: withJsonTypes(text.items) }
  if (text.type !== 'string') return field
  const matchesPattern = (value: string) => typeof text.pattern === 'string' && new RegExp(text.pattern).test(value)
  const isFlag = Array.isArray(text.enum) && text.enum.includes('1')
  const jsonTypes = [
    ...(matchesPattern('1') ? [{ type: matchesPattern('0.5') ? 'number' : 'integer', minimum: 0 }] : []),
    ...(isFlag ? [{ enum: [0, 1, false, true] }] : []),
    ...(isList ? [{ type: 'array', items: { type: 'string' } }] : []),
    ...(isRequired ? [] : [{ type: 'null' }]),
  ]
  if (jsonTypes.length === 0) return field
  return { description, ...(value !== undefined && { default: value }), anyOf: [text, ...jsonTypes] }
}

function isObjectSchema(schema: unknown): schema is ObjectSchema {
  return typeof schema === 'object' && schema !== null && 'properties' in schema
}

export function openApiDocument(): Json {
  const simulatePost = operation('simulate', 'Simulation', [chainId], {
    requestBody: bodyWith(simulateFields),
    operationId: 'simulatePost',
  })
  return {
    openapi: '3.1.0',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: {
      title: 'Sluice',
      version: '1.0.0',
      description:
        'Swap aggregation for EVM chains. Needs no key and no registration. Any web page may call the API: CORS preflight allows every request header, and every header that is documented here can be read. Amounts are integers in base units, as strings. Bodies above 1 kB are compressed for clients that accept gzip. Error bodies are those of version B; a service that is configured for version A answers errors with plain text, 404 with an HTML page, and a missing route with 200 and `toAmount` `0`.',
      contact: { name: 'The contributors to Sluice' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [],
    tags: Object.entries(TAG_DESCRIPTIONS).map(([name, description]) => ({ name, description })),
    paths: {
      '/aggregator/{chain_id}': { get: operation('swap', 'Route', [chainId, ...queryParameters(swapParameters)]) },
      '/quote/{chain_id}': { get: operation('quote', 'Quote', [chainId, ...queryParameters(quoteParameters)]) },
      '/quotes/{chain_id}': { post: operation('quotes', 'Quotes', [chainId], { requestBody: bodyWith(quotesFields) }) },
      '/stream/{chain_id}': {
        get: operation(
          'stream',
          'StreamEvents',
          [chainId, ...queryParameters(quoteParameters.omit({ block: true, proof: true }))],
          {},
          'text/event-stream',
        ),
      },
      '/simulate/{chain_id}': {
        get: operation('simulate', 'Simulation', [chainId, ...queryParameters(simulateFields)]),
        post: simulatePost,
      },
      '/prices/{chain_id}': {
        get: operation('prices', 'Prices', [chainId, ...queryParameters(pricesQuery)]),
        post: operation('prices', 'Prices', [chainId], {
          requestBody: bodyWith(pricesBody),
          operationId: 'pricesPost',
        }),
      },
      '/prices/current/{coins}': {
        get: operation('currentPrices', 'CurrentPrices', [
          ...pathParameters(currentPricesPath, { coins: `ethereum:${WETH},42161:${NATIVE_TEXT}` }),
          ...queryParameters(currentPricesQuery),
        ]),
      },
      '/liquidity/{chain_id}': {
        get: operation('liquidity', 'Liquidity', [chainId, ...queryParameters(liquidityQuery)]),
      },
      '/history/{chain_id}': {
        get: operation('history', 'PriceHistory', [chainId, ...queryParameters(historyQuery)]),
      },
      '/permit/{chain_id}': { get: operation('permit', 'Permits', [chainId, ...queryParameters(permitQuery)]) },
      '/tokens/{chain_id}': { get: operation('tokens', 'TokenReports', [chainId, ...queryParameters(tokensQuery)]) },
      '/tokenlist/{chain_id}': {
        get: operation('tokenList', 'TokenList', [chainId, ...queryParameters(tokenListQuery)]),
      },
      '/status/{chain_id}/{hash}': {
        get: operation('status', 'Status', [chainId, transactionHash, ...queryParameters(statusQuery)]),
      },
      '/referee/{chain_id}/{hash}': { get: operation('referee', 'Verdict', [chainId, transactionHash]) },
      '/stats/{chain_id}': { get: operation('stats', 'Stats', [chainId, ...queryParameters(statsQuery)]) },
      '/chains': { get: operation('chains', 'ChainMap', []) },
      '/health': { get: operation('health', 'Health', []) },
      '/ready': { get: withNotReady(operation('ready', 'Ready', [])) },
      '/ready/{chain_id}': { get: withNotReady(operation('chainReady', 'ChainReady', [chainId])) },
      '/metrics': { get: operation('metrics', 'Metrics', [], {}, 'text/plain') },
    },
    components: { schemas: responseSchemas() },
  }
}

function responseSchemas(): Json {
  return {
    Route: outputSchema(swapResponse),
    Quote: outputSchema(quoteResponse),
    Quotes: outputSchema(quotesResponse),
    StreamEvents: outputSchema(streamEvents),
    Simulation: outputSchema(simulation),
    Prices: outputSchema(prices),
    CurrentPrices: outputSchema(currentPrices),
    Liquidity: outputSchema(liquidity),
    PriceHistory: outputSchema(priceHistory),
    Permits: outputSchema(permitResponse),
    TokenReports: outputSchema(tokenReports),
    TokenList: outputSchema(tokenList),
    Status: outputSchema(statusResponse),
    Verdict: outputSchema(refereeResponse),
    Stats: outputSchema(stats),
    ChainMap: outputSchema(chainMap),
    Health: outputSchema(health),
    Ready: outputSchema(ready),
    ChainReady: outputSchema(chainReady),
    Metrics: { type: 'string', description: 'Lines of names, labels, and values.' },
    Error: outputSchema(errorBody),
  }
}

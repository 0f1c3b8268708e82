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
const chainStatuses = [...commonStatuses, 404, 414, 502, 503, 504]
const descriptions = {
  swap: {
    summary: 'Best route and the transaction to submit',
    description:
      'Splits the order over pools where that pays after gas, simulates the very bytes it returns, and answers with a transaction to the Guard Contract. Check that `tx` exists and `toAmount` is not `0`, approve `tx.to` for ERC-20 input, and submit `tx` unmodified with a gas limit 20 % above `gasEstimate`.',
    statuses: [...chainStatuses, 403, 422],
  },
  quote: {
    summary: 'The best route without a wallet',
    description:
      'What `/aggregator` answers, without the transaction: for the input field of a swap form. `from` may be left out; the route is simulated from an address that no token knows then. At the same block the figures are those of the transaction that follows.',
    statuses: [...chainStatuses, 403, 422],
  },
  quotes: {
    summary: 'Many quotes of one block',
    description:
      'Up to 20 quotes at the same block, each with its own result or error, which does not fail the others. Numbers, booleans of flags, and lists may stand as such; null is an absent parameter. The chain waits for the latest `minimumBlock` of all.',
    statuses: [...chainStatuses, 413],
  },
  stream: {
    summary: 'A quote that is kept up to date',
    description:
      'Server-Sent Events, for `EventSource`. Parameters of `/quote`, or of `/aggregator` where `from` is given. At most one event a block: `quote` first and whenever another amount or route is best, `block` where the last one stands, `refused` where there is none, `end` with a reason when the chain cannot be read or the service stops; close the `EventSource` then. A refusal before the first event is an ordinary answer with its status, after which an `EventSource` of a browser does not come back by itself: open another one after `Retry-After`. The id of an event is its block. A comment every 10 s keeps proxies awake. Identical streams share their work; how many one caller may have open is limited.',
    statuses: [...chainStatuses, 403],
  },
  simulate: {
    summary: 'What a transaction would do',
    description:
      'Runs any call against the state of `block`, in the block after it, with balance and allowance of `from` set to `amountIn`; and once more as it is sent, for tokens and routers that ask for the code of accounts. A revert is an answer: 200 with `success` false.',
    statuses: [...chainStatuses, 413, 422],
  },
  prices: {
    summary: 'USD prices of tokens',
    description:
      'Null for tokens that are not recognised. With `detail=1` each price comes with what it rests on. A POST takes up to 1,000 tokens, as a list. Answers to GET carry an `ETag`.',
    statuses: [...chainStatuses, 413, 422],
  },
  currentPrices: {
    summary: "USD prices in the shape of DefiLlama's price API",
    description:
      'For programs that read DefiLlama: the same path under this base address, over the prices of `/prices`. `coins` are up to 100 of `chain:address`, separated by commas, on at most 20 served chains: `chain` is the key of the chain at DefiLlama (`CoinsPrefix` of `/chains`), its chain id, or its name there; letter case does not count; the zero address and NATIVE are the native token. The keys of the answer are the coins as sent. Coins without a price are absent: those of other chains, tokens that are not recognised, those whose pools are still being looked for (ask again), and those of a chain that fails or does not answer in time, as long as another one does. Carries an `ETag`.',
    statuses: [...commonStatuses, 414, 502, 503, 504],
  },
  liquidity: {
    summary: 'Depth of tokens in USD',
    description: 'Liquidity of all pools of the chain; null for tokens that are not recognised.',
    statuses: chainStatuses,
  },
  history: {
    summary: 'Past prices of tokens',
    description:
      'USD prices of the blocks that the process has followed, in memory only: at most 512 points a token, at a distance in blocks that grows with their number. Recording of a token starts with its first request, and of the tokens in the file of the chain with the first request for the chain; at most 64 tokens a chain are recorded. Empty for tokens without a price.',
    statuses: chainStatuses,
  },
  permit: {
    summary: 'What to sign instead of an approval',
    description:
      "The forms that token and chain know, found on chain: EIP-2612, DAI's form of it, and Permit2, with domain and nonce of the current block. Sign one with `eth_signTypedData_v4` and give `permit` with the signature behind it to `/aggregator`.",
    statuses: chainStatuses,
  },
  tokens: {
    summary: 'What tokens do to those who trade them',
    description:
      'Taxes by pool and direction, measured on current state at two sizes in one `eth_call` a pool. What a token may do later, or to others, does not show.',
    statuses: chainStatuses,
  },
  tokenList: {
    summary: 'Tokens to choose from',
    description:
      "In the format of Uniswap's token lists, deepest first: what the chain's file names, and what was found in pools with at least 10,000 USD. Names and symbols are what contracts say, without control characters, bidirectional overrides and the like.",
    statuses: chainStatuses,
  },
  status: {
    summary: 'What became of a transaction',
    description:
      'Whether a transaction waits, landed, or reverted and why. Of a swap through the Guard Contract it says what left the sender and what arrived, by the logs of the receipt; with `toAmount`, compared with the quote. Asks the node at each request: poll about once a block.',
    statuses: chainStatuses,
  },
  referee: {
    summary: 'How good a mined swap was',
    description:
      'Reads what a swap of any router gave and received, by logs, balances, and moves of the native token, quotes the same trade at the state before it, and says what was left on the table, at most by the proven bound, and whether its neighbors in the block look like a sandwich. The node must have the state of the block before; with eth_simulateV1 the state in its position in the block is compared, too. `gaps` names what could not be read. Takes seconds.',
    statuses: chainStatuses,
  },
  stats: {
    summary: 'How quotes hold',
    description:
      'A share of the quotes is simulated again one and two blocks later, just as it was answered: what it would have paid then, and whether it would have reverted. By chain, and by families, brands and pools of the routes.',
    statuses: chainStatuses,
  },
  chains: {
    summary: 'Supported chains',
    description: 'Exactly the chains that every other endpoint takes.',
    statuses: commonStatuses,
  },
  health: {
    summary: 'Whether the process lives',
    description: 'Answers 200 as long as the process does. Restart the process if it does not answer.',
    statuses: commonStatuses,
  },
  ready: {
    summary: 'Whether the process should get requests',
    description:
      '503 while the process stops, when it can serve no chain, and when Redis has been away for 15 s. One chain that fails is reported in the body, with status 200.',
    statuses: commonStatuses,
  },
  chainReady: {
    summary: 'Whether a chain can be quoted',
    description: '503 while the chain cannot be followed. A chain that sleeps is ready: the next request wakes it up.',
    statuses: [...commonStatuses, 404],
  },
  metrics: {
    summary: 'Metrics for Prometheus',
    description:
      'In the text format of Prometheus. Names begin with `sluice_`. With `METRICS_PORT` they are on that port alone, and this path answers 404.',
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
  Swaps: 'Quotes, transactions, and what became of them.',
  Simulation: 'Transactions of any router, run against current state.',
  Prices: 'USD prices and depth from on-chain liquidity.',
  Tokens: 'Tokens to choose from, and how they behave.',
  Chains: 'Supported chains, and how quotes on them hold.',
  Operation: 'For operators: life, readiness, and metrics of the process.',
}

/** WETH on Ethereum, for examples. */
const WETH = '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2'

const input = (schema: z.ZodType) => toSchema(schema, 'input') as unknown as ObjectSchema
const output = (schema: z.ZodType) => toSchema(schema, 'output')

function toSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...schemaBody } = z.toJSONSchema(schema, { io, target: 'draft-2020-12' })
  return schemaBody
}

function queryParameters(schema: z.ZodType): Json[] {
  const { properties, required = [] } = input(schema)
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
  description: 'EVM chain id; one of the keys of `/chains`.',
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
  description: 'Echoed in the answer; made when absent.',
  schema: { type: 'string', pattern: '^[A-Za-z0-9_.-]{1,64}$' },
}

/** Converts a schema to path parameters. */
function pathParameters(schema: z.ZodType, examples: Readonly<Record<string, string>>): Json[] {
  const { properties } = input(schema)
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

/** Adds the 503 response of readiness endpoints, whose body is the same as that of 200. */
function withNotReady(operation: Json): Json {
  const responses = operation.responses as Readonly<Record<string, Json>>
  return { ...operation, responses: { ...responses, 503: { ...responses[200], description: 'Not ready' } } }
}

function bodyWith(schema: z.ZodType): Json {
  return { required: true, content: { 'application/json': { schema: withJsonTypes(input(schema)) } } }
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
  const allows = (value: string) => typeof text.pattern === 'string' && new RegExp(text.pattern).test(value)
  const isFlag = Array.isArray(text.enum) && text.enum.includes('1')
  const jsonTypes = [
    ...(allows('1') ? [{ type: allows('0.5') ? 'number' : 'integer', minimum: 0 }] : []),
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

/** Returns the OpenAPI document. */
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
        'Swap aggregation for EVM chains. No key, no registration. Any web page may call: preflight allows every header that is asked for, and every header that is documented here can be read. Amounts are integers in base units, as strings. Bodies above 1 kB are compressed for clients that accept it. Error bodies are those of version B; a service configured for version A answers with text, an HTML page for 404, and 200 with `toAmount` `0` when there is no route.',
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
    Route: output(swapResponse),
    Quote: output(quoteResponse),
    Quotes: output(quotesResponse),
    StreamEvents: output(streamEvents),
    Simulation: output(simulation),
    Prices: output(prices),
    CurrentPrices: output(currentPrices),
    Liquidity: output(liquidity),
    PriceHistory: output(priceHistory),
    Permits: output(permitResponse),
    TokenReports: output(tokenReports),
    TokenList: output(tokenList),
    Status: output(statusResponse),
    Verdict: output(refereeResponse),
    Stats: output(stats),
    ChainMap: output(chainMap),
    Health: output(health),
    Ready: output(ready),
    ChainReady: output(chainReady),
    Metrics: { type: 'string', description: 'Lines of names, labels, and values.' },
    Error: output(errorBody),
  }
}

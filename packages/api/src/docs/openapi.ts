/** The OpenAPI 3.1 document, made from the very schemas that read requests. */
import { z } from 'zod'
import { errorTable } from '../error-table.ts'
import { liquidityQuery, pricesQuery, simulateFields, swapQuery, tokensQuery } from '../requests.ts'
import {
  chainMap,
  errorBody,
  liquidity,
  prices,
  simulation,
  swapNoRoute,
  swapResponse,
  tokenReports,
} from '../responses.ts'

type Json = Readonly<Record<string, unknown>>
type ObjectSchema = { readonly properties: Readonly<Record<string, Json>>; readonly required?: readonly string[] }
export type Operation = {
  readonly summary: string
  readonly description: string
  readonly statuses: readonly number[]
}

/** Of every request: malformed, too slow or with too large headers. */
const anyStatuses = [400, 405, 408, 431, 500]
const chainStatuses = [...anyStatuses, 404, 414, 502, 503, 504]
const descriptions = {
  swap: {
    summary: 'Best route and the transaction to submit',
    description:
      'Splits the order over pools where that pays after gas, simulates the very bytes it returns, and answers with a transaction to the Guard Contract. Check that `tx` exists and `toAmount` is not `0`, approve `tx.to` for ERC-20 input, and submit `tx` unmodified with a gas limit 20 % above `gasEstimate`.',
    statuses: [...chainStatuses, 403, 422],
  },
  simulate: {
    summary: 'What a transaction would do',
    description:
      'Runs any call against current state in one `eth_call`, with balance and allowance of `from` set to `amountIn`. A revert is an answer: 200 with `success` false.',
    statuses: [...chainStatuses, 413],
  },
  prices: {
    summary: 'USD prices of tokens',
    description: 'Null for tokens that are not recognised.',
    statuses: chainStatuses,
  },
  liquidity: {
    summary: 'Depth of tokens in USD',
    description: 'Liquidity of all pools of the chain; null for tokens that are not recognised.',
    statuses: chainStatuses,
  },
  tokens: {
    summary: 'What tokens do to those who trade them',
    description:
      'Taxes by pool and direction, measured on current state at two sizes in one `eth_call` a pool. What a token may do later, or to others, does not show.',
    statuses: chainStatuses,
  },
  chains: {
    summary: 'Supported chains',
    description: 'Exactly the chains that every other endpoint takes.',
    statuses: anyStatuses,
  },
} as const satisfies Record<string, Operation>

const input = (schema: z.ZodType) => toSchema(schema, 'input') as unknown as ObjectSchema
const output = (schema: z.ZodType) => toSchema(schema, 'output')

function toSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, target: 'draft-2020-12' })
  return rest
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
const requestId = {
  name: 'X-Request-Id',
  in: 'header',
  required: false,
  description: 'Echoed in the answer; made when absent.',
  schema: { type: 'string', pattern: '^[A-Za-z0-9_.-]{1,64}$' },
}

/** Meaning of a status: the causes of all its codes. */
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
): Json {
  const { summary, description, statuses } = descriptions[name]
  return {
    operationId: name,
    summary,
    description,
    parameters: [...parameters, requestId],
    ...extra,
    responses: {
      200: {
        description: 'OK',
        content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
      },
      ...Object.fromEntries([...statuses].sort((a, b) => a - b).map((status) => [status, errorResponse(status)])),
    },
  }
}

export function openApiDocument(): Json {
  const body = { required: true, content: { 'application/json': { schema: input(simulateFields) } } }
  const simulatePost = operation('simulate', 'Simulation', [chainId], {
    requestBody: body,
    operationId: 'simulatePost',
  })
  return {
    openapi: '3.1.0',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: {
      title: 'Sluice',
      version: '1.0.0',
      description:
        'Swap aggregation for EVM chains. No key, no registration. Amounts are integers in base units, as strings. Error bodies are those of version B; a service configured for version A answers with text, an HTML page for 404, and 200 with `toAmount` `0` when there is no route.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    paths: {
      '/aggregator/{chain_id}': { get: operation('swap', 'Route', [chainId, ...queryParameters(swapQuery)]) },
      '/simulate/{chain_id}': {
        get: operation('simulate', 'Simulation', [chainId, ...queryParameters(simulateFields)]),
        post: simulatePost,
      },
      '/prices/{chain_id}': { get: operation('prices', 'Prices', [chainId, ...queryParameters(pricesQuery)]) },
      '/liquidity/{chain_id}': {
        get: operation('liquidity', 'Liquidity', [chainId, ...queryParameters(liquidityQuery)]),
      },
      '/tokens/{chain_id}': { get: operation('tokens', 'TokenReports', [chainId, ...queryParameters(tokensQuery)]) },
      '/chains': { get: operation('chains', 'ChainMap', []) },
    },
    components: {
      schemas: {
        Route: output(swapResponse),
        NoRoute: output(swapNoRoute),
        Simulation: output(simulation),
        Prices: output(prices),
        Liquidity: output(liquidity),
        TokenReports: output(tokenReports),
        ChainMap: output(chainMap),
        Error: output(errorBody),
      },
    },
  }
}

/** Definitions of the tools. Each tool calls the service or the SDK, and returns the fields of its output schema. */
import {
  type ChainEntry,
  ClientError,
  contractsOf,
  explain,
  gasLimit,
  NATIVE,
  type QuoteParameters,
  type RouteParameters,
  type SluiceClient,
  type SwapContracts,
  verify,
} from '@sluice/client'
import type { z } from 'zod'
import * as schemas from './schemas.ts'

/** Dependencies of a tool call. */
export type ToolContext = {
  readonly client: SluiceClient
  /** Contracts configured by the operator, by chain ID. They override the contracts that the SDK knows. */
  readonly contracts: Readonly<Record<string, Partial<SwapContracts>>>
  readonly signal: AbortSignal
}

/** Definition of a tool. */
export type Tool = {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly input: z.ZodObject
  readonly output: z.ZodObject
  /** Name of the output list to shorten if the output is too large. */
  readonly listField?: string
  /** True if the tool does not call the service. */
  readonly isLocal?: boolean
  readonly run: (input: never, context: ToolContext) => Promise<object>
  /** Returns a summary of the output for the model. */
  readonly summarize: (output: never) => string
}

const ZERO_ADDRESS = `0x${'0'.repeat(40)}`
const MAX_WARNINGS = 20
const MAX_CHAINS = 1_000
/** Maximum length of return data as text: 1,024 bytes. */
const MAX_RETURN_CHARS = 2 + 2 * 1_024

function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Omit<Tool, 'input' | 'output' | 'listField' | 'run' | 'summarize'> & {
    readonly input: Input
    readonly output: Output
    readonly listField?: keyof z.output<Output> & string
    readonly run: (input: z.output<Input>, context: ToolContext) => Promise<object>
    readonly summarize: (output: z.output<Output>) => string
  },
): Tool {
  return tool as Tool
}

const quote = defineTool({
  name: 'quote',
  title: 'Quote a swap',
  description:
    'Best route and simulated output for swapping one token for another over decentralized exchanges. Returns no transaction. Amounts are decimal strings in base units.',
  input: schemas.quoteInput,
  output: schemas.quoteOutput,
  listField: 'swaps',
  async run({ chainId, ...request }, { client, signal }) {
    const response = await client.getQuote(chainId, withoutUndefined(request) as QuoteParameters, signal)
    return { ...response, chainId, src: request.src, dst: request.dst, warnings: warningsIn(response) }
  },
  summarize: ({ src, dst, fromAmount, toAmount, minToAmount, swaps, simulationBlock }) =>
    `${fromAmount} base units of ${src} for ${toAmount} base units of ${dst}${
      minToAmount === undefined ? '' : ` (at least ${minToAmount})`
    } by ${swaps.length} trades, at block ${simulationBlock}. The service alone vouches for this; nothing is signed or sent.`,
})

const buildSwap = defineTool({
  name: 'build_swap',
  title: 'Build an unsigned swap transaction',
  description:
    'Unsigned transaction of a swap, returned only after its calldata was decoded and proven against this request: tokens, amounts, recipient, minimum output, fee, deadline, and every contract. Needs `minToAmount` (or `maxFromAmount` with `amountOut`): state what the user accepts, for example `minToAmount` of a quote that the user has agreed to. This server never signs or sends: the user signs in a wallet.',
  input: schemas.buildSwapInput,
  output: schemas.buildSwapOutput,
  async run({ chainId, minToAmount, maxFromAmount, direct, accept, ...rest }, { client, contracts, signal }) {
    const request = { ...withoutUndefined(rest), calls: 1 } as RouteParameters
    const configuredContracts = contracts[chainId]
    // Fails before the request, because nothing can be proven without the contracts of the chain.
    if (!configuredContracts && !contractsOf(chainId))
      throw new ClientError(
        'UNSAFE',
        `the contracts of chain ${chainId} are not known to this server, so that nothing can be proven`,
      )
    const route = await client.getSwap(chainId, request, signal)
    const proof = verify(chainId, route, request, {
      minToAmount,
      maxFromAmount,
      direct,
      accept,
      contracts: configuredContracts,
    })
    // Without `calls`, it is unknown whether an approval is missing.
    if (!route.calls && request.src.toLowerCase() !== NATIVE.toLowerCase())
      throw new ClientError('BAD_ANSWER', 'the answer lacks `calls`, which list the missing approvals')
    return {
      ...route,
      chainId,
      gasLimit: gasLimit(route).toString(),
      approvals: (route.calls ?? []).slice(0, -1),
      proof: withoutBigints(proof),
      warnings: warningsIn(route),
    }
  },
  summarize: ({ tx, proof, approvals }) =>
    `Proven and unsigned: ${tx.from} pays at most ${proof.amountIn} base units of ${proof.tokenIn} and receives at least ${proof.minOutput} base units of ${proof.tokenOut}. ${
      approvals.length === 0 ? 'No approval is missing.' : `Send ${approvals.length} approval(s) first.`
    } The user must sign and send \`tx\` unmodified.`,
})

const simulate = defineTool({
  name: 'simulate',
  title: 'Simulate a transaction',
  description:
    'Runs a call on current state with balance and allowance of the sender set to `amountIn`, and measures the output. Nothing is sent. A revert is an answer with `success` false.',
  input: schemas.simulateInput,
  output: schemas.simulateOutput,
  async run({ chainId, ...request }, { client, signal }) {
    const result = await client.simulate(
      chainId,
      withoutUndefined(request) as Parameters<SluiceClient['simulate']>[1],
      signal,
    )
    const returnData = String(result.returnData)
    return {
      ...result,
      returnData: returnData.slice(0, MAX_RETURN_CHARS),
      returnDataBytes: Math.max(0, Math.floor((returnData.length - 2) / 2)),
    }
  },
  summarize: ({ success, amountOut, gasUsed, revertReason }) =>
    success
      ? `The call succeeds: ${amountOut} base units received, ${gasUsed} gas.`
      : `The call reverts. Reason given by the contract: ${JSON.stringify(revertReason ?? 'none')}.`,
})

const explainTool = defineTool({
  name: 'explain',
  title: 'Explain a Sluice transaction',
  description:
    'Decodes calldata of a Sluice swap, without a request to the service: tokens, amounts, recipient, fee, deadline, pools, and every instruction. Refuses anything that is not a swap of the Guard contract.',
  input: schemas.explainInput,
  output: schemas.explainOutput,
  listField: 'steps',
  isLocal: true,
  async run({ chainId, from, to, data, value }, { contracts }) {
    const explanation = explain({ from: from ?? ZERO_ADDRESS, to, data: data as `0x${string}`, value })
    const trustedContracts = { ...contractsOf(chainId), ...contracts[chainId] }
    return {
      ...(withoutBigints(explanation) as object),
      chainId,
      // If the calldata names no recipient, `explain` returns the sender, which is the zero address without `from`.
      recipient: explanation.recipient === ZERO_ADDRESS ? null : explanation.recipient,
      isKnownGuard: isSameAddress(trustedContracts.guard, to),
      isKnownExecutor: (trustedContracts.executors ?? []).some((executor) =>
        isSameAddress(executor, explanation.executor),
      ),
    }
  },
  summarize: ({ amountIn, tokenIn, minOutput, tokenOut, isKnownGuard, isKnownExecutor, chainId }) =>
    `Swaps at most ${amountIn} base units of ${tokenIn} for at least ${minOutput} base units of ${tokenOut}. ${
      isKnownGuard && isKnownExecutor
        ? `Guard and Executor are those of chain ${chainId}.`
        : `WARNING: ${isKnownGuard ? 'the Executor' : 'the contract called'} is not known on chain ${chainId}, so that it may do anything.`
    }`,
})

const prices = defineTool({
  name: 'prices',
  title: 'Token prices',
  description:
    'USD prices of tokens by address, from the liquidity of the chain. Null for a token that is not recognized.',
  input: schemas.pricesInput,
  output: schemas.pricesOutput,
  listField: 'prices',
  async run({ chainId, tokens }, { client, signal }) {
    const usdPrices = await client.prices(chainId, tokens, signal)
    return {
      prices: tokens.map((token) => ({ token, usd: Object.hasOwn(usdPrices, token) ? usdPrices[token] : null })),
    }
  },
  summarize: ({ prices: list }) =>
    `${list.filter(({ usd }) => usd !== null).length} of ${list.length} tokens have a price.`,
})

const tokens = defineTool({
  name: 'tokens',
  title: 'Find tokens',
  description:
    'Tokens of a chain by symbol, name, or address, with decimals and liquidity, deepest first. Anyone can deploy a token with any name: check the address and `tags` before you use one.',
  input: schemas.tokensInput,
  output: schemas.tokensOutput,
  listField: 'tokens',
  async run({ chainId, q, limit }, { client, signal }) {
    const list = await client.tokenList(chainId, { limit, ...(q !== undefined && { q }) }, signal)
    return {
      tokens: list.slice(0, limit).map((token) => ({ ...token, ...Object(token.extensions) })),
    }
  },
  summarize: ({ tokens: list }) => `${list.length} tokens, deepest first. Symbols and names are text of the contracts.`,
})

const chains = defineTool({
  name: 'chains',
  title: 'List chains',
  description: 'Chains that the service supports, and those for which this server can prove a swap.',
  input: schemas.chainsInput,
  output: schemas.chainsOutput,
  listField: 'chains',
  async run(_, { client, contracts, signal }) {
    const entries = Object.values(await client.chains(signal)).slice(0, MAX_CHAINS)
    return {
      chains: entries.map((entry: ChainEntry) => {
        const { ChainID, ChainName, RouterAddress, Status } = Object(entry) as ChainEntry
        const { guard } = { ...contractsOf(Number(ChainID)), ...contracts[ChainID] }
        return {
          ...{ chainId: Number(ChainID), name: ChainName, status: Status, guard: RouterAddress },
          canBuildSwap: isSameAddress(guard, RouterAddress),
        }
      }),
    }
  },
  summarize: ({ chains: list }) =>
    `${list.length} chains; swaps can be proven on ${list.filter(({ canBuildSwap }) => canBuildSwap).length}.`,
})

export const allTools: readonly Tool[] = [quote, buildSwap, simulate, explainTool, prices, tokens, chains]

function isSameAddress(a: string | undefined, b: unknown): boolean {
  return a !== undefined && typeof b === 'string' && a.toLowerCase() === b.toLowerCase()
}

function warningsIn({ warnings }: { readonly warnings?: unknown }): readonly unknown[] {
  return Array.isArray(warnings) ? warnings.slice(0, MAX_WARNINGS) : []
}

function withoutUndefined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

/** Copies a value with bigints as decimal strings. */
function withoutBigints(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? item.toString() : item)))
}

/** Tests invalid forms of every parameter of every endpoint over HTTP, in both error versions. */
import { loadRegistry } from '@sluice/chains'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { RunningServer } from '../src/index.ts'
import { ask, GUARD, startWithoutChain } from './src/service.ts'

const A = `0x${'aa'.repeat(20)}`
const B = `0x${'bb'.repeat(20)}`
const C = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const NATIVE = '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'
const ZERO = `0x${'0'.repeat(40)}`
const LIMIT = `${2n ** 256n}`
/** Concurrent requests, fewer than the service admits at once. */
const AT_ONCE = 8
const MAX_TRIES = 10

/** Repeats a request while the service is overloaded. */
async function askAgain(url: string): ReturnType<typeof ask> {
  for (let tried = 1; ; tried++) {
    const answer = await ask(url)
    if (answer.status !== 503 || tried === MAX_TRIES) return answer
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  }
}

type Fields = Readonly<Record<string, unknown>>
const swap = { src: A, dst: B, amount: '1000', from: C }
const simulation = { from: C, to: B, data: '0x', tokenIn: A, amountIn: '1', tokenOut: B }

/** Texts that are not an address, a number or hex. */
const nonsense = [
  'null',
  '__proto__',
  'constructor',
  '٣',
  'NaN',
  'Infinity',
  '-1',
  '+1',
  ' 1',
  '1 ',
  '1e18',
  '%00',
  '{}',
]
const noAddress = [...nonsense, '1', '0x', '0X', A.slice(0, -1), `${A}0`, A.slice(2), ` ${A}`, A.replace('a', 'а')]
const noInteger = [...nonsense, '1.0', '0x', '1'.repeat(79), '1,000', '１']
const noHexInteger = [...noInteger, '0xg', `0x${'1'.repeat(65)}`, '0X10']
const noPercent = [...nonsense, '', '.5', '5.', '0.12345', '0x1', '1,5', '1e-1', '1.2.3']
const noCount = [...nonsense, '', '1.5', '0x1', '9'.repeat(16)]
const noHex = [...nonsense, '1', 'abcd', '0xabc', '0xgg', '0X00']

/** An invalid value of a parameter (undefined omits it) and the expected error message. */
type Bad = readonly [value: unknown, text: string, status?: number]
const all = (values: readonly unknown[], text: string): Bad[] => values.map((value) => [value, text])
const provided = (name: string): Bad[] => all([undefined, ''], `${name} must be provided`)
const address = (name: string) => all(noAddress, `${name} must be a valid 0x... address`)
const noZero = (name: string): Bad => [ZERO, `${name} must not be the zero address`]
const noNative = (name: string) => all([NATIVE, NATIVE.toLowerCase()], `${name} must not be the native token`)
const integer = (name: string): Bad[] => [
  ...all(noInteger, `${name} must be a base-10 integer`),
  ...all(['0x10', '-0'], `${name} must be a base-10 integer`),
  ...all([LIMIT, '9'.repeat(78)], `${name} must be a base-10 integer below 2^256`),
]
const hexInteger = (name: string): Bad[] => [
  ...all(noHexInteger, `${name} must be an integer, base-10 or 0x-hex`),
  ...all([LIMIT, '9'.repeat(78)], `${name} must be below 2^256`),
]
const count = (name: string, min: number, max: number, beyond: readonly string[]): Bad[] =>
  all([...noCount, ...beyond], `${name} must be an integer from ${min} to ${max}`)
const percent = (name: string) => all(noPercent, `${name} must be a number of percent with at most 4 decimals`)
const repeated = (name: string, value: string): Bad => [[value, value], `${name} must be given once`]
const safe = 999_999_999_999_999

const tokens = 'src and dst must be valid 0x... addresses'
const zeroToken = (name: string): Bad => [ZERO, `${name} must not be the zero address; the native token is ${NATIVE}`]
const sources = (name: string): Bad[] => [
  ...all(['', ',', 'a,,b', 'x'.repeat(61), '<b>', '٣', '%00'], `${name} must be names of sources, separated by commas`),
  [Array.from({ length: 101 }, () => 'a').join(), `${name} must list at most 100`],
  repeated(name, 'uniswap-v2'),
]
const fee = { convenienceFee: '1' }
const tooMuch = 'convenienceFee must be at most 10'

const swapParameters: Record<string, Bad[]> = {
  src: [...all([undefined, '', [A, A], ...noAddress], tokens), zeroToken('src')],
  dst: [
    ...all([undefined, '', [B, B], ...noAddress], tokens),
    zeroToken('dst'),
    ...all([A, A.toUpperCase().replace('X', 'x')], 'src and dst must be different tokens'),
  ],
  amount: [
    ...provided('amount'),
    ...integer('amount'),
    ...all(['0', '0'.repeat(78)], 'amount must be a base-10 integer above 0'),
    repeated('amount', '1'),
  ],
  from: [
    ...provided('from'),
    ...address('from'),
    ...noNative('from'),
    noZero('from'),
    [GUARD, 'from must not be the Guard or an Executor'],
    repeated('from', C),
  ],
  slippage: [
    ...percent('slippage'),
    ...all(['100', '100.0000', '1000'], 'slippage must be below 100'),
    repeated('slippage', '1'),
  ],
  convenienceFee: [
    ...percent('convenienceFee'),
    ...['10.0001', '11', '100', '9'.repeat(78)].map((value): Bad => [value, tooMuch, 403]),
    ...all(['10', '0.0001'], 'convenienceFeeRecipient must be provided when convenienceFee is non-zero'),
    repeated('convenienceFee', '1'),
  ],
  convenienceFeeRecipient: [
    ['', 'convenienceFeeRecipient must be provided'],
    ...address('convenienceFeeRecipient'),
    repeated('convenienceFeeRecipient', C),
  ],
  minimumBlock: [...count('minimumBlock', 0, safe, []), repeated('minimumBlock', '1')],
  deadline: [...count('deadline', 0, safe, []), repeated('deadline', '1')],
  feeExemptKey: [
    ['x', 'feeExemptKey is not valid', 403],
    ['', 'feeExemptKey is not valid', 403],
    repeated('feeExemptKey', 'x'),
  ],
  includeSources: sources('includeSources'),
  excludeSources: sources('excludeSources'),
  excludePools: [
    ...all(['', ',', ...noAddress.slice(0, -2)], 'excludePools must be pool addresses or ids, separated by commas'),
    [Array.from({ length: 201 }, () => A).join(), 'excludePools must list at most 200'],
    repeated('excludePools', A),
  ],
  maxHops: [...count('maxHops', 1, 4, ['0', '5']), repeated('maxHops', '1')],
  maxSplits: [...count('maxSplits', 1, 64, ['0', '65']), repeated('maxSplits', '1')],
  intermediates: all(
    ['', ...nonsense, 'Named', 'all', 'earned,named', ['any', 'any']],
    'intermediates must be named, earned or any',
  ),
  gasPrice: [['', 'gasPrice must be provided'], ...integer('gasPrice'), repeated('gasPrice', '1')],
  maxPriceImpact: [
    ...percent('maxPriceImpact'),
    ...all(['100.0001', '101'], 'maxPriceImpact must be at most 100'),
    repeated('maxPriceImpact', '1'),
  ],
}

const recipient = 'convenienceFeeRecipient'
/** Values that are invalid only together with a fee. */
const feeRecipients: Bad[] = [
  [undefined, `${recipient} must be provided when convenienceFee is non-zero`],
  [C.replace('5aA', '5Aa'), `${recipient} has a wrong EIP-55 checksum`],
  [ZERO, `${recipient} must not be the zero address`],
  [NATIVE, `${recipient} must not be the native token`],
  [GUARD, `${recipient} must not be the Guard or an Executor`],
]

const blockText = 'block must be a number, 0x-hex or one of latest, pending, safe, finalized, earliest'
const simulateParameters: Record<string, Bad[]> = {
  from: [...provided('from'), ...address('from'), ...noNative('from'), noZero('from'), [B, 'to must differ from from']],
  to: [
    ...provided('to'),
    ...address('to'),
    ...noNative('to'),
    noZero('to'),
    ...all([C, C.toLowerCase()], 'to must differ from from'),
  ],
  data: [...provided('data'), ...all(noHex, 'data must be 0x-prefixed hex of whole bytes')],
  tokenIn: [...provided('tokenIn'), ...address('tokenIn'), ...noNative('tokenIn'), noZero('tokenIn')],
  amountIn: [...provided('amountIn'), ...hexInteger('amountIn')],
  tokenOut: [...provided('tokenOut'), ...address('tokenOut'), noZero('tokenOut')],
  gasPrice: [['', 'gasPrice must be provided'], ...hexInteger('gasPrice')],
  gas: [['', 'gas must be provided'], ...hexInteger('gas')],
  block: all(['', ...nonsense, 'newest', 'Latest', '1.0', '0x', '0xg', '9'.repeat(16), LIMIT], blockText),
  spender: [['', 'spender must be provided'], ...address('spender'), ...noNative('spender'), noZero('spender')],
  coinbase: [['', 'coinbase must be provided'], ...address('coinbase'), ...noNative('coinbase')],
  balanceSlot: [['', 'balanceSlot must be provided'], ...hexInteger('balanceSlot')],
  allowanceSlot: [['', 'allowanceSlot must be provided'], ...hexInteger('allowanceSlot')],
}
const isText = (name: string): Bad[] => all([{}, { toString: 'x' }], `${name} must be a string`)

const tokenText = 'token must be valid 0x... addresses, separated by commas'
const tokenParameter = (max: number): Bad[] => [
  ...provided('token'),
  ...all([...noAddress, `${A},`, `,${A}`, `${A},,${B}`, `${A}, ${B}`, `${A};${B}`], tokenText),
  [
    Array.from({ length: max + 1 }, (_, i) => `0x${i.toString(16).padStart(40, '0')}`).join(),
    `token must list at most ${max} addresses`,
  ],
  repeated('token', A),
]
const maxTokens = { prices: 200, liquidity: 200, tokens: 10 } as const

const chainIds = ['0', '01', '0x1', '1.0', '1e3', '-1', '+1', ' 1', '1 ', 'one', '٣', 'NaN', '__proto__', '1,2']
const endpoints = ['aggregator', 'simulate', 'prices', 'liquidity', 'tokens']
const unknownChains = ['2', '999999', '9'.repeat(78), '9'.repeat(79), LIMIT]

const query = (fields: Fields) => {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one): [string, string] => [name, String(one)]),
  )
  return new URLSearchParams(pairs).toString()
}
const post = (fields: Fields): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  // Written without JSON.stringify, so __proto__ and repeated keys survive.
  body: JSON.stringify(fields),
})

describe.each(['A', 'B'] as const)('version %s', (version) => {
  let server: RunningServer
  let errorSchema: z.ZodType
  beforeAll(async () => {
    server = await startWithoutChain({ ERROR_VERSION: version })
    const document = JSON.parse((await ask(`${server.url}/openapi.json`)).text)
    errorSchema = z.fromJSONSchema(document.components.schemas.Error)
  })
  afterAll(() => server.close())

  /** Expects the error of this version. */
  async function refuses(path: string, [value, text, status = 400]: Bad, init?: RequestInit): Promise<void> {
    const answer = await ask(server.url + path, init)
    const description = `${JSON.stringify(value)}: ${answer.status} ${answer.text}`
    expect(answer.status, description).toBe(status)
    if (version === 'A') {
      expect(answer.type, description).toBe('text/plain')
      expect(answer.text, description).toBe(text)
    } else {
      expect(answer.type, description).toBe('application/json')
      const body = JSON.parse(answer.text)
      expect(errorSchema.safeParse(body).success, description).toBe(true)
      expect(body.error, description).toBe(text)
      expect(body.requestId).toBe(answer.headers.get('x-request-id'))
    }
  }

  test.each(Object.keys(swapParameters))('/aggregator refuses every bad %s', async (name) => {
    for (const bad of swapParameters[name]!) await refuses(`/aggregator/1?${query({ ...swap, [name]: bad[0] })}`, bad)
  })

  test('/aggregator refuses invalid fee recipients if there is a fee', async () => {
    for (const bad of feeRecipients)
      await refuses(`/aggregator/1?${query({ ...swap, ...fee, [recipient]: bad[0] })}`, bad)
  })

  test.each(Object.keys(simulateParameters))('/simulate refuses every bad %s, by GET and by POST', async (name) => {
    for (const bad of simulateParameters[name]!) {
      const fields = { ...simulation, [name]: bad[0] }
      await refuses(`/simulate/1?${query(fields)}`, bad)
      await refuses('/simulate/1', bad, post(fields))
    }
    const value = String((simulation as Fields)[name] ?? '1')
    await refuses(`/simulate/1?${query({ ...simulation, [name]: [value, value] })}`, repeated(name, value))
    const typed = [...isText(name), repeated(name, value)]
    for (const bad of typed) await refuses('/simulate/1', bad, post({ ...simulation, [name]: bad[0] }))
  })

  test.each(Object.entries(maxTokens))('/%s refuses every bad token', async (endpoint, max) => {
    for (const bad of tokenParameter(max)) await refuses(`/${endpoint}/1?${query({ token: bad[0] })}`, bad)
  })

  test('/liquidity refuses every bad curve', async () => {
    for (const value of ['', '2', 'true', '1.0', ['1', '1'], ...nonsense])
      await refuses(`/liquidity/1?${query({ token: A, curve: value })}`, [value, 'curve must be 0 or 1'])
  })

  test.each(endpoints)('/%s refuses every bad chain id', async (endpoint) => {
    for (const id of chainIds)
      await refuses(`/${endpoint}/${encodeURIComponent(id)}`, [id, 'chain_id must be a base-10 integer'])
  })

  test.each(endpoints)('/%s refuses unknown chains', async (endpoint) => {
    for (const id of unknownChains) {
      const answer = await ask(`${server.url}/${endpoint}/${id}`)
      expect(answer.status, id).toBe(404)
      if (version === 'A') {
        expect(answer.type).toBe('text/html')
        expect(answer.text).toMatch(/^<!DOCTYPE html>/)
      } else {
        expect(JSON.parse(answer.text)).toMatchObject({
          code: 'UNSUPPORTED_CHAIN',
          error: expect.stringContaining(id.slice(0, 5)),
        })
      }
    }
  })

  // Version A answers with a page for people.
  if (version !== 'A')
    test('a chain that cannot be served is refused with the reason', async () => {
      const registry = loadRegistry()
      for (const id of [9, 324, 2741]) {
        const answer = await ask(`${server.url}/aggregator/${id}`)
        expect(answer.status).toBe(404)
        expect(JSON.parse(answer.text).error).toContain(registry.chain(id)!.unsupported)
      }
    })

  test('the three example errors of the specification match verbatim', async () => {
    const examples: [Fields, string][] = [
      [{ amount: undefined }, 'amount must be provided'],
      [{ amount: '1.5' }, 'amount must be a base-10 integer'],
      [{ src: 'WETH' }, 'src and dst must be valid 0x... addresses'],
    ]
    for (const [change, text] of examples)
      await refuses(`/aggregator/1?${query({ ...swap, ...change })}`, [change, text])
  })

  test('valid requests pass validation, and fail only because the node is down', async () => {
    const changes: Fields[] = [
      { src: NATIVE },
      { dst: NATIVE.toLowerCase() },
      { src: A.toUpperCase().replace('X', 'x') },
      { amount: `${'0'.repeat(77)}1` },
      { amount: `${2n ** 256n - 1n}` },
      { ...fee, convenienceFee: '10', [recipient]: C },
      { ...fee, convenienceFee: '0.0001', [recipient]: C.toLowerCase() },
      { convenienceFee: '0', [recipient]: NATIVE },
      { slippage: '0' },
      { slippage: '99.9999' },
      { maxHops: '4', maxSplits: '64', gasPrice: '0', maxPriceImpact: '100', minimumBlock: '0' },
      { intermediates: 'named' },
      { intermediates: 'any' },
      { includeSources: 'uniswap-v2, Uniswap V3', excludePools: `${A},0x${'1'.repeat(64)}` },
      { unknown: 'ignored', __proto__: 'x' },
    ]
    const paths = changes.map((change) => `/aggregator/1?${query({ ...swap, ...change })}`)
    const spellings = [
      { amountIn: '0xfF' },
      { block: '0x10' },
      { block: '12' },
      { block: 'pending' },
      { coinbase: ZERO },
    ]
    for (const change of [...spellings, { tokenOut: NATIVE }, { gasPrice: '0x0' }])
      paths.push(`/simulate/1?${query({ ...simulation, ...change })}`)
    paths.push(`/prices/1?token=${NATIVE},${A}`, `/liquidity/1?token=${NATIVE}&curve=1`)
    // Each request waits for the timeout of its node, so several run at once.
    for (let from = 0; from < paths.length; from += AT_ONCE) {
      const batch = paths.slice(from, from + AT_ONCE)
      const answers = await Promise.all(batch.map((path) => askAgain(server.url + path)))
      for (const [k, { status, text }] of answers.entries()) expect(status, `${batch[k]}: ${text}`).toBe(502)
    }
  }, 120_000)
})

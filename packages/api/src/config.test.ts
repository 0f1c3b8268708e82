/** Tests of the configuration. */
import { expect, test } from 'vitest'
import { ConfigError, loadConfig } from './config.ts'

test('an empty environment gives the defaults', () => {
  expect(loadConfig({ PORT: '', HOME: '/root' })).toMatchObject({ port: 3000, errorVersion: 'B', trustProxy: false })
})

test('endpoints of a chain are read from its own variable', () => {
  const { rpcUrls } = loadConfig({ RPC_URL_31337: 'http://127.0.0.1:8545, https://node.example/key' })
  expect(rpcUrls.get(31337)).toEqual(['http://127.0.0.1:8545', 'https://node.example/key'])
})

test('chains are ids, separated by commas', () => {
  expect(loadConfig({ CHAINS: '1, 8453' }).chains).toEqual([1, 8453])
  expect(loadConfig({}).chains).toBeUndefined()
})

test.each([
  ['1', [1]],
  ['1,10,8453', [1, 10, 8_453]],
  ['1 ,2,  3', [1, 2, 3]],
  ['1234567890123456', [1_234_567_890_123_456]],
])('CHAINS may be %j', (sent, chains) => {
  expect(loadConfig({ CHAINS: sent }).chains).toEqual(chains)
})

test.each([
  'x1',
  ' 1',
  '1 ',
  '1,',
  ',1',
  '1,,2',
  '1 2',
  '0',
  '01',
  '1,0',
  '1,x',
  '-1',
  '1.5',
  '1e3',
  '12345678901234567',
])('CHAINS may not be %j', (sent) => {
  expect(() => loadConfig({ CHAINS: sent })).toThrow('CHAINS: must be chain ids, separated by commas')
})

test.each([
  ['SOLVER_CHAIN', 'x1'],
  ['SOLVER_CHAIN', '1x'],
  ['SOLVER_CHAIN', '0'],
  ['UNISWAPX_FILLER', `0x${'1'.repeat(39)}`],
  ['UNISWAPX_FILLER', `0x${'1'.repeat(41)}`],
  ['UNISWAPX_FILLER', `x0x${'1'.repeat(40)}`],
  ['FEE_EXEMPT_KEY_HASHES', `${'a'.repeat(63)}`],
  ['FEE_EXEMPT_KEY_HASHES', `${'a'.repeat(64)},${'g'.repeat(64)}`],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'name'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a=1,=2'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'a=50%'],
  ['OTEL_TRACES_SAMPLER_ARG', '1.1'],
  ['OTEL_TRACES_SAMPLER_ARG', '.5'],
  ['OTEL_TRACES_SAMPLER_ARG', '0.5x'],
  ['PORT', '1x'],
  ['PORT', 'x1'],
  ['PORT', '65536'],
  ['RPC_TIMEOUT_MS', '49'],
  ['UNISWAPX_TIMEOUT_MS', '49'],
])('%s may not be %j', (name, sent) => {
  expect(() => loadConfig({ [name]: sent })).toThrow(`${name}: `)
})

test('settings are read as the parts that they are made of', () => {
  const hash = 'A'.repeat(64)
  expect(
    loadConfig({
      ...{ SOLVER_CHAIN: '137', UNISWAPX_FILLER: `0x${'Ab'.repeat(20)}`, COMPATIBLE: '1', EARN_BLOCKS: '7' },
      ...{ FEE_EXEMPT_KEY_HASHES: `${hash}, ${'b'.repeat(64)}`, OTEL_TRACES_SAMPLER_ARG: '0.25' },
      ...{ OTEL_EXPORTER_OTLP_HEADERS: ' a-b = x%20y ,c=d=e', TRUST_PROXY: '2', RPC_TIMEOUT_MS: '50' },
    }),
  ).toMatchObject({
    ...{ solverChain: 137, uniswapxFiller: `0x${'ab'.repeat(20)}`, compatible: true, earnBlocks: 7 },
    ...{ feeExemptKeyHashes: new Set(['a'.repeat(64), 'b'.repeat(64)]), otelTracesSamplerArg: 0.25 },
    ...{ otelExporterOtlpHeaders: { 'a-b': 'x y', c: 'd=e' }, trustProxy: 2, rpcTimeoutMs: 50 },
  })
  expect(loadConfig({ EARN_BLOCKS: '0' }).earnBlocks).toBeUndefined()
  for (const [sent, trustProxy] of [
    ['true', true],
    ['false', false],
    ['10.0.0.0/8, ::1', '10.0.0.0/8, ::1'],
  ] as const)
    expect(loadConfig({ TRUST_PROXY: sent }).trustProxy).toBe(trustProxy)
})

test('a role apart needs what is shared', () => {
  expect(loadConfig({ REDIS_URL: 'redis://r:6379', ROLE: 'worker' })).toMatchObject({ role: 'worker' })
  expect(() => loadConfig({ ROLE: 'indexer' })).toThrow('ROLE: indexer needs REDIS_URL')
  for (const url of ['http://r', 'r:6379', 'redis://:pa#ss@r:6379'])
    expect(() => loadConfig({ REDIS_URL: url })).toThrow('REDIS_URL: must be a redis:// or rediss:// address')
  for (const url of ['redis://r/cache', 'redis://r/0/', 'redis://u:12/34@r:6379', 'redis:r'])
    expect(() => loadConfig({ REDIS_URL: url })).toThrow('REDIS_URL: must have no path but')
  for (const url of ['redis://r/', 'rediss://:50%off@r:6379/15', 'redis://[::1]:6379'])
    expect(loadConfig({ REDIS_URL: url })).toMatchObject({ redisUrl: url })
  expect(loadConfig({})).toMatchObject({ role: 'all' })
})

test('every mistake is named in one error', () => {
  const wrong = {
    PORT: '70000',
    CHAINS: '1,mainnet',
    ERROR_VERSION: 'C',
    RPC_URL_1: 'ftp://node',
    RPC_URL_one: 'http://node',
    MAX_QUEUED: '-1',
    FEE_EXEMPT_KEY_HASHES: 'secret',
    LOG_LEVEL: 'loud',
  }
  const message = (() => {
    try {
      loadConfig(wrong)
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError)
      return (error as Error).message
    }
    throw new Error('accepted')
  })()
  for (const name of Object.keys(wrong)) expect(message).toContain(`${name}: `)
  expect(message, 'a secret must not be printed').not.toContain('secret')
})

test('metrics have a port of their own when one is named, other than that for callers', () => {
  expect(loadConfig({}).metricsPort).toBeUndefined()
  expect(loadConfig({ METRICS_PORT: '0' }).metricsPort).toBeUndefined()
  expect(loadConfig({ METRICS_PORT: '9464' })).toMatchObject({ metricsPort: 9464, metricsHost: '127.0.0.1' })
  expect(() => loadConfig({ METRICS_PORT: '3000' })).toThrow('METRICS_PORT: must differ from PORT')
  expect(() => loadConfig({ METRICS_PORT: '80', PORT: '80' })).toThrow('METRICS_PORT: must differ from PORT')
})

test('a number may be as large and as small as its bounds', () => {
  expect([loadConfig({ PORT: '0' }).port, loadConfig({ PORT: '65535' }).port]).toEqual([0, 65_535])
  for (const PORT of ['-1', '65536', '1.5', 'x']) expect(() => loadConfig({ PORT })).toThrow('PORT')
})

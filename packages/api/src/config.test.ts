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

test('a role apart needs what is shared', () => {
  expect(loadConfig({ REDIS_URL: 'redis://r:6379', ROLE: 'worker' })).toMatchObject({ role: 'worker' })
  expect(() => loadConfig({ ROLE: 'indexer' })).toThrow('ROLE: indexer needs REDIS_URL')
  expect(() => loadConfig({ REDIS_URL: 'http://r' })).toThrow('REDIS_URL: must be')
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

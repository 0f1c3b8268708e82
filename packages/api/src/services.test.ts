/** Tests of the settings that a chain gets from the configuration. */
import type { Chain } from '@sluice/chains'
import { expect, test } from 'vitest'
import { loadConfig } from './config.ts'
import { settingsOf } from './services.ts'

const chain = { chainId: 1, rpcUrls: ['http://127.0.0.1:8545'] } as unknown as Chain
const settings = (environment: Readonly<Record<string, string>>) =>
  settingsOf(chain, loadConfig({ WEB_DIR: '/nowhere', ...environment }), new Map())

test('sizes are in bytes and shares are fractions', () => {
  expect(settings({ DATA_DIR: '/data', QUOTE_LOG_MB: '5', DRIFT_SAMPLE_PERCENT: '2' })).toMatchObject({
    ...{ quoteLog: { path: '/data/1.quotes.sqlite', maxBytes: 5_000_000 }, driftShare: 0.02 },
    save: { path: '/data/1.sqlite' },
  })
})

test('nothing is stored without a directory, and no quotes without a size for their log', () => {
  expect(settings({})).not.toHaveProperty('save')
  expect(settings({})).not.toHaveProperty('quoteLog')
  expect(settings({ DATA_DIR: '/data', QUOTE_LOG_MB: '0' })).toHaveProperty('save')
  expect(settings({ DATA_DIR: '/data', QUOTE_LOG_MB: '0' })).not.toHaveProperty('quoteLog')
})

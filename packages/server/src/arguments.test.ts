/** Tests of the command line options. */
import { expect, test } from 'vitest'
import { argumentsToEnvironment } from './arguments.ts'

test('options become the variables that the service reads', () => {
  const line = ['--rpc', '1=http://a:8545?key=x=y', '--rpc=10=https://b', '--rpc', '1=http://c', '--port', '80']
  expect(
    argumentsToEnvironment([
      ...line,
      '--chains',
      '1,10',
      '--data-dir',
      'd',
      '--redis-url',
      'redis://r',
      '--role',
      'worker',
    ]),
  ).toEqual({
    environment: {
      RPC_URL_1: 'http://a:8545?key=x=y,http://c',
      RPC_URL_10: 'https://b',
      PORT: '80',
      CHAINS: '1,10',
      DATA_DIR: 'd',
      REDIS_URL: 'redis://r',
      ROLE: 'worker',
    },
  })
  expect(argumentsToEnvironment(['--pools', 'a.gz', '--pools', 'https://b/c.gz#sha256=00'])).toEqual({
    environment: { POOLS: 'a.gz,https://b/c.gz#sha256=00' },
  })
  expect(argumentsToEnvironment([])).toEqual({ environment: {} })
})

test.each([
  [['--rpc', 'http://a'], '--rpc http://a'],
  [['--rpc', '0=http://a'], '--rpc 0='],
  [['--rpc', '1='], '--rpc 1='],
  [['--port', ''], '--port'],
  [['--pools', ''], '--pools'],
  [['--prot', '1'], "'--prot'"],
  [['1=http://a'], "'1=http://a'"],
])('%j is a mistake that names its option', (args, named) => {
  expect(argumentsToEnvironment(args)).toEqual({ mistake: expect.stringContaining(named) })
})

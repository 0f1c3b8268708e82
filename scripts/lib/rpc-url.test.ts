import { expect, test } from 'vitest'
import { chainsWithRpcUrl, endpointsOf, rpcUrlOf } from './rpc-url.ts'

const env = {
  RPC_URL_10: 'https://a/key, https://b',
  RPC_URL_9: ' https://c ',
  RPC_URL_8: '',
  RPC_URL_one: 'https://d',
}

test('the endpoint of a chain is the first one of its variable', () => {
  expect([10, 9, 8, 7].map((id) => rpcUrlOf(id, env))).toEqual(['https://a/key', 'https://c', undefined, undefined])
})

test('an empty variable does not select a chain', () => {
  expect(chainsWithRpcUrl(env)).toEqual([9, 10])
})

test('the endpoints are those of the option, else of the environment, else the public ones', () => {
  const publicUrls = ['https://public']
  expect(endpointsOf(10, undefined, publicUrls, env)).toEqual(['https://a/key', 'https://b'])
  expect(endpointsOf(10, 'http://c', publicUrls, env)).toEqual(['http://c'])
  for (const id of [7, 8]) expect(endpointsOf(id, undefined, publicUrls, env)).toEqual(publicUrls)
})

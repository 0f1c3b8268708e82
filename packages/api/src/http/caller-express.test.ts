/** Compares `callerOf` with Express's `request.ip`, which implements the same trust rules. */
import type { IncomingMessage } from 'node:http'
import express, { type Request } from 'express'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { loadConfig } from '../config.ts'
import { callerOf, type ProxyTrust } from './caller.ts'

/** Returns the client address that Express determines. */
function expressIp(setting: unknown, remoteAddress: string, forwarded: string | undefined): string | undefined {
  const app = express().set('trust proxy', setting)
  const request = Object.create(app.request) as Request
  const socket = { remoteAddress }
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
  return Object.assign(request, { app, socket, connection: socket, headers }).ip
}
const trustOf = (setting: unknown) => express().set('trust proxy', setting).get('trust proxy fn') as ProxyTrust

const ip = fc.ipV4()
const proxy = fc.integer({ min: 1, max: 200 }).map((last) => `10.0.0.${last}`)
const hops = fc.option(fc.array(fc.oneof(ip, proxy), { minLength: 1, maxLength: 6 }), { nil: undefined })

test('the caller is the address that Express takes, by number of proxies and by their addresses', () => {
  let forwardedCallers = 0
  fc.assert(
    fc.property(
      fc.constantFrom<unknown>(false, 1, 2, 3, '10.0.0.0/8'),
      fc.oneof(ip, proxy),
      hops,
      (setting, remoteAddress, addresses) => {
        const forwarded = addresses?.join(', ')
        const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
        const request = { socket: { remoteAddress }, headers } as unknown as IncomingMessage
        const caller = callerOf(request, trustOf(setting))
        expect(caller).toBe(expressIp(setting, remoteAddress, forwarded))
        if (caller !== remoteAddress) forwardedCallers++
      },
    ),
    { numRuns: 500 },
  )
  expect(forwardedCallers).toBeGreaterThan(100)
})

test('a caller behind one proxy cannot choose an identity by sending addresses of its own', () => {
  const request = {
    socket: { remoteAddress: '10.0.0.1' },
    headers: { 'x-forwarded-for': '1.1.1.1, 2.2.2.2, 198.51.100.1' },
  } as unknown as IncomingMessage
  expect(callerOf(request, trustOf(1))).toBe('198.51.100.1')
})

test('TRUST_PROXY accepts what Express accepts, and other texts are a mistake that names the variable', () => {
  const accepted = [
    'true',
    'false',
    '3',
    'loopback',
    '::1',
    '10.0.0.0/8, fe80::/10',
    '10.1.0.0/255.255.0.0',
    '1.2.3.4,uniquelocal',
  ]
  const refused = [
    'bogus',
    '10.0.0.0/33',
    '10.0.0.0/0',
    '::1/129',
    '10.0.0.0/',
    '10.0.0.1,',
    'true, 10.0.0.1',
    '::1/255.0.0.0',
    '-1',
  ]
  for (const text of accepted) expect(() => trustOf(loadConfig({ TRUST_PROXY: text }).trustProxy), text).not.toThrow()
  for (const text of refused) {
    expect(() => trustOf(text), text).toThrow()
    expect(() => loadConfig({ TRUST_PROXY: text }), text).toThrow(
      /^The environment is wrong:\n {2}TRUST_PROXY: must be/,
    )
  }
})

/** Tests of the client address and its key. */
import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { callerOf, sharedKey } from './caller.ts'

const from = (remoteAddress: string, forwarded?: string) =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage
const nobody = () => false
const proxies = (address: string) => address.startsWith('10.')

test('the caller is the address of the connection; forwarded addresses count only from a trusted proxy', () => {
  expect(callerOf(from('203.0.113.7', '198.51.100.1'), nobody)).toBe('203.0.113.7')
  expect(callerOf(from('203.0.113.7', '198.51.100.1'), proxies)).toBe('203.0.113.7')
  expect(callerOf(from('10.0.0.1', '198.51.100.1'), proxies)).toBe('198.51.100.1')
  expect(callerOf(from('10.0.0.1'), proxies)).toBe('10.0.0.1')
})

test('the last forwarded address that is not a trusted proxy counts', () => {
  expect(callerOf(from('10.0.0.1', '1.1.1.1, 198.51.100.1, 10.0.0.2'), proxies)).toBe('198.51.100.1')
  expect(callerOf(from('10.0.0.1', '10.0.0.3, 10.0.0.2'), proxies)).toBe('10.0.0.3')
})

test('a client that sends many forwarded addresses itself does not choose its key', () => {
  const invented = Array.from({ length: 100 }, (_, k) => `1.1.1.${k}`).join()
  expect(callerOf(from('10.0.0.1', `${invented}, 198.51.100.1`), proxies)).toBe('198.51.100.1')
})

test('IPv6 addresses of one /64 network are one caller, and IPv4-mapped addresses count as IPv4', () => {
  expect(sharedKey('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64')
  expect(sharedKey('2001:db8:1:2::9')).toBe('2001:db8:1:2::/64')
  expect(sharedKey('2001:0db8::1')).toBe('2001:db8:0:0::/64')
  expect(sharedKey('::1')).toBe('0:0:0:0::/64')
  expect(sharedKey('fe80::1%eth0')).toBe('fe80:0:0:0::/64')
  expect(sharedKey('::ffff:203.0.113.7')).toBe('203.0.113.7')
  expect(sharedKey('anything at all that somebody wrote into a header, as long as he likes').length).toBe(64)
})

/** Tests the command line. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { parseCommandLine } from './arguments.ts'

const dir = mkdtempSync(join(tmpdir(), 'sluice-mcp-'))
afterAll(() => rmSync(dir, { recursive: true }))
const GUARD = `0x${'11'.repeat(20)}`

function file(content: unknown): string {
  const path = join(dir, `${Math.random()}.json`)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

const optionsOf = (args: readonly string[], environment = {}) => {
  const read = parseCommandLine(args, environment)
  if (!('options' in read)) throw new Error(JSON.stringify(read))
  return read.options
}
const mistakeOf = (...args: readonly string[]) => (parseCommandLine(args, {}) as { mistake?: string }).mistake

test('defaults, and the environment', () => {
  expect(optionsOf([])).toEqual({ service: 'http://127.0.0.1:3000', timeoutSeconds: 30, contracts: {} })
  expect(optionsOf([], { SLUICE_URL: 'https://a.example' }).service).toBe('https://a.example')
  expect(optionsOf([], { SLUICE_URL: '' }).service).toBe('http://127.0.0.1:3000')
  expect(optionsOf(['--service', 'http://b:1/api'], { SLUICE_URL: 'https://a.example' }).service).toBe('http://b:1/api')
  expect(parseCommandLine(['-h'], {})).toEqual({ show: 'help' })
  expect(parseCommandLine(['--version'], {})).toEqual({ show: 'version' })
})

describe('--http', () => {
  test.each([
    ['8080', '127.0.0.1', 8080],
    ['0', '127.0.0.1', 0],
    ['localhost:1', 'localhost', 1],
    ['192.168.1.5:65535', '192.168.1.5', 65_535],
    ['[::1]:8080', '::1', 8080],
  ])('%s', (text, host, port) => {
    expect(optionsOf(['--http', text]).http).toEqual({ host, port, allowedHosts: [] })
  })

  test.each(['', 'x', ':1', '65536', '1:2:3', '::1:80', '[::1]', '-1', '1.5', 'a b:1'])('"%s" is a mistake', (text) => {
    expect(mistakeOf(`--http=${text}`)).toContain('must be [<host>:]<port>')
  })

  test('every interface needs the hosts that clients use', () => {
    expect(mistakeOf('--http', '0.0.0.0:1')).toContain('--allow-host')
    expect(mistakeOf('--http', '[::]:1')).toContain('--allow-host')
    const args = ['--http', '0.0.0.0:1', '--allow-host', 'a.example', '--allow-host', 'b.example:1']
    expect(optionsOf(args).http?.allowedHosts).toEqual(['a.example', 'b.example:1'])
    expect(mistakeOf('--allow-host', 'a.example')).toContain('needs --http')
  })
})

test.each(['x', 'ftp://x', 'http://u:p@x', 'http://x?q', 'http://x#f', ''])('--service "%s" is a mistake', (text) => {
  expect(mistakeOf(`--service=${text}`)).toContain('--service: must')
})

test.each(['0', '56', '1.5', '-1', 'x', ''])('--timeout "%s" is a mistake', (text) => {
  expect(mistakeOf(`--timeout=${text}`)).toContain('--timeout: must be whole seconds')
})

test('--contracts reads contracts by chain ID, and names what is wrong', () => {
  const contracts = { 31337: { guard: GUARD, executors: [GUARD], pools: [GUARD] } }
  expect(optionsOf(['--contracts', file(contracts)]).contracts).toEqual(contracts)
  expect(mistakeOf('--contracts', join(dir, 'none'))).toContain('ENOENT')
  expect(mistakeOf('--contracts', file('{'))).toContain('JSON')
  expect(mistakeOf('--contracts', file({ 1: { guard: '0x1', executors: [GUARD] } }))).toContain('1.guard')
  expect(mistakeOf('--contracts', file({ 1: { guard: GUARD, executors: [] } }))).toContain('1.executors')
  expect(mistakeOf('--contracts', file({ one: { guard: GUARD, executors: [GUARD] } }))).toContain('one')
})

test('options that do not exist, and words without one', () => {
  expect(mistakeOf('--private-key', 'x')).toContain("'--private-key'")
  expect(mistakeOf('word')).toContain('word')
  expect(mistakeOf('--service')).toContain('--service')
})

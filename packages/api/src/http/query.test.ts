import { describe, expect, test } from 'vitest'
import { parseQuery } from './query.ts'

describe('items of a list', () => {
  test.each([
    ['list[]=a', { list: 'a' }],
    ['list%5B%5D=a&list%5B%5D=b&x=1', { list: 'a,b', x: '1' }],
    ['list[0]=a&list[1]=b', { list: 'a,b' }],
    ['list[]=a&list[0]=b', { list: 'a,b' }],
    ['list[]=a,b', { list: 'a,b' }],
    ['list[]=', { list: '' }],
  ])('%s', (text, query) => {
    expect({ ...parseQuery(text) }).toEqual(query)
  })

  test('next to the list itself are a repeated parameter', () => {
    expect({ ...parseQuery('list=a&list[]=b&list[]=c') }).toEqual({ list: ['a', 'b', 'c'] })
  })

  test('do not reach inherited names', () => {
    const query = parseQuery('__proto__[]=a&constructor[]=b')
    expect(Object.getPrototypeOf(query)).toBeNull()
    expect(Object.keys(query)).toEqual(['__proto__', 'constructor'])
  })
})

test('other names keep their brackets', () => {
  expect({ ...parseQuery('a[b]=1&[]=2&c[=3&d[]e=4') }).toEqual({ 'a[b]': '1', '[]': '2', 'c[': '3', 'd[]e': '4' })
})

test('all parameters of a long query are read', () => {
  const names = Array.from({ length: 1_500 }, (_, index) => `p${index}`)
  expect(Object.keys(parseQuery(names.map((name) => `${name}=1`).join('&')))).toEqual(names)
})

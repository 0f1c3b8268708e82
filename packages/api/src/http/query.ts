/** Parses the query of a URL. */
import { type ParsedUrlQuery, parse } from 'node:querystring'

/** Name of a list's item, as axios, jQuery, and PHP write it: `excludePools[]` or `excludePools[0]`. */
const ITEM_NAME = /^(.+)\[\d*\]$/

/**
 * Parses a query. Items of a list, `excludePools[]=a&excludePools[]=b`, become its text, `a,b`. If they were ignored as
 * unknown parameters, a route could trade in pools that the caller excluded.
 */
export function parseQuery(text: string): ParsedUrlQuery {
  // The number of parameters is not limited, because the length of the URL already is.
  const query = parse(text, '&', '=', { maxKeys: 0 })
  const itemsByName = new Map<string, string[]>()
  for (const [name, value = []] of Object.entries(query)) {
    const listName = ITEM_NAME.exec(name)?.[1]
    if (listName === undefined) continue
    delete query[name]
    const items = itemsByName.get(listName) ?? []
    items.push(...[value].flat())
    itemsByName.set(listName, items)
  }
  for (const [name, items] of itemsByName) {
    const otherValue = query[name]
    query[name] = otherValue === undefined ? items.join(',') : [otherValue, items].flat()
  }
  return query
}

/** Highlights code at build time with CSS classes. */
import highlighter from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import diff from 'highlight.js/lib/languages/diff'
import http from 'highlight.js/lib/languages/http'
import ini from 'highlight.js/lib/languages/ini'
import json from 'highlight.js/lib/languages/json'
import python from 'highlight.js/lib/languages/python'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'

for (const [name, language] of Object.entries({ bash, diff, http, ini, json, python, typescript, xml, yaml }))
  highlighter.registerLanguage(name, language)

/**
 * Highlights code.
 *
 * @returns HTML; undefined for an unknown language, such as Solidity
 */
export function highlight(code: string, language: string): string | undefined {
  if (!highlighter.getLanguage(language)) return undefined
  return highlighter.highlight(code, { language, ignoreIllegals: true }).value
}

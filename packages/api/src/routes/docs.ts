import type { RequestHandler } from 'express'
import { openApiDocument } from '../docs/openapi.ts'
import { docsPage, styleSheet } from '../docs/page.ts'

const POLICY = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Serves text made once, when it is first asked for. */
function page(type: string, make: () => string): RequestHandler {
  let text: string | undefined
  return (_request, response) => {
    text ??= make()
    response.setHeader('Content-Security-Policy', POLICY)
    response.setHeader('Cache-Control', 'public, max-age=300')
    response.type(type).send(text)
  }
}

export const openApi = page('application/json', () => JSON.stringify(openApiDocument()))
export const docs = page('text/html', docsPage)
export const docsStyle = page('text/css', () => styleSheet)

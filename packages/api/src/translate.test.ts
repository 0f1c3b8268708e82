/** Tests of the translation of errors. */
import { RoutingError, type RoutingErrorCode } from '@sluice/routing'
import { expect, test } from 'vitest'
import { errorTable } from './error-table.ts'
import { toApiError } from './translate.ts'

test.each<[RoutingErrorCode, number]>([
  ['SEARCH_OVERRAN', 504],
  ['WORK_SPENT', 504],
  ['THREAD_ENDED', 500],
  ['ROUTE_INVARIANT', 500],
])('a search that ends with %s answers %i', (code, status) => {
  expect(errorTable[toApiError(new RoutingError(code, 'x')).code].status).toBe(status)
})

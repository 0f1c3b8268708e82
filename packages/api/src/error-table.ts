/** Error codes of the API. */

/** HTTP status, cause and cure of every error code. */
export const errorTable = {
  INVALID_PARAMETER: {
    status: 400,
    cause: 'A parameter is missing or invalid; the text names it.',
    cure: 'Correct the parameter.',
  },
  INVALID_BODY: {
    status: 400,
    cause: 'The body of a POST is not a JSON object.',
    cure: 'Send `content-type: application/json` and one object.',
  },
  UNKNOWN_SLOTS: {
    status: 400,
    cause: 'The storage slots of `tokenIn` could not be found.',
    cure: 'Give `balanceSlot` and `allowanceSlot`.',
  },
  BAD_SLOT: {
    status: 400,
    cause: 'A given storage slot does not hold the balance or allowance.',
    cure: 'Correct the slot or leave it out.',
  },
  BAD_TOKEN: {
    status: 400,
    cause: '`tokenIn` or `tokenOut` does not behave like an ERC-20, or charges its sender more than the sent amount.',
    cure: 'Check the address; a token that charges its sender cannot be swapped here.',
  },
  BAD_PERMIT: {
    status: 400,
    cause: 'The signed `permit` does not let the Guard take the input; `field` names the part that is wrong.',
    cure: 'Request `/permit` again and sign the new permit, or approve the Guard and omit `permit`.',
  },
  NATIVE_UNSUPPORTED: {
    status: 400,
    cause: 'The chain has no wrapped native token with deposit and withdraw.',
    cure: 'Trade the ERC-20 form of the native token, which the message names, or other tokens.',
  },
  FEE_TOO_HIGH: { status: 403, cause: '`convenienceFee` is above 10 percent.', cure: 'Set at most 10.' },
  INVALID_FEE_EXEMPT_KEY: {
    status: 403,
    cause: 'This service does not know the `feeExemptKey`.',
    cure: 'Leave it out or ask the operator.',
  },
  UNSUPPORTED_CHAIN: { status: 404, cause: 'The chain is not in `/chains`.', cure: 'Use a chain of `/chains`.' },
  NOT_FOUND: { status: 404, cause: 'The path does not exist.', cure: 'See `/openapi.json`.' },
  METHOD_NOT_ALLOWED: {
    status: 405,
    cause: 'The path does not support this method.',
    cure: 'Use a method of the `Allow` header.',
  },
  MALFORMED_REQUEST: {
    status: 400,
    cause: 'The request is not valid HTTP/1.1.',
    cure: 'Send a valid request, with path and query percent-encoded.',
  },
  REQUEST_TIMEOUT: { status: 408, cause: 'The request did not arrive in time.', cure: 'Send it faster.' },
  HEADERS_TOO_LARGE: { status: 431, cause: 'The headers are too large.', cure: 'Send fewer or shorter headers.' },
  BODY_TOO_LARGE: {
    status: 413,
    cause: 'The body is larger than a request with 128 kB of calldata.',
    cure: 'Send less calldata.',
  },
  TARGET_TOO_LONG: {
    status: 414,
    cause: 'Path and query together are longer than 16 kB.',
    cure: 'Use POST for large calldata.',
  },
  NO_STATE: {
    status: 422,
    cause: 'No node of the chain has the block that `block` names, or its state, any more.',
    cure: 'Request a later block, or use a service with an archive node.',
  },
  UNKNOWN_TOKEN: {
    status: 422,
    cause: 'No pool that the service knows trades the token.',
    cure: 'Check the address and the chain.',
  },
  NO_ROUTE: {
    status: 422,
    cause: 'No path of pools connects the two tokens.',
    cure: 'Loosen the filters or use another pair.',
  },
  AMOUNT_TOO_SMALL: {
    status: 422,
    cause: 'The amount buys less than one base unit of the output.',
    cure: 'Swap more: about `minRoutableAmount` routes.',
  },
  INSUFFICIENT_LIQUIDITY: {
    status: 422,
    cause: 'The pools cannot take this amount.',
    cure: 'Try `maxRoutableAmount` or less.',
  },
  ROUTE_REVERTED: {
    status: 422,
    cause: 'Every route found reverted in simulation.',
    cure: 'Check the token; do not retry unchanged.',
  },
  PRICE_IMPACT: {
    status: 422,
    cause: 'The price impact is above `maxPriceImpact` (15 by default).',
    cure: 'Swap less, or raise `maxPriceImpact`.',
  },
  VALUE_LOSS: {
    status: 422,
    cause: 'The USD value of the output is below that of the input by more than `maxPriceImpact`.',
    cure: 'A pool may be manipulated. `maxPriceImpact=100` accepts any loss.',
  },
  GUARD_NOT_DEPLOYED: {
    status: 422,
    cause: 'Guard or Executor do not have their recorded code at the simulated block.',
    cure: 'Deploy the contracts on this chain first; anyone can.',
  },
  INTERNAL: { status: 500, cause: 'A bug in the service.', cure: 'Report it with the `requestId`.' },
  RPC_FAILED: {
    status: 502,
    cause: 'The node of the chain failed.',
    cure: 'Retry, unless `cure` in the response says otherwise.',
  },
  BEHIND: {
    status: 503,
    cause:
      'The chain has not reached `minimumBlock` yet, or the service has received no block of the chain for too long.',
    cure: 'Retry after `Retry-After` seconds.',
  },
  OVERLOADED: { status: 503, cause: 'Too many requests are in progress.', cure: 'Retry after `Retry-After` seconds.' },
  NODE_PAUSED: {
    status: 503,
    cause: 'All nodes of the chain limit requests for longer than the timeout of the request.',
    cure: 'Retry after `Retry-After` seconds. The operator can add an endpoint or use a larger plan.',
  },
  NOT_READY: {
    status: 503,
    cause: 'The service is still loading the chain, or is stopping.',
    cure: 'Retry after `Retry-After` seconds.',
  },
  TIMEOUT: { status: 504, cause: 'The request took longer than allowed.', cure: 'Retry.' },
  ROUTE_TIMEOUT: {
    status: 504,
    cause: 'The search for a route took longer than allowed and was ended.',
    cure: 'Try another amount or other limits, and report it with the `requestId`.',
  },
  CLIENT_CLOSED: {
    status: 499,
    cause: 'The caller closed the connection; only in logs and metrics.',
    cure: 'Nothing.',
  },
} as const satisfies Record<string, { readonly status: number; readonly cause: string; readonly cure: string }>

/** Error code of a response. */
export type ApiErrorCode = keyof typeof errorTable

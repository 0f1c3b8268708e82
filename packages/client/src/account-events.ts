/** Events by which smart accounts report the outcome of their transactions. */

/**
 * Topics of ExecutionSuccess and ExecutionFailure (bytes32 txHash, uint256 payment) of a Safe. Since version 1.4 of
 * Safe, `txHash` is indexed.
 */
export const SAFE_SUCCESS = '0x442e715f626346e8c54381002da614f62bee8d27386535b2521ec8540898556e'
export const SAFE_FAILURE = '0x23428b18acfb3ea64b08dc0c1d296ea9c09702c09083ca5272e64d115b687d23'
/** Topic of UserOperationEvent(bytes32 indexed userOpHash, …, uint256 nonce, bool success, …) of ERC-4337. */
export const USER_OPERATION = '0x49628fd1471006c1482da88028e9ce4dbb080b815c9b0344d39e5a8e6ec1419f'
/**
 * Entry points 0.6, 0.7 and 0.8 of ERC-4337. The event counts only from these contracts, because any contract can emit
 * it.
 */
export const ENTRY_POINTS = [
  '0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789',
  '0x0000000071727De22E5E9d8BAf0edAc6f37da032',
  '0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108',
]

// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @title KyberElastic
/// @notice Swaps in pools that are paid in a callback (int256 deltaQty0, int256 deltaQty1, bytes), as those of `UniswapV3`
///   are, and whose steps have the same bytes.
library KyberElastic {
    /// @dev No price limit: one inside the bounds of TickMath.
    uint160 private constant LOWEST_PRICE = 4295128740;
    uint160 private constant HIGHEST_PRICE = 1461446703485210103287273052203988822378723970341;

    /// @dev Equals IKyberElasticPool(pool).swap(to, int256(amount), zeroForOne, limit, "").
    /// @return consumed Base units of the input that the pool reports to have taken; any number if it returns less than two words.
    function swap(address pool, address to, bool zeroForOne, uint256 amount) internal returns (uint256 consumed) {
        assembly ("memory-safe") {
            let limit := xor(HIGHEST_PRICE, mul(xor(LOWEST_PRICE, HIGHEST_PRICE), zeroForOne))
            let free := mload(0x40)
            mstore(free, 0x24b31a0c) // swap(address,int256,bool,uint160,bytes)
            mstore(add(free, 0x20), to)
            mstore(add(free, 0x40), amount)
            mstore(add(free, 0x60), zeroForOne)
            mstore(add(free, 0x80), limit)
            mstore(add(free, 0xa0), 0xa0)
            mstore(add(free, 0xc0), 0)
            if iszero(call(gas(), pool, 0, add(free, 0x1c), 0xc4, 0x00, 0x40)) {
                returndatacopy(free, 0, returndatasize())
                revert(free, returndatasize())
            }
            // Two words of scratch space below the free memory pointer.
            consumed := mload(shl(5, iszero(zeroForOne)))
        }
    }
}

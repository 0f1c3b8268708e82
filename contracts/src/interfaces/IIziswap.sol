// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// @notice What the Executor calls of an iziswap pool, which asks for its payment by swapX2YCallback or swapY2XCallback, both
///   (uint256 amountX, uint256 amountY, bytes).
interface IIziswapPool {
    function swapX2Y(address recipient, uint128 amount, int24 lowPt, bytes calldata data)
        external
        returns (uint256 amountX, uint256 amountY);

    function swapY2X(address recipient, uint128 amount, int24 highPt, bytes calldata data)
        external
        returns (uint256 amountX, uint256 amountY);
}

/// @notice What is asked of a factory, and of the contract that manages positions, which names its factory.
interface IIziswapFactory {
    function factory() external view returns (address);
    function pool(address tokenX, address tokenY, uint24 fee) external view returns (address);
    function fee2pointDelta(uint24 fee) external view returns (int24);
}

/// @notice What is read of an iziswap pool, and what it says when its state changes.
interface IIziswapState {
    event Swap(
        address indexed tokenX,
        address indexed tokenY,
        uint24 indexed fee,
        bool sellXEarnY,
        uint256 amountX,
        uint256 amountY,
        int24 currentPoint
    );
    event Mint(
        address sender,
        address indexed owner,
        int24 indexed leftPoint,
        int24 indexed rightPoint,
        uint128 liquidity,
        uint256 amountX,
        uint256 amountY
    );
    event Burn(
        address indexed owner,
        int24 indexed leftPoint,
        int24 indexed rightPoint,
        uint128 liquidity,
        uint256 amountX,
        uint256 amountY
    );
    event AddLimitOrder(
        address indexed owner, uint128 addAmount, uint128 acquireAmount, int24 indexed point, uint128 claimSold,
        uint128 claimEarn, bool sellXEarnY
    );
    event DecLimitOrder(
        address indexed owner, uint128 decreaseAmount, int24 indexed point, uint128 claimSold, uint128 claimEarn,
        bool sellXEarnY
    );

    function state()
        external
        view
        returns (
            uint160 sqrtPrice_96,
            int24 currentPoint,
            uint16 observationCurrentIndex,
            uint16 observationQueueLen,
            uint16 observationNextQueueLen,
            bool locked,
            uint128 liquidity,
            uint128 liquidityX
        );
    function fee() external view returns (uint24);
    function pointDelta() external view returns (int24);
    function pointBitmap(int16 word) external view returns (uint256);
    function orderOrEndpoint(int24 place) external view returns (int24);
    function points(int24 point) external view returns (uint128 liquidSum, int128 liquidDelta);
    function limitOrderData(int24 point)
        external
        view
        returns (
            uint128 sellingX,
            uint128 earnY,
            uint256 accEarnY,
            uint256 legacyAccEarnY,
            uint128 legacyEarnY,
            uint128 sellingY
        );
}

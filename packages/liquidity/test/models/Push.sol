// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Coin} from "./Coin.sol";

interface Payer {
    function swapX2YCallback(uint256 amountX, uint256 amountY, bytes calldata data) external;
    function swapY2XCallback(uint256 amountX, uint256 amountY, bytes calldata data) external;
    function swapCallback(int256 deltaQty0, int256 deltaQty1, bytes calldata data) external;
}

/// Pools that measure what they were sent, as pairs of Liquidity Book, Camelot and Kyber Classic and pools of DODO, SyncSwap, WOOFi and EulerSwap do,
/// iZiSwap's and Kyber Elastic's, which ask for it, and Fluid's, Maker's and Aave's modules, which take it by allowance: each gives what it was told to, once exactly the amount it was told of lies there beyond its reserve.
contract Push {
    Coin[2] private tokens;
    uint256[2] private reserves;
    uint256 private sold;
    uint256 private amountIn;
    uint256 private amountOut;
    /// Reserves that a pair of Kyber Classic is priced by, and its fee.
    uint112[2] private virtualReserves;
    uint256 private fee;
    /// SyncSwap: true where this is its own vault, and once that was told of a deposit.
    bool private inVault;
    bool private credited;

    error NotAsTold(uint256 sold, uint256 amountIn);

    constructor(Coin first, Coin second) {
        tokens = [first, second];
    }

    function tell(uint256 sold_, uint256 amountIn_, uint256 amountOut_) external {
        (sold, amountIn, amountOut) = (sold_, amountIn_, amountOut_);
        for (uint256 k; k < 2; ++k) reserves[k] = tokens[k].balanceOf(address(this));
    }

    function price(uint112 virtual0, uint112 virtual1, uint256 fee_) external {
        virtualReserves = [virtual0, virtual1];
        fee = fee_;
    }

    function getTradeInfo() external view returns (uint112, uint112, uint112, uint112, uint256) {
        return (uint112(reserves[0]), uint112(reserves[1]), virtualReserves[0], virtualReserves[1], fee);
    }

    function keepInVault(bool inVault_) external {
        (inVault, credited) = (inVault_, false);
    }

    function deposit(Coin token, address pool) external returns (uint256) {
        if (!inVault || pool != address(this) || token != tokens[sold]) revert NotAsTold(sold, 0);
        credited = true;
        return amountIn;
    }

    /// SyncSwap.
    function swap(bytes calldata data, address sender, address callback, bytes calldata more) external {
        (Coin token, address to, uint8 mode) = abi.decode(data, (Coin, address, uint8));
        if (mode != 2 || sender != address(0) || callback != address(0) || more.length != 0 || credited != inVault) {
            revert NotAsTold(mode, 0);
        }
        run(token == tokens[0] ? 0 : 1, to);
    }

    /// iZiSwap: pays first.
    function swapX2Y(address to, uint128 amount, int24 limit, bytes calldata data) external returns (uint256, uint256) {
        if (sold != 0 || amount != amountIn || limit > -800_000 || data.length != 0) revert NotAsTold(0, amount);
        tokens[1].transfer(to, amountOut);
        Payer(msg.sender).swapX2YCallback(amountIn, amountOut, data);
        if (tokens[0].balanceOf(address(this)) - reserves[0] != amountIn) revert NotAsTold(0, 0);
        return (amountIn, amountOut);
    }

    function swapY2X(address to, uint128 amount, int24 limit, bytes calldata data) external returns (uint256, uint256) {
        if (sold != 1 || amount != amountIn || limit < 800_000 || data.length != 0) revert NotAsTold(1, amount);
        tokens[0].transfer(to, amountOut);
        Payer(msg.sender).swapY2XCallback(amountOut, amountIn, data);
        if (tokens[1].balanceOf(address(this)) - reserves[1] != amountIn) revert NotAsTold(1, 0);
        return (amountOut, amountIn);
    }

    /// Kyber Elastic: pays first.
    function swap(address to, int256 amount, bool isToken0, uint160 limit, bytes calldata data)
        external
        returns (int256 delta0, int256 delta1)
    {
        bool isLast = isToken0 ? limit == 4295128740 : limit == 1461446703485210103287273052203988822378723970341;
        if (sold != (isToken0 ? 0 : 1) || amount != int256(amountIn) || !isLast || data.length != 0) revert NotAsTold(0, amountIn);
        (delta0, delta1) = isToken0 ? (amount, -int256(amountOut)) : (-int256(amountOut), amount);
        tokens[1 - sold].transfer(to, amountOut);
        Payer(msg.sender).swapCallback(delta0, delta1, data);
        if (tokens[sold].balanceOf(address(this)) - reserves[sold] != amountIn) revert NotAsTold(sold, 0);
    }

    /// WOOFi.
    function swap(Coin from, Coin to, uint256 amount, uint256 least, address receiver, address rebate)
        external
        returns (uint256)
    {
        if (from != tokens[sold] || to != tokens[1 - sold] || amount != amountIn || least != 0 || rebate != address(0)) {
            revert NotAsTold(sold, amount);
        }
        return run(sold, receiver);
    }

    /// Fluid.
    function swapIn(bool swap0to1, uint256 amount, uint256, address to) external payable returns (uint256) {
        tokens[sold].transferFrom(msg.sender, address(this), amount);
        return run(swap0to1 ? 0 : 1, to);
    }

    /// Maker's module: the fee and the factor are told as the fee and the first virtual reserve above.
    function tout() external view returns (uint256) {
        return fee;
    }

    function to18ConversionFactor() external view returns (uint256) {
        return virtualReserves[0];
    }

    function sellGem(address to, uint256 gems) external returns (uint256) {
        tokens[sold].transferFrom(msg.sender, address(this), gems);
        return run(0, to);
    }

    function buyGem(address to, uint256 gems) external returns (uint256 dai) {
        if (sold != 1 || gems != amountOut) revert NotAsTold(sold, gems);
        dai = gems * virtualReserves[0] + gems * virtualReserves[0] * fee / 1e18;
        tokens[1].transferFrom(msg.sender, address(this), dai);
        tokens[0].transfer(to, gems);
    }

    /// Aave's module: what it is told is the asset, and the GHO of a purchase.
    function sellAsset(uint256 assets, address to) external returns (uint256, uint256) {
        tokens[sold].transferFrom(msg.sender, address(this), assets);
        return (assets, run(0, to));
    }

    function getAssetAmountForBuyAsset(uint256 gho) external view returns (uint256, uint256, uint256, uint256) {
        return (gho < amountIn ? 0 : amountOut, amountIn, 0, 0);
    }

    function buyAsset(uint256 assets, address to) external returns (uint256, uint256) {
        if (assets != amountOut) revert NotAsTold(sold, assets);
        tokens[sold].transferFrom(msg.sender, address(this), amountIn);
        return (run(1, to), amountIn);
    }

    /// Liquidity Book; X in the low half of what it answers, Y in the high one.
    function swap(bool swapForY, address to) external returns (bytes32) {
        uint256 out = run(swapForY ? 0 : 1, to);
        return bytes32(swapForY ? out << 128 : out);
    }

    function sellBase(address to) external returns (uint256) {
        return run(0, to);
    }

    function sellQuote(address to) external returns (uint256) {
        return run(1, to);
    }

    /// Pairs that say themselves what they give, and are asked for that.
    function getReserves() external view returns (uint256, uint256, uint256, uint256) {
        return (reserves[0], reserves[1], 0, 0);
    }

    function getAmountOut(uint256 amount, address tokenIn) external view returns (uint256) {
        return amount == amountIn && tokenIn == address(tokens[sold]) ? amountOut : 0;
    }

    /// EulerSwap: what lies there is all sold, so that its own pools hold nothing between swaps.
    function computeQuote(Coin tokenIn, Coin tokenOut, uint256 amount, bool exactIn) external view returns (uint256) {
        if (!exactIn || tokenIn != tokens[sold] || tokenOut != tokens[1 - sold]) return 0;
        return amount - reserves[sold] == amountIn ? amountOut : 0;
    }

    function swap(uint256 out0, uint256 out1, address to, bytes calldata data) external {
        uint256 out = run(out0 == 0 ? 0 : 1, to);
        if (data.length != 0 || out0 + out1 != out) revert NotAsTold(out0, out1);
    }

    function run(uint256 first, address to) private returns (uint256) {
        uint256 arrived = tokens[first].balanceOf(address(this)) - reserves[first];
        if (first != sold || arrived != amountIn) revert NotAsTold(first, arrived);
        tokens[1 - first].transfer(to, amountOut);
        return amountOut;
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Coin} from "./Coin.sol";

interface Payer {
    function swapX2YCallback(uint256 amountX, uint256 amountY, bytes calldata data) external;
    function swapY2XCallback(uint256 amountX, uint256 amountY, bytes calldata data) external;
    function swapCallback(int256 deltaQty0, int256 deltaQty1, bytes calldata data) external;
}

/// A model of pools of many families. It pays the expected output if exactly the expected input arrived in addition to its reserve.
/// - Liquidity Book, Camelot, Kyber Classic, DODO, SyncSwap, WOOFi, EulerSwap: the input is transferred before the call.
/// - iZiSwap, Kyber Elastic: the pool requests the input in a callback.
/// - Fluid, Maker's and Aave's modules: the pool draws the input by allowance.
contract Push {
    Coin[2] private tokens;
    uint256[2] private reserves;
    /// Index of the token of the expected input.
    uint256 private sold;
    uint256 private amountIn;
    uint256 private amountOut;
    /// Kyber Classic: virtual reserves, which determine the price, and the fee.
    uint112[2] private virtualReserves;
    uint256 private fee;
    /// SyncSwap: true if the contract is its own vault.
    bool private inVault;
    /// SyncSwap: true after a deposit into the vault.
    bool private credited;

    error UnexpectedSwap(uint256 sold, uint256 amountIn);

    constructor(Coin first, Coin second) {
        tokens = [first, second];
    }

    /// Sets the only swap that the pool accepts, and its output. The current balances become the reserves.
    function expectSwap(uint256 sold_, uint256 amountIn_, uint256 amountOut_) external {
        (sold, amountIn, amountOut) = (sold_, amountIn_, amountOut_);
        for (uint256 k; k < 2; ++k) reserves[k] = tokens[k].balanceOf(address(this));
    }

    function setPrice(uint112 virtual0, uint112 virtual1, uint256 fee_) external {
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
        if (!inVault || pool != address(this) || token != tokens[sold]) revert UnexpectedSwap(sold, 0);
        credited = true;
        return amountIn;
    }

    /// SyncSwap.
    function swap(bytes calldata data, address sender, address callback, bytes calldata more) external {
        (Coin token, address to, uint8 mode) = abi.decode(data, (Coin, address, uint8));
        if (mode != 2 || sender != address(0) || callback != address(0) || more.length != 0 || credited != inVault) {
            revert UnexpectedSwap(mode, 0);
        }
        run(token == tokens[0] ? 0 : 1, to);
    }

    /// iZiSwap: pays the output before it requests the input.
    function swapX2Y(address to, uint128 amount, int24 limit, bytes calldata data) external returns (uint256, uint256) {
        if (sold != 0 || amount != amountIn || limit > -800_000 || data.length != 0) revert UnexpectedSwap(0, amount);
        tokens[1].transfer(to, amountOut);
        Payer(msg.sender).swapX2YCallback(amountIn, amountOut, data);
        if (tokens[0].balanceOf(address(this)) - reserves[0] != amountIn) revert UnexpectedSwap(0, 0);
        return (amountIn, amountOut);
    }

    function swapY2X(address to, uint128 amount, int24 limit, bytes calldata data) external returns (uint256, uint256) {
        if (sold != 1 || amount != amountIn || limit < 800_000 || data.length != 0) revert UnexpectedSwap(1, amount);
        tokens[0].transfer(to, amountOut);
        Payer(msg.sender).swapY2XCallback(amountOut, amountIn, data);
        if (tokens[1].balanceOf(address(this)) - reserves[1] != amountIn) revert UnexpectedSwap(1, 0);
        return (amountOut, amountIn);
    }

    /// Kyber Elastic: pays the output before it requests the input.
    function swap(address to, int256 amount, bool isToken0, uint160 limit, bytes calldata data)
        external
        returns (int256 delta0, int256 delta1)
    {
        bool isLast = isToken0 ? limit == 4295128740 : limit == 1461446703485210103287273052203988822378723970341;
        if (sold != (isToken0 ? 0 : 1) || amount != int256(amountIn) || !isLast || data.length != 0) revert UnexpectedSwap(0, amountIn);
        (delta0, delta1) = isToken0 ? (amount, -int256(amountOut)) : (-int256(amountOut), amount);
        tokens[1 - sold].transfer(to, amountOut);
        Payer(msg.sender).swapCallback(delta0, delta1, data);
        if (tokens[sold].balanceOf(address(this)) - reserves[sold] != amountIn) revert UnexpectedSwap(sold, 0);
    }

    /// WOOFi.
    function swap(Coin from, Coin to, uint256 amount, uint256 minOutput, address receiver, address rebate)
        external
        returns (uint256)
    {
        if (from != tokens[sold] || to != tokens[1 - sold] || amount != amountIn || minOutput != 0 || rebate != address(0)) {
            revert UnexpectedSwap(sold, amount);
        }
        return run(sold, receiver);
    }

    /// Fluid.
    function swapIn(bool swap0to1, uint256 amount, uint256, address to) external payable returns (uint256) {
        tokens[sold].transferFrom(msg.sender, address(this), amount);
        return run(swap0to1 ? 0 : 1, to);
    }

    /// Maker's module: `fee` is its fee, and the first virtual reserve is its conversion factor.
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
        if (sold != 1 || gems != amountOut) revert UnexpectedSwap(sold, gems);
        dai = gems * virtualReserves[0] + gems * virtualReserves[0] * fee / 1e18;
        tokens[1].transferFrom(msg.sender, address(this), dai);
        tokens[0].transfer(to, gems);
    }

    /// Aave's module.
    function sellAsset(uint256 assets, address to) external returns (uint256, uint256) {
        tokens[sold].transferFrom(msg.sender, address(this), assets);
        return (assets, run(0, to));
    }

    function getAssetAmountForBuyAsset(uint256 gho) external view returns (uint256, uint256, uint256, uint256) {
        return (gho < amountIn ? 0 : amountOut, amountIn, 0, 0);
    }

    function buyAsset(uint256 assets, address to) external returns (uint256, uint256) {
        if (assets != amountOut) revert UnexpectedSwap(sold, assets);
        tokens[sold].transferFrom(msg.sender, address(this), amountIn);
        return (run(1, to), amountIn);
    }

    /// Liquidity Book.
    /// @return Output: token X in the low, and token Y in the high 128 bits.
    function swap(bool swapForY, address to) external returns (bytes32) {
        uint256 out = run(swapForY ? 0 : 1, to);
        return bytes32(swapForY ? out << 128 : out);
    }

    /// DODO.
    function sellBase(address to) external returns (uint256) {
        return run(0, to);
    }

    /// DODO.
    function sellQuote(address to) external returns (uint256) {
        return run(1, to);
    }

    /// Camelot: the Executor requests the output that `getAmountOut` returns.
    function getReserves() external view returns (uint256, uint256, uint256, uint256) {
        return (reserves[0], reserves[1], 0, 0);
    }

    function getAmountOut(uint256 amount, address tokenIn) external view returns (uint256) {
        return amount == amountIn && tokenIn == address(tokens[sold]) ? amountOut : 0;
    }

    /// EulerSwap: the pool sells its whole balance, so a genuine pool has no balance between swaps.
    function computeQuote(Coin tokenIn, Coin tokenOut, uint256 amount, bool exactIn) external view returns (uint256) {
        if (!exactIn || tokenIn != tokens[sold] || tokenOut != tokens[1 - sold]) return 0;
        return amount - reserves[sold] == amountIn ? amountOut : 0;
    }

    function swap(uint256 out0, uint256 out1, address to, bytes calldata data) external {
        uint256 out = run(out0 == 0 ? 0 : 1, to);
        if (data.length != 0 || out0 + out1 != out) revert UnexpectedSwap(out0, out1);
    }

    /// Pays the output if the expected input arrived.
    function run(uint256 first, address to) private returns (uint256) {
        uint256 arrived = tokens[first].balanceOf(address(this)) - reserves[first];
        if (first != sold || arrived != amountIn) revert UnexpectedSwap(first, arrived);
        tokens[1 - first].transfer(to, amountOut);
        return amountOut;
    }
}

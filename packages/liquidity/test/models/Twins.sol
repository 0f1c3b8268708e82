// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Coin, DecimalCoin} from "./Coin.sol";

/// Types of the vault of Balancer V3, with the fields that the models read.
struct HookFlags {
    bool enableHookAdjustedAmounts;
    bool shouldCallBeforeInitialize;
    bool shouldCallAfterInitialize;
    bool shouldCallComputeDynamicSwapFee;
    bool shouldCallBeforeSwap;
    bool shouldCallAfterSwap;
    bool shouldCallBeforeAddLiquidity;
    bool shouldCallAfterAddLiquidity;
    bool shouldCallBeforeRemoveLiquidity;
    bool shouldCallAfterRemoveLiquidity;
}

struct AfterSwapParams {
    uint8 kind;
    address tokenIn;
    address tokenOut;
    uint256 amountInScaled18;
    uint256 amountOutScaled18;
    uint256 tokenInBalanceScaled18;
    uint256 tokenOutBalanceScaled18;
    uint256 amountCalculatedScaled18;
    uint256 amountCalculatedRaw;
    address router;
    address pool;
    bytes userData;
}

struct PoolSwapParams {
    uint8 kind;
    uint256 amountGivenScaled18;
    uint256[] balancesScaled18;
    uint256 indexIn;
    uint256 indexOut;
    address router;
    bytes userData;
}

interface Vault {
    function sendTo(address token, address to, uint256 amount) external;
}

/// A hook of Balancer V3 in swaps. 0: takes a fiftieth of the output. 1: refuses every swap. 2: burns all gas.
/// 3: takes a fiftieth of the output unless the transaction has no gas price, as in a call.
contract SwapHook {
    uint256 public immutable mode;

    constructor(uint256 mode_) {
        mode = mode_;
    }

    /// Returns as many words as the vault decodes, of any types.
    function getHookFlags() external pure returns (HookFlags memory flags) {
        flags.enableHookAdjustedAmounts = true;
        flags.shouldCallAfterSwap = true;
    }

    function onRegister(address, address, bytes calldata) external pure returns (bool) {
        return true;
    }

    function onAfterSwap(AfterSwapParams calldata params) external returns (bool, uint256) {
        if (mode == 2) while (true) {}
        uint256 kept = mode == 3 && tx.gasprice == 0 ? 0 : params.amountCalculatedRaw / 50;
        if (kept > 0) Vault(msg.sender).sendTo(params.tokenOut, address(this), kept);
        return (mode != 1, params.amountCalculatedRaw - kept);
    }

    fallback() external {
        // onRegister has arguments of other types.
        assembly {
            mstore(0, 1)
            return(0, 32)
        }
    }
}

/// A Balancer V3 pool of an unknown type: pays 999 of 1,000 until it is empty.
contract SumPool {
    function onSwap(PoolSwapParams calldata params) external pure returns (uint256) {
        return params.amountGivenScaled18 * 999 / 1000;
    }

    function computeInvariant(uint256[] memory balances, uint8) external pure returns (uint256 sum) {
        for (uint256 k; k < balances.length; ++k) sum += balances[k];
    }

    function getMinimumSwapFeePercentage() external pure returns (uint256) {
        return 0;
    }

    function getMaximumSwapFeePercentage() external pure returns (uint256) {
        return 1e17;
    }

    function getMinimumInvariantRatio() external pure returns (uint256) {
        return 1e17;
    }

    function getMaximumInvariantRatio() external pure returns (uint256) {
        return 1e19;
    }

    function name() external pure returns (string memory) {
        return "sum";
    }

    function emitTransfer(address, address, uint256) external {}
    function emitApproval(address, address, uint256) external {}
}

/// An ERC-4626 vault that retains three of 1,000 of a withdrawal.
contract FeeVault is DecimalCoin {
    Coin public immutable asset;
    uint256 public totalSupply;

    constructor(Coin asset_) DecimalCoin(18) {
        asset = asset_;
    }

    function totalAssets() public view returns (uint256) {
        return asset.balanceOf(address(this));
    }

    function maxDeposit(address) external pure returns (uint256) {
        return type(uint256).max;
    }

    function maxRedeem(address owner) external view returns (uint256) {
        return balanceOf[owner];
    }

    function convertToShares(uint256 assets) public view returns (uint256) {
        return assets * (totalSupply + 1) / (totalAssets() + 1);
    }

    function convertToAssets(uint256 shares) public view returns (uint256) {
        return shares * (totalAssets() + 1) / (totalSupply + 1);
    }

    function previewDeposit(uint256 assets) public view returns (uint256) {
        return convertToShares(assets);
    }

    function previewRedeem(uint256 shares) public view returns (uint256) {
        return convertToAssets(shares) * 997 / 1000;
    }

    function deposit(uint256 assets, address receiver) external returns (uint256 shares) {
        shares = previewDeposit(assets);
        asset.transferFrom(msg.sender, address(this), assets);
        balanceOf[receiver] += shares;
        totalSupply += shares;
    }

    function redeem(uint256 shares, address receiver, address owner) external returns (uint256 assets) {
        require(msg.sender == owner);
        assets = previewRedeem(shares);
        balanceOf[owner] -= shares;
        totalSupply -= shares;
        asset.transfer(receiver, assets);
    }
}

/// A pool with Curve's interface and unknown math. It exchanges native token and a coin at par, less a thousandth of its balance.
contract EthPool {
    address private constant NATIVE = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;
    Coin public immutable coin;

    constructor(Coin coin_) {
        coin = coin_;
    }

    function coins(uint256 k) external view returns (address) {
        require(k < 2);
        return k == 0 ? NATIVE : address(coin);
    }

    function balances(uint256 k) public view returns (uint256) {
        return k == 0 ? address(this).balance : coin.balanceOf(address(this));
    }

    function A() external pure returns (uint256) {
        return 100;
    }

    function fee() external pure returns (uint256) {
        return 4e6;
    }

    function get_dy(int128 i, int128 j, uint256 dx) external view returns (uint256) {
        return _output(balances(uint128(i)), balances(uint128(j)), dx);
    }

    function exchange(int128 i, int128 j, uint256 dx, uint256 least) external payable {
        require(msg.value == (i == 0 ? dx : 0));
        uint256 dy = _output(balances(uint128(i)) - msg.value, balances(uint128(j)), dx);
        require(dy >= least);
        if (i == 0) {
            coin.transfer(msg.sender, dy);
        } else {
            coin.transferFrom(msg.sender, address(this), dx);
            (bool ok,) = msg.sender.call{value: dy}("");
            require(ok);
        }
    }

    function _output(uint256 held, uint256 other, uint256 dx) private pure returns (uint256) {
        return other * dx / (held + dx) * 999 / 1000;
    }
}

/// A pool like Curve's first ones, such as that of sUSD: its coin indices are signed integers, and `exchange` returns no data.
contract SignedPool {
    Coin[3] private held;

    constructor(Coin[3] memory coins_) {
        held = coins_;
    }

    function coins(int128 k) external view returns (address) {
        return address(held[uint128(k)]);
    }

    function balances(int128 k) public view returns (uint256) {
        return held[uint128(k)].balanceOf(address(this));
    }

    function A() external pure returns (uint256) {
        return 256;
    }

    function fee() external pure returns (uint256) {
        return 2e6;
    }

    function get_dy(int128 i, int128 j, uint256 dx) public view returns (uint256) {
        return balances(j) * dx / (balances(i) + dx) * 999 / 1000;
    }

    function exchange(int128 i, int128 j, uint256 dx, uint256 least) external {
        uint256 dy = get_dy(i, j, dx);
        require(dy >= least);
        held[uint128(i)].transferFrom(msg.sender, address(this), dx);
        held[uint128(j)].transfer(msg.sender, dy);
    }
}

/// A Curve factory whose list for two coins contains accounts that are not pools before the pool.
contract CurveFactory {
    address private immutable POOL;
    address private immutable COIN0;
    address private immutable COIN1;
    uint256 private immutable INDEX;

    constructor(address pool, address coin0, address coin1, uint256 index) {
        (POOL, COIN0, COIN1, INDEX) = (pool, coin0, coin1, index);
    }

    function find_pool_for_coins(address a, address b, uint256 k) external view returns (address) {
        if (k > INDEX || !(a == COIN0 && b == COIN1 || b == COIN0 && a == COIN1)) return address(0);
        return k == INDEX ? POOL : address(uint160(0xdead0000 + k));
    }
}

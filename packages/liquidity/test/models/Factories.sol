// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Coin} from "./Coin.sol";

interface Payer {
    function maverickV2SwapCallback(Coin tokenIn, uint256 amountIn, uint256 amountOut, bytes calldata data) external;
}

/// A factory in which anyone can create any number of pools of two tokens. Has the list getters of DODO, Kyber Classic, Maverick, and
/// EulerSwap.
contract Factories {
    mapping(Coin => mapping(Coin => address[])) private lists;

    /// DODO.
    event NewDVM(address baseToken, address quoteToken, address creator, address dvm);

    function create(Coin first, Coin second, uint256 count) external {
        for (uint256 k; k < count; ++k) {
            address pool = address(new ListedPool(first, second));
            lists[first][second].push(pool);
            emit NewDVM(address(first), address(second), msg.sender, pool);
        }
    }

    /// A long list of accounts without code.
    function pretend(Coin first, Coin second, uint256 count) external {
        for (uint256 k; k < count; ++k) lists[first][second].push(address(uint160(1 << 128 | lists[first][second].length)));
    }

    /// DODO.
    function getDODOPool(Coin base, Coin quote) external view returns (address[] memory) {
        return lists[base][quote];
    }

    /// An index after the end consumes all gas, like code of compilers before 0.8.
    function _REGISTRY_(Coin base, Coin quote, uint256 index) external view returns (address) {
        if (index >= lists[base][quote].length) {
            assembly {
                invalid()
            }
        }
        return lists[base][quote][index];
    }

    /// Kyber Classic.
    function getPools(Coin a, Coin b) external view returns (address[] memory) {
        return lists[a][b].length != 0 ? lists[a][b] : lists[b][a];
    }

    function getPoolAtIndex(Coin a, Coin b, uint256 index) external view returns (address) {
        return lists[a][b].length != 0 ? lists[a][b][index] : lists[b][a][index];
    }

    /// Maverick: shortens a range that exceeds the list.
    function poolByTokenCount(Coin a, Coin b, address) external view returns (uint256) {
        return lists[a][b].length;
    }

    function lookup(Coin a, Coin b, uint256 start, uint256 end) external view returns (address[] memory) {
        uint256 count = lists[a][b].length;
        return slice(lists[a][b], start < count ? start : count, end < count ? end : count);
    }

    /// EulerSwap: reverts if the range exceeds the list.
    function poolsByPairLength(Coin a, Coin b) external view returns (uint256) {
        return lists[a][b].length;
    }

    function poolsByPairSlice(Coin a, Coin b, uint256 start, uint256 end) external view returns (address[] memory) {
        return slice(lists[a][b], start, end);
    }

    function slice(address[] storage list, uint256 start, uint256 end) private view returns (address[] memory part) {
        part = new address[](end - start);
        for (uint256 k = start; k < end; ++k) part[k - start] = list[k];
    }
}

/// A vault whose shares are worth one and a half of their assets.
contract RichVault is Coin {
    function convertToAssets(uint256 shares) external pure returns (uint256) {
        return shares * 3 / 2;
    }
}

/// A pool that is priced by its balances: at par for DODO, by x·y = k for Kyber Classic and Maverick. For EulerSwap, its balances are
/// shares of vaults.
contract ListedPool {
    Coin[2] private tokens;

    constructor(Coin first, Coin second) {
        tokens = [first, second];
    }

    function held(uint256 k) private view returns (uint256) {
        return tokens[k].balanceOf(address(this));
    }

    /// DODO.
    function version() external pure returns (string memory) {
        return "DVM 1.0.2";
    }

    function getUserFeeRate(address) external pure returns (uint256, uint256) {
        return (0, 0);
    }

    function getPMMStateForCall() external view returns (uint256, uint256, uint256, uint256, uint256, uint256, uint256) {
        return (1e18, 1e17, held(0), held(1), held(0), held(1), 0);
    }

    /// Kyber Classic.
    function getTradeInfo() external view returns (uint112, uint112, uint112, uint112, uint256) {
        return (uint112(held(0)), uint112(held(1)), uint112(held(0)), uint112(held(1)), 1e15);
    }

    /// Maverick.
    function getState()
        external
        view
        returns (uint128, uint128, int64, int64, uint32, int32, bool, uint32, uint8)
    {
        return (uint128(held(0)), uint128(held(1)), 0, 0, 0, 0, false, 0, 0);
    }

    struct SwapParams {
        uint256 amount;
        bool tokenAIn;
        bool exactOutput;
        int32 tickLimit;
    }

    function swap(address to, SwapParams calldata params, bytes calldata data) external returns (uint256, uint256) {
        (uint256 i, uint256 j) = params.tokenAIn ? (0, 1) : (1, 0);
        uint256 amountOut = held(j) * params.amount / (held(i) + params.amount);
        tokens[j].transfer(to, amountOut);
        Payer(msg.sender).maverickV2SwapCallback(tokens[i], params.amount, amountOut, data);
        return (params.amount, amountOut);
    }

    /// EulerSwap.
    function getStaticParams() external view returns (Coin, Coin, Coin, Coin, address, address) {
        return (tokens[0], tokens[1], tokens[0], tokens[1], address(this), address(0));
    }
}

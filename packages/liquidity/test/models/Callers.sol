// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Coin} from "./Coin.sol";

/// Hostile pools for the lenses of caller-fee-v3, syncswap-aqua, and maverick-v2. A mode selects their behavior.
contract HostilePool {
    Coin public immutable token0;
    Coin public immutable token1;
    uint256 public immutable mode;

    error Nested(bool ok);

    constructor(Coin token0_, Coin token1_, uint256 mode_) {
        (token0, token1, mode) = (token0_, token1_, mode_);
    }

    function slot0() external pure returns (uint160, int24) {
        return (1 << 96, 0);
    }

    function liquidity() external pure returns (uint128) {
        return 1;
    }

    function vault() external pure returns (address) {
        return address(0);
    }

    function getReserves() external pure returns (uint256, uint256) {
        return (1, 1);
    }

    /// caller-fee-v3. 0: correct, at par. 1: requests half of the input. 2: requests no input. 3: reports a negative output.
    /// 4: reverts with one word. 5: burns all gas. 6: requests the other token. 7: swaps through the lens again.
    function swap(address, bool zeroForOne, int256 amount, uint160, bytes calldata) external returns (int256, int256) {
        if (mode == 2) return (amount, -amount);
        (int256 owed, int256 bought) = (amount, -amount);
        if (mode == 1) (owed, bought) = (amount / 2, -amount / 2);
        if (mode == 3) (owed, bought) = (amount, amount);
        if (mode == 6) (owed, bought) = (-amount, amount);
        _misbehave(abi.encodeWithSignature("swapOnce(bytes,bool,uint256)", abi.encode(address(this)), zeroForOne, 1));
        (int256 amount0, int256 amount1) = zeroForOne ? (owed, bought) : (bought, owed);
        (bool ok, bytes memory answer) =
            msg.sender.call(abi.encodeWithSignature("poolCallback(int256,int256,bytes)", amount0, amount1, ""));
        if (!ok) {
            assembly ("memory-safe") {
                revert(add(answer, 0x20), mload(answer))
            }
        }
        return (amount0, amount1);
    }

    /// syncswap-aqua. 0: correct, at par. 1: pays half of the returned amount. 2: pays nothing. 4, 5, 7: as above.
    function swap(bytes calldata data, address, address, bytes calldata) external {
        (Coin tokenIn, address to) = abi.decode(data, (Coin, address));
        Coin tokenOut = tokenIn == token0 ? token1 : token0;
        uint256 amount = tokenIn.balanceOf(address(this)) - PLENTY;
        _misbehave(abi.encodeWithSignature("swapOnce(bytes,bool,uint256)", "", true, amount));
        if (mode != 2) tokenOut.transfer(to, mode == 1 ? amount / 2 : amount);
    }

    struct SwapParams {
        uint256 amount;
        bool tokenAIn;
        bool exactOutput;
        int32 tickLimit;
    }

    struct State {
        uint128 reserveA;
        uint128 reserveB;
        int64 lastTwaD8;
        int64 lastLogPriceD8;
        uint32 lastTimestamp;
        int32 activeTick;
        bool isLocked;
        uint32 binCounter;
        uint8 protocolFeeRatioD3;
    }

    function getState() external pure returns (State memory state) {}

    /// maverick-v2. 0: correct, at par. 1: requests half of the input. 2: requests no input. 4, 5, 7: as above.
    function swap(address, SwapParams calldata params, bytes calldata) external returns (uint256, uint256) {
        uint256 amount = params.amount;
        if (mode == 2) return (amount, amount);
        _misbehave(
            abi.encodeWithSignature("swapOnce(bytes,bool,uint256)", abi.encode(address(this)), params.tokenAIn, 1)
        );
        uint256 owed = mode == 1 ? amount / 2 : amount;
        (bool ok, bytes memory answer) = msg.sender.call(
            abi.encodeWithSignature("maverickV2SwapCallback(address,uint256,uint256,bytes)", token0, owed, amount, "")
        );
        if (!ok) {
            assembly ("memory-safe") {
                revert(add(answer, 0x20), mload(answer))
            }
        }
        return (owed, amount);
    }

    /// Balance that the test gives the pool.
    uint256 private constant PLENTY = 1 << 100;

    function _misbehave(bytes memory nested) private {
        if (mode == 4) {
            assembly ("memory-safe") {
                mstore(0x00, not(0))
                revert(0x00, 0x20)
            }
        }
        if (mode == 5) while (true) {}
        if (mode == 7) {
            (bool ok,) = msg.sender.call(nested);
            revert Nested(ok);
        }
    }
}

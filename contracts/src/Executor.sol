// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {UniswapV2} from "./dexes/uniswap-v2/UniswapV2.sol";
import {UniswapV3} from "./dexes/uniswap-v3/UniswapV3.sol";
import {WrappedNative} from "./dexes/wrapped-native/WrappedNative.sol";
import {IExecutor} from "./interfaces/IExecutor.sol";
import {IGuard} from "./interfaces/IGuard.sol";
import {Program} from "./libraries/Program.sol";
import {Transfers} from "./libraries/Transfers.sol";

/// @title Executor
/// @notice Runs programs. It has no owner and no storage, holds nothing between calls and is useless as a spender.
/// @dev 1. No step calls `transferFrom`, or a function that the program's author chooses.
///   2. Who pays and who may call back stands in transient storage that only `execute` writes, never in callback data.
///   3. A callback is answered once, to the contract being called, while it is being called.
///   4. `execute` cannot be entered again. Whatever is left here belongs to whoever takes it next.
contract Executor is IExecutor {
    using Transfers for address;

    // Transient slots: zero outside of `execute`.
    /// @dev The caller of `execute`; the lock.
    uint256 private constant GUARD = 0;
    /// @dev The contract whose callback is awaited, with PULLED set where the Guard pays it.
    uint256 private constant AWAITED = 1;
    /// @dev What the callback is paid in, where the Executor pays.
    uint256 private constant TOKEN = 2;

    uint256 private constant PULLED = 1 << 160;

    /// @dev Wrappers and pools pay native token out to here.
    receive() external payable {}

    /// @notice The callback of every uniswap-v3 style pool: forks name it differently, so the name is left open.
    fallback() external {
        uint256 awaited = _get(AWAITED);
        if (address(uint160(awaited)) != msg.sender) revert UnexpectedCallback(msg.sender, address(uint160(awaited)));
        _set(AWAITED, 0);
        uint256 amount = UniswapV3.owed();
        if (awaited & PULLED != 0) IGuard(address(uint160(_get(GUARD)))).pull(msg.sender, amount);
        else address(uint160(_get(TOKEN))).transfer(msg.sender, amount);
    }

    /// @inheritdoc IExecutor
    function execute(bytes calldata program) external payable {
        if (_get(GUARD) != 0) revert Reentrancy();
        _set(GUARD, uint160(msg.sender));

        uint256 at;
        uint256 end;
        assembly ("memory-safe") {
            at := program.offset
            end := add(at, program.length)
        }
        while (at < end) {
            uint256 opcode = Program.readByte(at);
            uint256 flags = Program.readByte(at + 1);
            // unchecked: `at` is an offset into calldata.
            unchecked {
                at += 2;
            }
            if (opcode == Program.UNISWAP_V2) at = UniswapV2.run(at, flags, end);
            else if (opcode == Program.UNISWAP_V3) at = _uniswapV3(at, flags, end);
            else if (opcode == Program.WRAP) at = WrappedNative.wrap(at, flags, end);
            else if (opcode == Program.UNWRAP) at = WrappedNative.unwrap(at, flags, end);
            else revert UnknownOpcode(at - 2, opcode);
        }

        _set(TOKEN, 0);
        _set(GUARD, 0);
    }

    function _uniswapV3(uint256 at, uint256 flags, uint256 end) private returns (uint256) {
        (address pool, address token, uint256 amount, address to, uint256 next) = UniswapV3.read(at, flags, end);
        _await(pool, token);
        UniswapV3.swap(pool, to, Program.zeroForOne(flags), amount);
        if (_get(AWAITED) != 0) revert CallbackMissing(pool);
        return next;
    }

    /// @param token What the Executor pays in; zero where the Guard pays.
    function _await(address pool, address token) private {
        if (token == address(0)) {
            _set(AWAITED, uint160(pool) | PULLED);
        } else {
            _set(AWAITED, uint160(pool));
            _set(TOKEN, uint160(token));
        }
    }

    function _get(uint256 slot) private view returns (uint256 value) {
        assembly ("memory-safe") {
            value := tload(slot)
        }
    }

    function _set(uint256 slot, uint256 value) private {
        assembly ("memory-safe") {
            tstore(slot, value)
        }
    }
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IExecutor} from "../../src/interfaces/IExecutor.sol";

/// @notice Encodes steps byte by byte, from the table and not with the Executor's own code.
library Programs {
    bytes1 internal constant REST = 0x00;
    bytes1 internal constant SHARE = 0x01;
    bytes1 internal constant HELD = 0x02;
    bytes1 internal constant AT_POOL = 0x03;
    bytes1 internal constant PULL = 0x04;
    bytes1 internal constant PULL_ALL = 0x05;

    bytes1 internal constant TO_EXECUTOR = 0x00;
    /// @dev The recipient of the task, which is the Guard in custody.
    bytes1 internal constant TO_GUARD = 0x08;
    bytes1 internal constant TO_ADDRESS = 0x10;

    bytes1 internal constant ZERO_FOR_ONE = 0x20;

    /// @dev For programs that pull nothing: the recipient in the task of `execute`.
    function task(address recipient) internal pure returns (IExecutor.Task memory) {
        return IExecutor.Task(address(0), 0, recipient);
    }

    /// @return The call of `execute` that runs a program.
    function execution(IExecutor.Task memory what, bytes memory program) internal pure returns (bytes memory) {
        return abi.encodePacked(abi.encodeCall(IExecutor.execute, (what)), program);
    }

    function pull(uint256 amount) internal pure returns (bytes memory) {
        return abi.encodePacked(uint128(amount));
    }

    /// @dev Amount of a step that pulls the whole input, which has no amount.
    function token(bytes1 flags, address tokenIn) internal pure returns (bytes memory) {
        return flags & 0x04 != 0 ? bytes("") : abi.encodePacked(tokenIn);
    }

    function share(uint256 parts) internal pure returns (bytes memory) {
        return abi.encodePacked(uint24(parts));
    }

    function v2(bytes1 flags, bytes memory amount, address tokenIn, address pool, uint24 feePpm)
        internal
        pure
        returns (bytes memory)
    {
        return abi.encodePacked(bytes1(0x01), flags, amount, token(flags, tokenIn), pool, feePpm);
    }

    function v3Pulled(bytes1 flags, bytes memory amount, address pool) internal pure returns (bytes memory) {
        return abi.encodePacked(bytes1(0x02), flags, amount, pool);
    }

    function v3(bytes1 flags, bytes memory amount, address tokenIn, address pool) internal pure returns (bytes memory) {
        return abi.encodePacked(bytes1(0x02), flags, amount, tokenIn, pool);
    }

    function wrap(bytes1 flags, bytes memory amount, address wrapper) internal pure returns (bytes memory) {
        return abi.encodePacked(bytes1(0x03), flags, amount, wrapper);
    }

    function unwrap(bytes1 flags, bytes memory amount, address wrapper) internal pure returns (bytes memory) {
        return abi.encodePacked(bytes1(0x04), flags, amount, token(flags, wrapper));
    }
}

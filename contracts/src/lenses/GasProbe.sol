// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IExecutor} from "../interfaces/IExecutor.sol";

/// @title GasProbe
/// @notice Measures the gas of hops as steps of the Executor's programs; never deployed.
/// @dev Runs in one eth_call, at the Guard's address by a code override, because the Executor runs programs only for
///   the Guard. Each program runs in a frame that reverts with its gas. The revert undoes its writes, and accounts and
///   slots that it warmed are cold again for the next program (EIP-2929).
contract GasProbe {
    /// @dev A program to measure, and its input.
    struct Hop {
        /// Sold token, of which an override gives this account enough; zero for the native token.
        address token;
        /// Base units.
        uint256 amount;
        /// Account that holds the input before the program runs, as after another hop; zero if the program pulls it.
        address holder;
        /// Receiver of output that the program does not send elsewhere. It holds none of it, like the Guard.
        address recipient;
        bytes program;
    }

    /// @dev Another account called a function that only this contract, the Executor, or the eth_call may call.
    error NotAllowed();

    /// @dev Gas for the setup of a hop, and for the work after the last one.
    uint256 private constant SPARE_GAS = 400_000;
    uint256 private constant TRANSFER_GAS = 300_000;
    bytes4 private constant EXECUTE = IExecutor.execute.selector;

    /// @dev Executor and sold token of the program in `attempt`, which reverts and thus resets them.
    address private executor;
    address private token;

    /// @dev Accepts native output of programs.
    receive() external payable {}

    /// @notice Measures programs. Only for the eth_call itself, whose sender is also its target.
    /// @param runner The Executor.
    /// @param limit Maximum gas of one program. A program that uses more counts as failed.
    /// @return gasUsed Gas of each program, in the order of `hops`; zero if it failed, or if no gas was left for it.
    function run(address runner, uint256 limit, Hop[] calldata hops) external returns (uint256[] memory gasUsed) {
        if (msg.sender != address(this) || tx.origin != address(this)) revert NotAllowed();
        gasUsed = new uint256[](hops.length);
        for (uint256 i; i < hops.length; ++i) {
            // Maximum gas of a hop, with the 64th part that every call retains.
            if (gasleft() < (limit + SPARE_GAS) * 32 / 31) break;
            try this.attempt(runner, limit, hops[i]) {}
            catch (bytes memory answer) {
                if (answer.length == 32) gasUsed[i] = abi.decode(answer, (uint256));
            }
        }
    }

    /// @notice Runs one program, and reverts with the gas that it used, or with zero if it failed.
    function attempt(address runner, uint256 limit, Hop calldata hop) external {
        if (msg.sender != address(this)) revert NotAllowed();
        executor = runner;
        token = hop.token;
        uint256 value;
        if (hop.token == address(0)) value = hop.amount;
        else if (hop.holder != address(0)) _transfer(hop.token, hop.holder, hop.amount);
        bytes memory data =
            bytes.concat(EXECUTE, abi.encode(hop.token, hop.amount, hop.recipient), hop.program);
        assembly ("memory-safe") {
            pop(staticcall(0, runner, 0, 0, 0, 0))
            let before := gas()
            let ok := call(limit, runner, value, add(data, 32), mload(data), 0, 0)
            let used := mul(ok, sub(before, gas()))
            mstore(0, used)
            revert(0, 32)
        }
    }

    /// @notice Pays an input that the Executor requests, like the Guard.
    function pullInput(address to, uint256 amount) external {
        if (msg.sender != executor) revert NotAllowed();
        _transfer(token, to, amount);
    }

    /// @dev Ignores return data: a hop without its input fails.
    function _transfer(address asset, address to, uint256 amount) private {
        assembly ("memory-safe") {
            let free := mload(0x40)
            mstore(free, 0xa9059cbb)
            mstore(add(free, 32), to)
            mstore(add(free, 64), amount)
            pop(call(TRANSFER_GAS, asset, 0, add(free, 28), 68, 0, 0))
        }
    }
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "../interfaces/IERC20.sol";
import {IWrappedNative} from "../interfaces/IWrappedNative.sol";

/// @title WrapperProbe
/// @notice Wraps and unwraps an amount of native token, and reports the changes of the balances; never deployed.
/// @dev Runs in one eth_call, by a code override at an address that another override gives a native balance.
contract WrapperProbe {
    /// @dev Receives the native token of `withdraw`.
    receive() external payable {}

    /// @notice Wraps `amount`, and unwraps the wrapped tokens.
    /// @param amount Native base units.
    /// @return wrapped Increase of the balance of the wrapped token.
    /// @return unwrapped Increase of the native balance when `wrapped` was withdrawn.
    function wrap(IWrappedNative wrapper, uint256 amount) external returns (uint256 wrapped, uint256 unwrapped) {
        IERC20 token = IERC20(address(wrapper));
        uint256 before = token.balanceOf(address(this));
        wrapper.deposit{value: amount}();
        wrapped = token.balanceOf(address(this)) - before;
        before = address(this).balance;
        wrapper.withdraw(wrapped);
        unwrapped = address(this).balance - before;
    }
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IRateWrapperState, IRebasingTokenState} from "../interfaces/IRateWrapperState.sol";

/// @title RateWrapperLens
/// @notice Reads wrappers of rebasing tokens, like wstETH; never deployed.
contract RateWrapperLens {
    uint256 private constant SAMPLE = 123456789012345678901;

    struct State {
        /// Base units of the rebasing token, and the corresponding shares.
        uint256 pooled;
        uint256 shares;
        /// Total supply of the wrapper in shares.
        uint256 supply;
        /// Sample amount, and its quotes by the wrapper: shares for this amount, and amount for this number of shares.
        uint256 sample;
        uint256[2] quotes;
    }

    /// @notice Returns the rebasing token of a wrapper.
    function underlying(address wrapper) public view returns (address) {
        (bool found, uint256 token) = _word(wrapper, abi.encodeCall(IRateWrapperState.stETH, ()));
        if (!found) token = uint160(IRateWrapperState(wrapper).eETH());
        return address(uint160(token));
    }

    /// @notice Returns the state of a wrapper.
    function read(IRateWrapperState wrapper) external view returns (State memory state) {
        address token = underlying(address(wrapper));
        state.supply = wrapper.totalSupply();
        state.pooled = IRebasingTokenState(token).totalSupply();
        bool found;
        (found, state.shares) = _word(token, abi.encodeCall(IRebasingTokenState.getTotalShares, ()));
        if (!found) state.shares = IRebasingTokenState(token).totalShares();
        (, uint256 external_) = _word(token, abi.encodeCall(IRebasingTokenState.getExternalEther, ()));
        state.pooled -= external_;
        (, external_) = _word(token, abi.encodeCall(IRebasingTokenState.getExternalShares, ()));
        state.shares -= external_;

        state.sample = SAMPLE;
        (found, state.quotes[0]) = _word(address(wrapper), abi.encodeCall(wrapper.getWstETHByStETH, (SAMPLE)));
        if (!found) state.quotes[0] = wrapper.getWeETHByeETH(SAMPLE);
        (found, state.quotes[1]) = _word(address(wrapper), abi.encodeCall(wrapper.getStETHByWstETH, (SAMPLE)));
        if (!found) state.quotes[1] = wrapper.getEETHByWeETH(SAMPLE);
    }

    /// @dev Returns the first word of the return data. `ok` is false if the call fails or returns less.
    function _word(address target, bytes memory call) private view returns (bool ok, uint256 word) {
        bytes memory data;
        (ok, data) = target.staticcall(call);
        ok = ok && data.length >= 32;
        if (ok) word = uint256(bytes32(data));
    }
}

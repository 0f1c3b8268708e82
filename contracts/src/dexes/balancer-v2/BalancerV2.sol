// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IBalancerV2Vault} from "../../interfaces/IBalancerV2Vault.sol";
import {Inputs} from "../../libraries/Inputs.sol";
import {Program} from "../../libraries/Program.sol";
import {Transfers} from "../../libraries/Transfers.sol";

/// @title BalancerV2
/// @notice Swaps through one or several pools of the vault in one batch. The zero address is native token, which the vault wraps.
library BalancerV2 {
    using Transfers for address;

    /// @notice opcode, flags, amount, tokenIn, vault 20, hops 1, {poolId 32, tokenOut 20} × hops, address.
    /// @return next Calldata offset after the step.
    function run(uint256 at, uint256 flags, uint256 end) internal returns (uint256 next) {
        uint256 amount;
        address vault;
        address tokenIn;
        (amount, tokenIn, next) = Program.readInput(at, flags);
        (vault, next) = Program.readAddress(next);
        uint256 hops = Program.readByte(next);
        uint256 hopsAt = next + 1;
        address to;
        (to, next) = Program.readRecipient(hopsAt + hops * 52, flags);
        Program.finish(next, end);

        amount = Inputs.take(flags, amount, tokenIn);
        if (tokenIn == address(0)) {
            _batch(vault, tokenIn, amount, hopsAt, hops, to, amount);
        } else {
            tokenIn.approve(vault, amount);
            _batch(vault, tokenIn, amount, hopsAt, hops, to, 0);
            tokenIn.clearApproval(vault);
        }
    }

    function _batch(
        address vault,
        address tokenIn,
        uint256 amount,
        uint256 at,
        uint256 hops,
        address to,
        uint256 value
    ) private {
        IBalancerV2Vault.BatchSwapStep[] memory swaps = new IBalancerV2Vault.BatchSwapStep[](hops);
        address[] memory assets = new address[](hops + 1);
        int256[] memory limits = new int256[](hops + 1);
        assets[0] = tokenIn;
        for (uint256 k; k < hops; ++k) {
            bytes32 poolId;
            assembly ("memory-safe") {
                poolId := calldataload(at)
            }
            (assets[k + 1], at) = Program.readAddress(at + 32);
            swaps[k] = IBalancerV2Vault.BatchSwapStep(poolId, k, k + 1, k == 0 ? amount : 0, "");
            // A limit is the maximum that may go in: zero for intermediate tokens; the input is set below.
        }
        limits[0] = int256(amount);
        IBalancerV2Vault.FundManagement memory funds =
            IBalancerV2Vault.FundManagement(address(this), false, payable(to), false);
        IBalancerV2Vault(vault).batchSwap{value: value}(
            IBalancerV2Vault.SwapKind.GIVEN_IN, swaps, assets, funds, limits, block.timestamp
        );
    }
}

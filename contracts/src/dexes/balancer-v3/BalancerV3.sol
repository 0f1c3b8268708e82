// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IBalancerV3Vault} from "../../interfaces/IBalancerV3Vault.sol";
import {Inputs} from "../../libraries/Inputs.sol";
import {Program} from "../../libraries/Program.sol";

/// @title BalancerV3
/// @notice Swaps through one or several pools of the vault in one unlock, paid in its callback. A hop whose pool is one of its two
///   tokens wraps into or unwraps from that ERC-4626 share through the vault's buffer.
library BalancerV3 {
    /// @notice opcode, flags, amount, tokenIn, vault 20, hops 1, {pool 20, tokenOut 20} × hops, address.
    /// @return vault Contract that calls back.
    /// @return token Input token.
    /// @return data What the vault calls back with: amount 32, recipient 20, tokenIn, hops as in the program.
    /// @return next Calldata offset after the step.
    function read(uint256 at, uint256 flags, uint256 end)
        internal
        view
        returns (address vault, address token, bytes memory data, uint256 next)
    {
        uint256 amount;
        address to;
        (amount, token, next) = Program.readInput(at, flags);
        (vault, next) = Program.readAddress(next);
        at = next;
        next += 1 + Program.readByte(next) * 40;
        uint256 hopsEnd = next;
        (to, next) = Program.readRecipient(next, flags);
        Program.finish(next, end);
        data = abi.encodePacked(Inputs.resolve(flags, amount, token), to, token, msg.data[at:hopsEnd]);
    }

    /// @notice Answers the vault's callback, whose calldata is `data`.
    /// @param pulled True if the Guard pays from the sender.
    /// @param pay Pays the vault.
    /// @dev Pays first, since the vault measures the growth of its balance. The vault reverts if a hop leaves a part of its input.
    function settle(bool pulled, function(bool, uint256) internal pay) internal {
        uint256 amount;
        address to;
        address tokenIn;
        uint256 at;
        assembly ("memory-safe") {
            amount := calldataload(0)
        }
        (to, at) = Program.readAddress(32);
        (tokenIn, at) = Program.readAddress(at);
        uint256 hops = Program.readByte(at);
        at += 1;
        IBalancerV3Vault vault = IBalancerV3Vault(msg.sender);
        pay(pulled, amount);
        vault.settle(tokenIn, amount);
        address pool;
        address tokenOut;
        for (; hops != 0; --hops) {
            (pool, at) = Program.readAddress(at);
            (tokenOut, at) = Program.readAddress(at);
            if (pool == tokenIn || pool == tokenOut) {
                (,, amount) = vault.erc4626BufferWrapOrUnwrap(
                    IBalancerV3Vault.BufferWrapOrUnwrapParams(
                        IBalancerV3Vault.SwapKind.EXACT_IN,
                        pool == tokenOut ? IBalancerV3Vault.WrappingDirection.WRAP : IBalancerV3Vault.WrappingDirection.UNWRAP,
                        pool,
                        amount,
                        0
                    )
                );
            } else {
                (,, amount) = vault.swap(
                    IBalancerV3Vault.VaultSwapParams(
                        IBalancerV3Vault.SwapKind.EXACT_IN, pool, tokenIn, tokenOut, amount, 0, ""
                    )
                );
            }
            tokenIn = tokenOut;
        }
        vault.sendTo(tokenIn, to, amount);
    }
}

// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {IVault} from "@balancer-labs/v3-interfaces/contracts/vault/IVault.sol";
import {SwapKind, VaultSwapParams} from "@balancer-labs/v3-interfaces/contracts/vault/VaultTypes.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// Fills pools of Balancer V3 and swaps in them, each inside one unlock of the vault. Pays from its caller's allowance.
contract BalancerV3Trader {
    using SafeERC20 for IERC20;

    IVault private immutable vault;

    error NotTheVault();

    modifier onlyVault() {
        if (msg.sender != address(vault)) revert NotTheVault();
        _;
    }

    constructor(IVault vault_) {
        vault = vault_;
    }

    function initialize(address pool, IERC20[] calldata tokens, uint256[] calldata amounts) external {
        vault.unlock(abi.encodeCall(this.onInitialize, (msg.sender, pool, tokens, amounts)));
    }

    /// Sells exactly `amountIn`.
    function swap(address pool, IERC20 tokenIn, IERC20 tokenOut, uint256 amountIn) external returns (uint256) {
        bytes memory answer =
            vault.unlock(abi.encodeCall(this.onSwap, (msg.sender, pool, tokenIn, tokenOut, amountIn)));
        return abi.decode(answer, (uint256));
    }

    function onInitialize(address payer, address pool, IERC20[] calldata tokens, uint256[] calldata amounts)
        external
        onlyVault
    {
        vault.initialize(pool, payer, tokens, amounts, 0, "");
        for (uint256 i = 0; i < tokens.length; ++i) pay(payer, tokens[i], amounts[i]);
    }

    function onSwap(address payer, address pool, IERC20 tokenIn, IERC20 tokenOut, uint256 amountIn)
        external
        onlyVault
        returns (uint256 amountOut)
    {
        (,, amountOut) = vault.swap(VaultSwapParams(SwapKind.EXACT_IN, pool, tokenIn, tokenOut, amountIn, 0, ""));
        pay(payer, tokenIn, amountIn);
        vault.sendTo(tokenOut, payer, amountOut);
    }

    function pay(address payer, IERC20 token, uint256 amount) private {
        token.safeTransferFrom(payer, address(vault), amount);
        vault.settle(token, amount);
    }
}

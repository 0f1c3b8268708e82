// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import {IVault} from "@balancer-labs/v3-interfaces/contracts/vault/IVault.sol";
import {
    BufferWrapOrUnwrapParams,
    SwapKind,
    VaultSwapParams,
    WrappingDirection
} from "@balancer-labs/v3-interfaces/contracts/vault/VaultTypes.sol";
import {IERC4626} from "@openzeppelin/contracts/interfaces/IERC4626.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// Adds liquidity to Balancer V3 pools and to buffers of shares, and swaps in them. Each call is one unlock of the
/// vault. Pays by the caller's allowance.
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

    function initializeBuffer(IERC4626 share, uint256 assets, uint256 shares) external {
        vault.unlock(abi.encodeCall(this.onInitializeBuffer, (msg.sender, share, assets, shares)));
    }

    /// Sells exactly `amountIn`. If `pool` is one of the tokens, swaps through the buffer of that share.
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

    function onInitializeBuffer(address payer, IERC4626 share, uint256 assets, uint256 shares) external onlyVault {
        vault.initializeBuffer(share, assets, shares, 0, payer);
        pay(payer, IERC20(share.asset()), assets);
        pay(payer, share, shares);
    }

    function onSwap(address payer, address pool, IERC20 tokenIn, IERC20 tokenOut, uint256 amountIn)
        external
        onlyVault
        returns (uint256 amountOut)
    {
        bool wraps = pool == address(tokenOut);
        // Pays first, because a buffer deposits or redeems its missing amount from the balance of the vault.
        pay(payer, tokenIn, amountIn);
        if (wraps || pool == address(tokenIn)) {
            WrappingDirection direction = wraps ? WrappingDirection.WRAP : WrappingDirection.UNWRAP;
            (,, amountOut) = vault.erc4626BufferWrapOrUnwrap(
                BufferWrapOrUnwrapParams(SwapKind.EXACT_IN, direction, IERC4626(pool), amountIn, 0)
            );
        } else {
            (,, amountOut) = vault.swap(VaultSwapParams(SwapKind.EXACT_IN, pool, tokenIn, tokenOut, amountIn, 0, ""));
        }
        vault.sendTo(tokenOut, payer, amountOut);
    }

    function pay(address payer, IERC20 token, uint256 amount) private {
        token.safeTransferFrom(payer, address(vault), amount);
        vault.settle(token, amount);
    }
}

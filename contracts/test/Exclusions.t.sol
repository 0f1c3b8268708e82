// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Arena} from "./support/Arena.sol";
import {Deal} from "./support/Deals.sol";
import {Programs} from "./support/Programs.sol";
import {SurchargeToken, Token} from "./support/Tokens.sol";

/// @notice Limits of the invariants (SECURITY.md): a pool without enough liquidity leaves unsold input with the sender in direct mode,
///   and a token that charges its sender in addition to each transfer is excluded from invariants 2 and 4.
contract ExclusionsTest is Arena {
    /// @dev A pool with its only position from -60,000 to 60,000 ticks takes about 19e18 of a token.
    uint128 internal constant THIN = 1e18;

    function testFuzz_a_pool_that_runs_out_leaves_the_rest_of_the_senders_input_with_him(uint96 amountIn) public {
        amountIn = uint96(bound(amountIn, 100e18, 1e27));
        address pool = v3Pool(address(tokenIn), address(tokenOut), 3000, THIN);
        Deal memory order = orderOf(address(tokenIn), amountIn, address(tokenOut), 1, address(executor));
        bytes1 flags = Programs.PULL_ALL | Programs.TO_GUARD | zeroForOne(pool, address(tokenIn));
        swap(order, Programs.v3Pulled(flags, "", pool));
        assertEq(tokenIn.balanceOf(address(executor)), 0);
        assertGt(tokenIn.balanceOf(user), WEALTH - amountIn);
        assertEq(tokenIn.balanceOf(user) + tokenIn.balanceOf(pool), WEALTH + initial(pool, address(tokenIn)));
    }

    function testFuzz_a_token_that_charges_its_sender_costs_him_more_than_the_amount(uint96 amountIn, uint96 pulled) public {
        amountIn = uint96(bound(amountIn, 1, 1e27));
        pulled = uint96(bound(pulled, 0, amountIn));
        SurchargeToken charging = new SurchargeToken(50_000);
        charging.mint(user, WEALTH);
        vm.prank(user);
        charging.approve(address(guard), type(uint256).max);
        Deal memory order = orderOf(address(charging), amountIn, address(tokenOut), 1, address(puppet));
        swap(order, programOf(pullMove(partner, pulled, true), mintMove(address(tokenOut), address(guard), 1)));
        // At most the amount is sent; the charge is made by the token itself.
        assertEq(charging.balanceOf(partner), pulled);
        assertEq(charging.balanceOf(user), WEALTH - pulled - uint256(pulled) * 50_000 / 1e6);
    }

    function testFuzz_as_output_it_takes_its_charge_from_strays_or_fails(uint96 output, bool strays) public {
        output = uint96(bound(output, 100, 1e27));
        SurchargeToken charging = new SurchargeToken(50_000);
        charging.mint(address(guard), strays ? WEALTH : 0);
        Deal memory order = orderOf(address(tokenIn), 1e18, address(charging), 1, address(puppet));
        bool ok = trySwap(order, programOf(pullMove(partner, 1e18, true), mintMove(address(charging), address(guard), output)));
        assertEq(ok, strays);
        uint256 charge = uint256(output) * 50_000 / 1e6;
        assertEq(charging.balanceOf(address(guard)), strays ? WEALTH - charge : 0);
        assertEq(tokenIn.balanceOf(user), strays ? WEALTH - 1e18 : WEALTH);
    }

    /// @dev Initial balance of each token in a pool with price one.
    function initial(address pool, address token) private returns (uint256) {
        address other = v3Pool(token, address(new Token()), 3000, THIN);
        assertTrue(pool != other);
        return Token(token).balanceOf(other);
    }
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Arena} from "./support/Arena.sol";
import {Deal, Deals} from "./support/Deals.sol";
import {Move} from "./support/Hostile.sol";
import {Token} from "./support/Tokens.sol";

/// @notice Another address of a token, as of tokens with two entry points.
contract SecondAddress {
    Token public immutable TOKEN;

    constructor(Token token) {
        TOKEN = token;
    }

    function balanceOf(address account) external view returns (uint256) {
        return TOKEN.balanceOf(account);
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        TOKEN.move(msg.sender, to, amount);
        return true;
    }
}

/// @notice Attacks on other routers by gas limits and by tokens with two addresses.
contract PeculiarTest is Arena {
    /// @dev A swap needs less gas than this.
    uint256 private constant ENOUGH_GAS = 400_000;

    function testFuzz_input_that_comes_back_by_a_second_address_of_its_token(uint96 amountIn, uint96 back, bool direct)
        public
    {
        amountIn = uint96(bound(amountIn, 1, 1e27));
        back = uint96(bound(back, 1, amountIn));
        address second = address(new SecondAddress(tokenIn));
        tokenIn.mint(address(guard), 777);
        Deal memory order = orderOf(address(tokenIn), amountIn, second, 1, address(puppet));
        order.direct = direct;
        bytes memory transfer = abi.encodeCall(SecondAddress.transfer, (direct ? user : address(guard), back));
        bool ok = trySwap(order, programOf(pullMove(address(puppet), amountIn, true), Move(second, 0, transfer, true)));
        // In direct mode, the recipient's balance was read before the draw, and has not grown.
        assertEq(ok, !direct);
        assertEq(tokenIn.balanceOf(user), ok ? WEALTH - amountIn + back : WEALTH);
        assertEq(tokenIn.balanceOf(address(guard)), 777);
        assertIdle();
    }

    function testFuzz_any_gas_limit_pays_the_minimum_or_moves_nothing(uint256 gasLimit, bool hasFee) public {
        gasLimit = bound(gasLimit, 0, ENOUGH_GAS);
        assertEq(paidWith(gasLimit, hasFee), tokenIn.balanceOf(user) == WEALTH - 1000);
        assertTrue(paidWith(ENOUGH_GAS, hasFee));
    }

    /// @dev Swaps 1,000 for 600 with a gas limit; true if the swap succeeds.
    function paidWith(uint256 gasLimit, bool hasFee) private returns (bool ok) {
        Deal memory order = orderOf(1000, 500);
        if (hasFee) (order.feePpm, order.feeRecipient) = (100_000, partner);
        bytes memory program = programOf(pullMove(payee, 1000, true), mintMove(address(tokenOut), address(guard), 600));
        (uint256 held, uint256 owned) = (tokenOut.balanceOf(user), tokenIn.balanceOf(user));
        bytes memory data = Deals.encode(order, program);
        vm.prank(user);
        (ok,) = address(guard).call{gas: gasLimit}(data);
        assertEq(tokenOut.balanceOf(user) - held, ok ? hasFee ? 540 : 600 : 0);
        assertEq(owned - tokenIn.balanceOf(user), ok ? 1000 : 0);
        assertEq(tokenOut.balanceOf(address(guard)), 0);
        assertIdle();
    }
}

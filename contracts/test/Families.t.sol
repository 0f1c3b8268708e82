// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20 as IOzERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import {IGuard} from "../src/interfaces/IGuard.sol";
import {IToken} from "./support/Genuine.sol";
import {GenuineV4} from "./support/GenuineV4.sol";
import {Programs} from "./support/Programs.sol";
import {Token} from "./support/Tokens.sol";

contract Vault is ERC4626 {
    constructor(address asset) ERC4626(IOzERC20(asset)) ERC20("Vault", "V") {}
}

interface ICurveFactory {
    function set_plain_implementations(uint256 coins, address[10] calldata implementations) external;
    function deploy_plain_pool(string calldata name, string calldata symbol, address[4] calldata coins, uint256 a, uint256 fee)
        external
        returns (address);
}

interface ICurveStable {
    function add_liquidity(uint256[4] calldata amounts, uint256 minimum) external returns (uint256);
    function get_dy(int128 i, int128 j, uint256 amount) external view returns (uint256);
}

interface IBalancerFactory {
    function create(
        string calldata name,
        string calldata symbol,
        address[] calldata tokens,
        uint256[] calldata weights,
        address[] calldata rateProviders,
        uint256 swapFee,
        address owner
    ) external returns (address);
}

interface IBalancerPool {
    function getPoolId() external view returns (bytes32);
}

interface IBalancerVault {
    struct JoinPoolRequest {
        address[] assets;
        uint256[] maxAmountsIn;
        bytes userData;
        bool fromInternalBalance;
    }

    function joinPool(bytes32 poolId, address sender, address recipient, JoinPoolRequest calldata request) external payable;
}

/// @notice The families whose genuine bytecode runs here, in addition to uniswap-v2 and uniswap-v3 in Swap.t.sol.
contract FamiliesTest is GenuineV4 {
    string internal constant BALANCER = "../packages/devnet/node_modules/@balancer-labs/v2-deployments/dist/tasks/";
    address internal middle;

    function setUp() public override {
        super.setUp();
        middle = address(new Token());
    }

    function trade(address from, uint256 amount, address to, bytes memory program) internal returns (uint256 got) {
        uint256 before = to == address(0) ? user.balance : IToken(to).balanceOf(user);
        got = swap(orderOf(from, amount, to, 1, address(executor)), program);
        assertEq((to == address(0) ? user.balance : IToken(to).balanceOf(user)) - before, got);
        if (from != address(0)) assertEq(IToken(from).balanceOf(address(executor)), 0);
        assertEq(address(executor).balance, 0);
    }

    function test_uniswap_v4_trades_several_hops_in_one_unlock() public {
        address manager = manager4();
        v4(manager, address(tokenIn), middle, DEEP);
        v4(manager, middle, address(tokenOut), DEEP);
        address[] memory path = new address[](2);
        (path[0], path[1]) = (middle, address(tokenOut));
        uint256 got = trade(
            address(tokenIn),
            1e18,
            address(tokenOut),
            v4Step(Programs.PULL | Programs.TO_GUARD, Programs.pull(1e18), manager, address(tokenIn), path)
        );
        assertApproxEqRel(got, 0.994e18, 0.001e18);
    }

    function test_uniswap_v4_trades_native_both_ways() public {
        address manager = manager4();
        v4(manager, address(0), address(tokenOut), DEEP);
        address[] memory path = new address[](1);
        path[0] = address(tokenOut);
        uint256 got = trade(
            address(0),
            1e18,
            address(tokenOut),
            v4Step(Programs.HELD | Programs.TO_GUARD, Programs.pull(1e18), manager, address(0), path)
        );
        assertApproxEqRel(got, 0.997e18, 0.001e18);
        path[0] = address(0);
        got = trade(
            address(tokenOut),
            1e18,
            address(0),
            v4Step(Programs.PULL | Programs.TO_GUARD, Programs.pull(1e18), manager, address(tokenOut), path)
        );
        assertApproxEqRel(got, 0.997e18, 0.001e18);
    }

    function test_curve_trades_by_int128() public {
        string memory at = "@perp/curie-deployments/optimism-goerli/core/artifacts/contracts/curve/";
        address implementation = create(published(string.concat(at, "StableSwap.vy/StableSwap.json"), ".bytecode"));
        ICurveFactory factory = ICurveFactory(
            create(
                abi.encodePacked(
                    published(string.concat(at, "FactorySidechains.vy/FactorySidechains.json"), ".bytecode"),
                    abi.encode(address(this))
                )
            )
        );
        address[10] memory implementations;
        implementations[0] = implementation;
        factory.set_plain_implementations(4, implementations);
        address[4] memory coins = [address(tokenIn), address(tokenOut), middle, address(new Token())];
        address pool = factory.deploy_plain_pool("pool", "p", coins, 200, 4_000_000);
        for (uint256 k; k < 4; ++k) {
            Token(coins[k]).mint(address(this), 1e24);
            Token(coins[k]).approve(pool, 1e24);
        }
        ICurveStable(pool).add_liquidity([uint256(1e24), 1e24, 1e24, 1e24], 0);
        uint256 expected = ICurveStable(pool).get_dy(0, 1, 1e18);
        uint256 got = trade(
            address(tokenIn),
            1e18,
            address(tokenOut),
            abi.encodePacked(
                bytes1(0x07), Programs.PULL | Programs.TO_GUARD, uint128(1e18), uint8(0), uint8(0), uint8(1),
                address(tokenOut), pool
            )
        );
        assertEq(got, expected);
        assertEq(tokenIn.allowance(address(executor), pool), 0);
    }

    function test_balancer_v2_trades_a_batch() public {
        address vault = create(
            abi.encodePacked(
                published(string.concat(BALANCER, "20210418-vault/artifact/Vault.json"), ".bytecode"),
                abi.encode(
                    create(
                        abi.encodePacked(
                            published(string.concat(BALANCER, "20210418-authorizer/artifact/Authorizer.json"), ".bytecode"),
                            abi.encode(address(this))
                        )
                    ),
                    address(weth),
                    0,
                    0
                )
            )
        );
        address fees = create(
            abi.encodePacked(
                published(
                    string.concat(
                        BALANCER,
                        "20220725-protocol-fee-percentages-provider/artifact/ProtocolFeePercentagesProvider.json"
                    ),
                    ".bytecode"
                ),
                abi.encode(vault, 1e18, 1e18)
            )
        );
        IBalancerFactory factory = IBalancerFactory(
            create(
                abi.encodePacked(
                    published(
                        string.concat(BALANCER, "20230206-weighted-pool-v3/artifact/WeightedPoolFactory.json"), ".bytecode"
                    ),
                    abi.encode(vault, fees, "v", "v")
                )
            )
        );
        bytes32 first = weighted(vault, factory, address(tokenIn), middle);
        bytes32 second = weighted(vault, factory, middle, address(tokenOut));
        uint256 got = trade(
            address(tokenIn),
            1e18,
            address(tokenOut),
            abi.encodePacked(
                bytes1(0x08), Programs.PULL | Programs.TO_GUARD, uint128(1e18), vault, uint8(2),
                first, middle, second, address(tokenOut)
            )
        );
        assertApproxEqRel(got, 0.994e18, 0.001e18);
        assertEq(tokenIn.allowance(address(executor), vault), 0);
    }

    function weighted(address vault, IBalancerFactory factory, address a, address b) internal returns (bytes32 poolId) {
        address[] memory tokens = new address[](2);
        (tokens[0], tokens[1]) = a < b ? (a, b) : (b, a);
        uint256[] memory halves = new uint256[](2);
        (halves[0], halves[1]) = (0.5e18, 0.5e18);
        for (uint256 k; k < 2; ++k) {
            Token(tokens[k]).mint(address(this), 1e24);
            Token(tokens[k]).approve(vault, 1e24);
        }
        poolId = IBalancerPool(factory.create("w", "w", tokens, halves, new address[](2), 0.003e18, address(this))).getPoolId();
        uint256[] memory amounts = new uint256[](2);
        (amounts[0], amounts[1]) = (1e24, 1e24);
        IBalancerVault(vault).joinPool(
            poolId, address(this), address(this), IBalancerVault.JoinPoolRequest(tokens, amounts, abi.encode(0, amounts), false)
        );
    }

    function test_erc4626_deposits_and_redeems() public {
        Vault vault = new Vault(address(tokenIn));
        tokenIn.mint(address(this), 1e24);
        tokenIn.approve(address(vault), 1e24);
        vault.deposit(1e24, address(this));
        tokenIn.mint(address(vault), 5e23);
        uint256 expected = vault.previewDeposit(1e18);
        uint256 got = trade(
            address(tokenIn),
            1e18,
            address(vault),
            abi.encodePacked(
                bytes1(0x0b), Programs.PULL | Programs.TO_GUARD | bytes1(0x20), uint128(1e18), address(vault)
            )
        );
        assertEq(got, expected);
        assertEq(tokenIn.allowance(address(executor), address(vault)), 0);
        vm.prank(user);
        vault.approve(address(guard), got);
        expected = vault.previewRedeem(got);
        got = trade(
            address(vault),
            got,
            address(tokenIn),
            abi.encodePacked(bytes1(0x0b), Programs.PULL_ALL | Programs.TO_GUARD, address(tokenIn))
        );
        assertEq(got, expected);
    }
}

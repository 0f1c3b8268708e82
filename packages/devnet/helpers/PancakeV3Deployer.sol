// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Replaces PancakeSwap's pool deployer, which its package omits. Creates the published pool code at the same address
/// as the original deployer. Another contract stores that code after one zero byte.
contract PancakeV3Deployer {
    struct Parameters {
        address factory;
        address token0;
        address token1;
        uint24 fee;
        int24 tickSpacing;
    }

    /// Parameters that the constructor of the pool reads.
    Parameters public parameters;
    address public factoryAddress;
    address private immutable poolCode;

    error NotTheFactory();
    error PoolNotCreated();

    constructor(address poolCode_) {
        poolCode = poolCode_;
    }

    function setFactoryAddress(address factory) external {
        if (factoryAddress != address(0)) revert NotTheFactory();
        factoryAddress = factory;
    }

    function deploy(address factory, address token0, address token1, uint24 fee, int24 tickSpacing)
        external
        returns (address pool)
    {
        if (msg.sender != factoryAddress) revert NotTheFactory();
        parameters = Parameters(factory, token0, token1, fee, tickSpacing);
        bytes32 salt = keccak256(abi.encode(token0, token1, fee));
        address source = poolCode;
        assembly {
            let size := sub(extcodesize(source), 1)
            let code := mload(0x40)
            extcodecopy(source, code, 1, size)
            pool := create2(0, code, size, salt)
        }
        if (pool == address(0)) revert PoolNotCreated();
        delete parameters;
    }
}

// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// Base of tokens that treat accounts with code differently from accounts without code. Exchanges with this behavior
/// are below.
contract WalletToken {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    uint256 private constant DEAD = 0xdead;

    function mint(address to, uint256 amount) external {
        balanceOf[to] += amount;
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        _move(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        if (allowance[from][msg.sender] != type(uint256).max) allowance[from][msg.sender] -= amount;
        _move(from, to, amount);
        return true;
    }

    function _move(address from, address to, uint256 amount) internal {
        uint256 tax = amount * _taxPerMille(from, to, amount) / 1000;
        balanceOf[from] -= amount;
        balanceOf[to] += amount - tax;
        balanceOf[address(uint160(DEAD))] += tax;
    }

    function _taxPerMille(address from, address to, uint256 amount) internal virtual returns (uint256) {}
}

contract PlainToken is WalletToken {}

/// Limits the amount of a transfer to an account without code.
contract WalletLimit is WalletToken {
    function _taxPerMille(address, address to, uint256 amount) internal view override returns (uint256) {
        if (to.code.length == 0 && to != address(0xdead)) require(amount <= 1_000_000, "wallet limit");
        return 0;
    }
}

contract TaxesWallets is WalletToken {
    function _taxPerMille(address, address to, uint256) internal view override returns (uint256) {
        return to.code.length == 0 ? 9 : 0;
    }
}

/// Taxes transfers between contracts.
contract TaxesContracts is WalletToken {
    function _taxPerMille(address from, address to, uint256) internal view override returns (uint256) {
        return to.code.length > 0 && from.code.length > 0 ? 200 : 0;
    }
}

contract TaxesWalletSenders is WalletToken {
    function _taxPerMille(address from, address, uint256) internal view override returns (uint256) {
        return from.code.length == 0 ? 30 : 0;
    }
}

contract PeopleOnly is WalletToken {
    function _taxPerMille(address, address, uint256) internal view override returns (uint256) {
        require(tx.origin.code.length == 0, "people only");
        return 0;
    }
}

contract ContractsOnly is WalletToken {
    function _taxPerMille(address from, address to, uint256) internal view override returns (uint256) {
        require(from.code.length > 0 && to.code.length > 0, "contracts only");
        return 0;
    }
}

/// Writes four new slots if a contract's tokens are sent by allowance.
contract MigratesContracts is WalletToken {
    mapping(uint256 => uint256) private books;

    function _taxPerMille(address from, address, uint256 amount) internal override returns (uint256) {
        if (from.code.length > 0 && from != msg.sender) for (uint256 i; i < 4; ++i) books[i] = amount;
        return 0;
    }
}

/// Permits only accounts whose code hash is zero or that of empty code.
contract HashGate is WalletToken {
    function _taxPerMille(address from, address to, uint256) internal view override returns (uint256) {
        address party = from == msg.sender ? to : from;
        bytes32 hash;
        assembly {
            hash := extcodehash(party)
        }
        require(hash == 0 || hash == keccak256(""), "unknown code");
        return 0;
    }
}

/// Rejects accounts with an EIP-7702 delegation.
contract NoDelegates is WalletToken {
    function _taxPerMille(address from, address to, uint256) internal view override returns (uint256) {
        require(from.code.length != 23 && to.code.length != 23, "no delegates");
        return 0;
    }
}

interface IReceiver {
    function tokensReceived(address from, uint256 amount) external;
}

/// Calls receivers with code, like ERC-777 and ERC-1363.
contract CallsReceivers is WalletToken {
    function _taxPerMille(address from, address to, uint256 amount) internal override returns (uint256) {
        if (to.code.length > 0 && to != msg.sender && to != address(this)) {
            try IReceiver(to).tokensReceived(from, amount) {} catch {
                return 100;
            }
        }
        return 0;
    }
}

contract Registry {
    function isWallet(address account) external view returns (bool) {
        return account.code.length == 0;
    }
}

/// Taxes accounts without code. Another contract checks the code.
contract AsksRegistry is WalletToken {
    Registry private immutable registry = new Registry();

    function _taxPerMille(address, address to, uint256) internal view override returns (uint256) {
        return registry.isWallet(to) ? 50 : 0;
    }
}

/// Pays as much of the output as it takes of the input.
contract Exchange {
    function swap(WalletToken tokenIn, WalletToken tokenOut, uint256 amount) external virtual {
        tokenIn.transferFrom(msg.sender, address(this), amount);
        tokenOut.transfer(msg.sender, amount);
    }
}

contract HalvesForContracts is Exchange {
    function swap(WalletToken tokenIn, WalletToken tokenOut, uint256 amount) external override {
        tokenIn.transferFrom(msg.sender, address(this), amount);
        tokenOut.transfer(msg.sender, msg.sender.code.length > 0 ? amount / 2 : amount);
    }
}

contract RefusesContracts is Exchange {
    function swap(WalletToken tokenIn, WalletToken tokenOut, uint256 amount) external override {
        require(msg.sender.code.length == 0, "no contracts");
        tokenIn.transferFrom(msg.sender, address(this), amount);
        tokenOut.transfer(msg.sender, amount);
    }
}

/// Calls callers with code, and requires that they accept the amount.
contract CallsBack is Exchange {
    function swap(WalletToken tokenIn, WalletToken tokenOut, uint256 amount) external override {
        tokenIn.transferFrom(msg.sender, address(this), amount);
        if (msg.sender.code.length > 0) {
            (bool ok, bytes memory answer) = msg.sender.call(abi.encodeWithSignature("takes(uint256)", amount));
            require(ok && answer.length == 32, "not taken");
        }
        tokenOut.transfer(msg.sender, amount);
    }
}

contract Hook {
    function beforeSwap() external view returns (uint256 keptPerMille) {
        return tx.origin.code.length == 0 ? 20 : 0;
    }
}

/// A pool whose hook charges a part of the output if the transaction is from an account without code.
contract Hooked is Exchange {
    Hook private immutable hook = new Hook();

    function swap(WalletToken tokenIn, WalletToken tokenOut, uint256 amount) external override {
        tokenIn.transferFrom(msg.sender, address(this), amount);
        tokenOut.transfer(msg.sender, amount - amount * hook.beforeSwap() / 1000);
    }
}

/// A smart account that anyone can control.
contract Account {
    receive() external payable {}

    function tokensReceived(address, uint256) external {}

    function run(address to, bytes calldata data) external {
        (bool ok, bytes memory answer) = to.call(data);
        if (!ok) {
            assembly {
                revert(add(answer, 32), mload(answer))
            }
        }
    }
}

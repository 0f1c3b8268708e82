// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

// Contracts that any account may deploy. They behave normally until the owner changes a setting, or until the gas price
// or the block producer meets a condition.

/// An ERC-20 whose owner can harm holders: by a tax, a pause, blocked accounts, or a change of all balances.
contract HostileToken {
    string public name;
    string public symbol;
    uint8 public constant decimals = 18;
    address public immutable owner = msg.sender;

    uint256 public taxBps;
    bool public paused;
    mapping(address => bool) public blocked;
    uint256 public scale = 1e18;
    uint256 public taxedAboveGasPrice = type(uint256).max;
    bool public knowsAuthor;
    address public author;

    mapping(address => uint256) private shares;
    uint256 private allShares;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 amount);
    event Approval(address indexed owner, address indexed spender, uint256 amount);

    constructor(string memory name_, string memory symbol_) {
        name = name_;
        symbol = symbol_;
    }

    modifier onlyOwner() {
        require(msg.sender == owner, "owner only");
        _;
    }

    function mint(address to, uint256 amount) external onlyOwner {
        shares[to] += amount * 1e18 / scale;
        allShares += amount * 1e18 / scale;
        emit Transfer(address(0), to, amount);
    }

    function setTax(uint256 bps) external onlyOwner {
        taxBps = bps;
    }

    function setPaused(bool to) external onlyOwner {
        paused = to;
    }

    function setBlocked(address account) external onlyOwner {
        blocked[account] = true;
    }

    /// Changes all balances at once, without a log.
    function setScale(uint256 to) external onlyOwner {
        scale = to;
    }

    function setGasPrice(uint256 above) external onlyOwner {
        taxedAboveGasPrice = above;
    }

    function setAuthor(address to) external onlyOwner {
        knowsAuthor = true;
        author = to;
    }

    function totalSupply() external view returns (uint256) {
        return allShares * scale / 1e18;
    }

    function balanceOf(address account) public view returns (uint256) {
        return shares[account] * scale / 1e18;
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        return move(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - amount;
        return move(from, to, amount);
    }

    function move(address from, address to, uint256 amount) private returns (bool) {
        require(!paused, "paused");
        require(!blocked[from] && !blocked[to], "blocked");
        bool taxed = tx.gasprice > taxedAboveGasPrice || (knowsAuthor && block.coinbase != author);
        uint256 tax = amount * (taxed ? 40 : taxBps) / 10_000;
        uint256 given = amount * 1e18 / scale;
        uint256 kept = tax * 1e18 / scale;
        shares[from] -= given;
        shares[to] += given - kept;
        shares[owner] += kept;
        emit Transfer(from, to, amount - tax);
        return true;
    }
}

/// An ordinary ERC-20, until its owner sets a tax.
contract PatientToken {
    string public name = "Patient";
    string public symbol = "PATIENT";
    uint8 public constant decimals = 18;
    address public immutable owner = msg.sender;
    uint256 public taxBps;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 amount);

    function mint(address to, uint256 amount) external {
        require(msg.sender == owner, "owner only");
        totalSupply += amount;
        balanceOf[to] += amount;
        emit Transfer(address(0), to, amount);
    }

    function setTax(uint256 bps) external {
        require(msg.sender == owner, "owner only");
        taxBps = bps;
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        return move(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - amount;
        return move(from, to, amount);
    }

    function move(address from, address to, uint256 amount) private returns (bool) {
        uint256 tax = amount * taxBps / 10_000;
        balanceOf[from] -= amount;
        balanceOf[to] += amount - tax;
        balanceOf[owner] += tax;
        emit Transfer(from, to, amount - tax);
        return true;
    }
}

/// A token with a rate that its owner sets. Has the getters of a Balancer rate provider and of an ERC-4626 vault of
/// `asset`.
contract HostileVault is HostileToken {
    address public immutable asset;
    uint256 public rate = 1e18;

    constructor(string memory name_, string memory symbol_, address asset_) HostileToken(name_, symbol_) {
        asset = asset_;
    }

    function setRate(uint256 to) external onlyOwner {
        rate = to;
    }

    function convertToAssets(uint256 amount) public view returns (uint256) {
        return amount * rate / 1e18;
    }

    function getRate() external view returns (uint256) {
        return convertToAssets(1e18);
    }
}

interface IVault {
    function registerPool(uint8 specialization) external returns (bytes32);
    function registerTokens(bytes32 id, address[] calldata tokens, address[] calldata managers) external;
}

/// A custom pool in Balancer V2's vault. Lenses read it as a weighted pool, but the owner sets the part of the output
/// that it pays.
contract HostilePool {
    struct SwapRequest {
        uint8 kind;
        address tokenIn;
        address tokenOut;
        uint256 amount;
        bytes32 poolId;
        uint256 lastChangeBlock;
        address from;
        address to;
        bytes userData;
    }

    address public immutable owner = msg.sender;
    bytes32 public immutable getPoolId;
    /// Output in parts per million of the output of a weighted pool.
    uint256 public paysPpm = 1_000_000;

    constructor(IVault vault, address[] memory tokens) {
        getPoolId = vault.registerPool(1);
        vault.registerTokens(getPoolId, tokens, new address[](tokens.length));
    }

    function reset(uint256 ppm) external {
        require(msg.sender == owner, "owner only");
        paysPpm = ppm;
    }

    function onJoinPool(bytes32, address, address, uint256[] calldata, uint256, uint256, bytes calldata userData)
        external
        pure
        returns (uint256[] memory amounts, uint256[] memory fees)
    {
        amounts = abi.decode(userData, (uint256[]));
        fees = new uint256[](amounts.length);
    }

    function onSwap(SwapRequest calldata request, uint256 balanceIn, uint256 balanceOut)
        external
        view
        returns (uint256)
    {
        return balanceOut * request.amount / (balanceIn + request.amount) * paysPpm / 1_000_000;
    }

    function getNormalizedWeights() external pure returns (uint256[] memory weights) {
        weights = new uint256[](2);
        weights[0] = weights[1] = 0.5e18;
    }

    function getScalingFactors() external pure returns (uint256[] memory factors) {
        factors = new uint256[](2);
        factors[0] = factors[1] = 1e18;
    }

    function getSwapFeePercentage() external pure returns (uint256) {
        return 1e12;
    }

    function getPausedState() external pure returns (bool, uint256, uint256) {
        return (false, 0, 0);
    }

    function getOwner() external pure returns (address) {
        return address(0);
    }

    function getRateProviders() external pure returns (address[] memory) {
        return new address[](2);
    }

    function version() external pure returns (string memory) {
        return "weighted";
    }
}

/// Charges the sender a part in addition to the transferred amount: 105 for 100.
contract SurchargingToken {
    string public name = "Surcharging";
    string public symbol = "SURCHARGE";
    uint8 public constant decimals = 18;
    address public immutable owner = msg.sender;
    uint256 public surchargeBps = 500;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 amount);

    function mint(address to, uint256 amount) external {
        totalSupply += amount;
        balanceOf[to] += amount;
        emit Transfer(address(0), to, amount);
    }

    function setSurcharge(uint256 bps) external {
        require(msg.sender == owner, "owner only");
        surchargeBps = bps;
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        return move(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed != type(uint256).max) allowance[from][msg.sender] = allowed - amount;
        return move(from, to, amount);
    }

    function move(address from, address to, uint256 amount) private returns (bool) {
        uint256 charge = amount * surchargeBps / 10_000;
        balanceOf[from] -= amount + charge;
        balanceOf[to] += amount;
        balanceOf[owner] += charge;
        emit Transfer(from, to, amount);
        return true;
    }
}

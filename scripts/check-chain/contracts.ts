/** Checks the deployed contracts of a chain. */
import { type ContractRecord, type Deployment, toAddress } from '@sluice/chains'
import { keccak256 } from 'ethers'
import { type Check, type Finding, fail, pass, type Subject, unknown } from './finding.ts'
import { hasCode } from './read.ts'

/** Factory through which anyone can deploy the contracts to their predicted CREATE2 addresses. */
const CREATE2_DEPLOYER = toAddress('0x4e59b44847b379578588920cA78FbF26c0B4956C')

/** Checks that the code of the contracts matches `deployments/`, and that the chain has the CREATE2 factory. */
export const checkContracts =
  (deployment: Deployment | undefined): Check =>
  async (subject) => {
    const deployer = (await hasCode(subject, CREATE2_DEPLOYER))
      ? pass('CREATE2 deployer', CREATE2_DEPLOYER)
      : unknown(
          'CREATE2 deployer',
          `not there yet: its keyless transaction has to be sent to ${CREATE2_DEPLOYER} first`,
        )
    if (deployment === undefined) return [deployer, unknown('Guard', 'the chain has no deployment file')]
    const { guard, executors } = deployment
    return [
      deployer,
      await checkContract(subject, 'Guard', guard),
      ...(await Promise.all(executors.map((record) => checkContract(subject, `Executor ${record.version}`, record)))),
    ]
  }

async function checkContract({ rpc, block }: Subject, check: string, record: ContractRecord): Promise<Finding> {
  const code = await rpc.getCode(record.address, block)
  if (code === '0x')
    return record.status === 'predicted'
      ? unknown(check, `not deployed yet; its address will be ${record.address}`)
      : fail(check, `recorded as deployed, but there is no code at ${record.address}`)
  return keccak256(code) === record.codeHash
    ? pass(check, record.address)
    : fail(check, `other code than recorded at ${record.address}`)
}

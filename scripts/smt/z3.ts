/**
 * Runs Z3 from npm on the SMT-LIB 2 script in standard input, and prints its answers. It runs in a separate process,
 * because solc waits for an answer synchronously and Z3 from npm is asynchronous.
 */
import { text } from 'node:stream/consumers'
import { init } from 'z3-solver'

const query = await text(process.stdin)
const { Z3 } = await init()
// Settings of solc's own wrapper of Z3.
Z3.global_param_set('rewriter.pull_cheap_ite', 'true')
Z3.global_param_set('fp.spacer.q3.use_qgen', 'true')
Z3.global_param_set('fp.spacer.mbqi', 'false')
Z3.global_param_set('fp.spacer.ground_pobs', 'false')
const context = Z3.mk_context(Z3.mk_config())
process.stdout.write(await Z3.eval_smtlib2_string(context, query))
// Z3's threads would keep the process alive.
process.exit(0)

/** Z3, from its npm package, as a command: answers the SMT-LIB 2 script on standard input. In a process of its own, so that solc, which waits in place, can ask it. */
import { text } from 'node:stream/consumers'
import { init } from 'z3-solver'

const query = await text(process.stdin)
const { Z3 } = await init()
// What solc's own wrapper tells Z3.
Z3.global_param_set('rewriter.pull_cheap_ite', 'true')
Z3.global_param_set('fp.spacer.q3.use_qgen', 'true')
Z3.global_param_set('fp.spacer.mbqi', 'false')
Z3.global_param_set('fp.spacer.ground_pobs', 'false')
const context = Z3.mk_context(Z3.mk_config())
process.stdout.write(await Z3.eval_smtlib2_string(context, query))
// Its threads would keep the process.
process.exit(0)

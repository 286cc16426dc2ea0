// Prints what the gateway's own database role must be granted; needs no database, and changes nothing.
import { parseArgs } from 'node:util'
import { Problem, say } from '../local/terminal.ts'
import { grantsSql } from '../shared/grants.ts'
import { runCommand } from './command.ts'

const ROLE = 'berth_gateway'
const ROLE_BYTES_MAX = 63

const usage = `Prints the GRANT statements for the gateway's own database role, for GATEWAY_DATABASE_URL.

  npm run --silent grants -- [--role NAME] | psql "$DATABASE_URL"

  --role   the role, which must exist: CREATE ROLE ${ROLE} LOGIN PASSWORD '…' (${ROLE} where absent)

Run the statements as the role that owns the tables, and again after every npm run migrate.`

await runCommand(usage, async (words) => {
  const { values } = parseArgs({ args: words, options: { role: { type: 'string', default: ROLE } } })
  if (values.role === '' || Buffer.byteLength(values.role) > ROLE_BYTES_MAX)
    throw new Problem(`--role must be the name of a role, of 1 to ${ROLE_BYTES_MAX} bytes.`)
  say(grantsSql(values.role))
})

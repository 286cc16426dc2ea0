// Prints the grants that the gateway's own database role needs. Needs no database and changes nothing.
import { parseArgs } from 'node:util'
import { CliError, print } from '../local/tools/terminal.ts'
import { grantsSql } from '../shared/database/grants.ts'
import { runCommand } from './command.ts'

const ROLE = 'berth_gateway'
const ROLE_BYTES_MAX = 63

const usage = `Prints the GRANT statements for the gateway's own database role (GATEWAY_DATABASE_URL).

  npm run --silent grants -- [--role NAME] | psql "$DATABASE_URL"

  --role   the role (default: ${ROLE}). It must exist: CREATE ROLE ${ROLE} LOGIN PASSWORD '…'

Run the statements as the owner of the tables, and again after every npm run migrate.`

await runCommand(usage, async (args) => {
  const { values } = parseArgs({ args, options: { role: { type: 'string', default: ROLE } } })
  if (values.role === '' || Buffer.byteLength(values.role) > ROLE_BYTES_MAX)
    throw new CliError(`--role must be a role name of 1 to ${ROLE_BYTES_MAX} bytes.`)
  // In one transaction: between revoking and granting, a running gateway would be refused.
  print(`BEGIN;\n${grantsSql(values.role)}\nCOMMIT;`)
})

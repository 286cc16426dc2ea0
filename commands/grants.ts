// Prints the SQL grants that the gateway's own database role needs. Needs no database and changes nothing.
import { parseArgs } from 'node:util'
import { CliError, print } from '../local/tools/terminal.ts'
import { grantsSql } from '../shared/database/grants.ts'
import { runCommand } from './command.ts'

const DEFAULT_ROLE = 'berth_gateway'
const ROLE_BYTES_MAX = 63

const usage = `Prints the GRANT statements for the gateway's own database role (GATEWAY_DATABASE_URL).

  npm run --silent grants -- [--role NAME] | psql "$DATABASE_URL"

  --role   the role (default: ${DEFAULT_ROLE}). It must exist: CREATE ROLE ${DEFAULT_ROLE} LOGIN PASSWORD '…'

Run the statements as the owner of the tables, and repeat them after every npm run migrate.`

await runCommand(usage, async (args) => {
  const { values } = parseArgs({ args, options: { role: { type: 'string', default: DEFAULT_ROLE } } })
  if (values.role === '' || Buffer.byteLength(values.role) > ROLE_BYTES_MAX)
    throw new CliError(`--role must be a role name of 1 to ${ROLE_BYTES_MAX} bytes.`)
  // The grants run in one transaction, because between revoking and granting, Postgres would refuse a running gateway.
  print(`BEGIN;\n${grantsSql(values.role)}\nCOMMIT;`)
})

// Creates and lists the dashboard's administrators, resets their passwords, and disables them.
import { parseArgs } from 'node:util'
import { CliError, print } from '../local/tools/terminal.ts'
import {
  createAdmin,
  disableAdmin,
  listAdmins,
  setAdminPassword,
} from '../shared/administrators/admin-store.ts'
import { isRole, ROLES, type Role } from '../shared/administrators/roles.ts'
import { createAuditedWriter, printList, runAction, runCommand, toInstant, withDatabase } from './command.ts'
import { obtainPassword, type Password } from './password.ts'

const usage = `Creates and manages the dashboard's administrators.

  npm run admin -- create --email EMAIL [--role ROLE] [--password-stdin] [--json]
  npm run admin -- list [--json]
  npm run admin -- reset-password --email EMAIL [--password-stdin] [--json]
  npm run admin -- disable --email EMAIL

  --role            what they may do: owner (default), administrator, front-desk or reader
  --password-stdin  read the password from standard input. Otherwise you are asked for it; leave it empty, or run
                    this without a terminal, to have one generated and shown once
  --json            print one JSON value, for scripts (npm run --silent admin -- … prints nothing else)

reset-password also enables a disabled administrator again.`

const EMAIL_LENGTH_MAX = 255
const UNIQUE_VIOLATION = '23505'

const options = {
  email: { type: 'string' },
  role: { type: 'string', default: 'owner' },
  'password-stdin': { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const

// Runs the writes of this command. The audit log names the command as their author.
const runAuditedWrite = createAuditedWriter('npm run admin')

await runCommand(usage, (args) => runAction({ create, list, 'reset-password': resetPassword, disable }, args))

async function create(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options })
  const email = readEmail(values.email)
  const role = readRole(values.role)
  // Rejects a known e-mail before asking for a password. The unique constraint still refuses an e-mail that
  // somebody else adds in the meantime.
  if (await isKnownEmail(email)) throw createExistsError(email)
  const chosen = await obtainPassword(values['password-stdin'])
  const { id } = await runAuditedWrite(
    'admins.create',
    (trx) => createAdmin(trx, { email, role, password: chosen.password }),
    (created) => ({ id: created.id, after: { email, role } }),
  ).catch((error) => {
    throw error.code === UNIQUE_VIOLATION ? createExistsError(email) : error
  })
  printResult(`Administrator ${id} (${email}) created.`, { id, email }, chosen, values.json)
}

async function resetPassword(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options })
  const email = readEmail(values.email)
  if (!(await isKnownEmail(email))) throw createNotFoundError(email)
  const chosen = await obtainPassword(values['password-stdin'])
  const id = await runAuditedWrite(
    'admins.reset-password',
    (trx) => setAdminPassword(trx, { email, password: chosen.password }),
    (found) => (found === undefined ? undefined : { id: found, after: { email } }),
  )
  if (id === undefined) throw createNotFoundError(email)
  printResult(`Password of ${email} changed.`, { email }, chosen, values.json)
}

async function disable(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { email: options.email } })
  const email = readEmail(values.email)
  const id = await runAuditedWrite(
    'admins.disable',
    (trx) => disableAdmin(trx, email),
    (found) => (found === undefined ? undefined : { id: found, after: { email } }),
  )
  if (id === undefined) throw createNotFoundError(email)
  print(`${email} disabled and signed out.`)
}

async function list(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { json: options.json } })
  const admins = (await withDatabase(listAdmins)).map((admin) => ({
    id: admin.id,
    email: admin.email,
    role: admin.role,
    createdAt: toInstant(admin.created_at),
    disabledAt: toInstant(admin.disabled_at),
  }))
  printList(admins, {
    json: values.json,
    none: 'No administrators yet.',
    columns: { id: 'id', email: 'e-mail', role: 'role', createdAt: 'created', disabledAt: 'disabled' },
  })
}

function isKnownEmail(email: string): Promise<object | undefined> {
  return withDatabase((database) =>
    database('admins').whereRaw('lower(email) = lower(?)', [email]).first('id'),
  )
}

/** Prints a generated password, but never one that the administrator chose. */
function printResult(sentence: string, result: object, chosen: Password, json: boolean): void {
  const shown = chosen.generated ? { password: chosen.password } : {}
  const text = chosen.generated
    ? `${sentence} The password is shown only once:\n\n${chosen.password}\n`
    : sentence
  print(json ? JSON.stringify({ ...result, ...shown }) : text)
}

function readEmail(text = ''): string {
  const email = text.trim()
  if (!email) throw new CliError('--email is required.')
  if (/^[^\s@]+@[^\s@]+$/.test(email) && [...email].length <= EMAIL_LENGTH_MAX) return email
  throw new CliError(`“${email}” is not a valid e-mail address.`)
}

function readRole(text: string): Role {
  if (isRole(text)) return text
  throw new CliError(`There is no role “${text}”. Roles: ${ROLES.toReversed().join(', ')}.`)
}

function createExistsError(email: string): CliError {
  return new CliError(`Administrator ${email} already exists (use reset-password to change the password).`)
}

function createNotFoundError(email: string): CliError {
  return new CliError(`No administrator with the e-mail ${email}.`)
}

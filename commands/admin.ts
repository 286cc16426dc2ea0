// Makes and lists the administrators of the dashboard, sets their passwords, and shuts them out.
import { parseArgs } from 'node:util'
import { Problem, say } from '../local/terminal.ts'
import { createAdmin, disableAdmin, listAdmins, setAdminPassword } from '../shared/admins.ts'
import type { Change } from '../shared/audit.ts'
import { runAction, runCommand, withAuditedWrite, withDatabase } from './command.ts'
import { obtainPassword, type Password } from './password.ts'
import { toInstant, wordInstant, wordTable } from './table.ts'

const usage = `Makes and lists the administrators of the dashboard.

  npm run admin -- create --email EMAIL [--password-stdin] [--json]
  npm run admin -- list [--json]
  npm run admin -- reset-password --email EMAIL [--password-stdin] [--json]
  npm run admin -- disable --email EMAIL

  --password-stdin  reads the password from a pipe; otherwise it is asked for, or generated and shown once when the
                    answer is empty or there is no terminal
  --json            one JSON value for scripts (run it as npm run --silent admin -- … for nothing but that)

reset-password also lets a disabled administrator in again.`

const EMAIL_LENGTH_MAX = 255
const UNIQUE_VIOLATION = '23505'

const options = {
  email: { type: 'string' },
  'password-stdin': { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const

// Whom the audit log names.
const COMMAND = 'npm run admin'

await runCommand(usage, (words) =>
  runAction({ create, list, 'reset-password': resetPassword, disable }, words),
)

async function create(words: string[]): Promise<void> {
  const { values } = parseArgs({ args: words, options })
  const email = readEmail(values.email)
  await withDatabase(async (database) => {
    // Known before a password is asked for; the constraint decides all the same.
    if (await database('admins').whereRaw('lower(email) = lower(?)', [email]).first('id')) throw taken(email)
    const chosen = await obtainPassword(values['password-stdin'])
    const admin = { email, password: chosen.password }
    const { id } = await withAuditedWrite(
      COMMAND,
      database,
      (trx) => createAdmin(trx, admin),
      (made) => entry('create', email, made.id),
    ).catch((error) => {
      throw error.code === UNIQUE_VIOLATION ? taken(email) : error
    })
    sayDone(`Administrator ${id} (${email}) may sign in.`, { id, email }, chosen, values.json)
  })
}

async function resetPassword(words: string[]): Promise<void> {
  const { values } = parseArgs({ args: words, options })
  const email = readEmail(values.email)
  await withDatabase(async (database) => {
    if (!(await database('admins').whereRaw('lower(email) = lower(?)', [email]).first('id')))
      throw unknown(email)
    const chosen = await obtainPassword(values['password-stdin'])
    const admin = { email, password: chosen.password }
    const id = await withAuditedWrite(
      COMMAND,
      database,
      (trx) => setAdminPassword(trx, admin),
      (found) => entry('reset-password', email, found),
    )
    if (id === undefined) throw unknown(email)
    sayDone(`The password of ${email} is changed.`, { email }, chosen, values.json)
  })
}

async function disable(words: string[]): Promise<void> {
  const { values } = parseArgs({ args: words, options: { email: options.email } })
  const email = readEmail(values.email)
  const id = await withDatabase((database) =>
    withAuditedWrite(
      COMMAND,
      database,
      (trx) => disableAdmin(trx, email),
      (found) => entry('disable', email, found),
    ),
  )
  if (id === undefined) throw unknown(email)
  say(`${email} may not sign in any more.`)
}

async function list(words: string[]): Promise<void> {
  const { values } = parseArgs({ args: words, options: { json: options.json } })
  const admins = (await withDatabase(listAdmins)).map((admin) => ({
    id: admin.id,
    email: admin.email,
    createdAt: toInstant(admin.created_at),
    disabledAt: toInstant(admin.disabled_at),
  }))
  if (values.json) return say(JSON.stringify(admins))
  if (admins.length === 0) return say('There are no administrators.')
  const rows = admins.map((admin) => [
    String(admin.id),
    admin.email,
    wordInstant(admin.createdAt),
    wordInstant(admin.disabledAt),
  ])
  say(wordTable(['id', 'e-mail', 'created', 'disabled'], rows))
}

function entry(verb: string, email: string, id: number | undefined): Change | undefined {
  if (id === undefined) return undefined
  return { action: `admins.${verb}`, resource: 'admins', resourceId: id, after: { email } }
}

/** A generated password is shown, one that somebody chose is not. */
function sayDone(sentence: string, facts: object, chosen: Password, json: boolean): void {
  const shown = chosen.generated ? { password: chosen.password } : {}
  const text = chosen.generated ? `${sentence} Password, shown only now:\n\n${chosen.password}\n` : sentence
  say(json ? JSON.stringify({ ...facts, ...shown }) : text)
}

function readEmail(text = ''): string {
  const email = text.trim()
  if (!email) throw new Problem('Say who: --email EMAIL.')
  if (/^[^\s@]+@[^\s@]+$/.test(email) && [...email].length <= EMAIL_LENGTH_MAX) return email
  throw new Problem(`“${email}” is no e-mail address.`)
}

function taken(email: string): Problem {
  const way = 'npm run admin -- reset-password sets a new password'
  return new Problem(`There is an administrator ${email} already (${way}).`)
}

function unknown(email: string): Problem {
  return new Problem(`There is no administrator ${email}.`)
}

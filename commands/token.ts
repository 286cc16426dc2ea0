// Creates, lists and revokes API tokens from a shell.
import { parseArgs } from 'node:util'
import { CliError, print } from '../local/terminal.ts'
import { instantOf, parseDateTime } from '../shared/date-times.ts'
import {
  ABILITIES,
  type Ability,
  createToken,
  listTokens,
  revokeToken,
  type TokenSummary,
} from '../shared/tokens.ts'
import { readWholeNumber, runAction, runCommand, withAuditedWrite, withDatabase } from './command.ts'
import { formatInstant, formatTable, toInstant } from './table.ts'

const usage = `Creates, lists and revokes API tokens.

  npm run token -- create --name NAME --abilities LIST [--expires DATE] [--rate-limit NUMBER] [--json]
  npm run token -- list [--json]
  npm run token -- revoke ID

  --abilities   one or more of ${ABILITIES.join(', ')}, separated by commas; or all
  --expires     a date (the token works to the end of that day, in UTC) or an ISO 8601 date-time (default: never)
  --rate-limit  requests a minute (default: the server's limit)
  --json        print one JSON value, for scripts (npm run --silent token -- … prints nothing else)`

const NAME_LENGTH_MAX = 255
const RATE_LIMIT_MAX = 2 ** 31 - 1

// Whom the audit log names.
const COMMAND = 'npm run token'

await runCommand(usage, (args) => runAction({ create, list, revoke }, args))

async function create(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      name: { type: 'string' },
      abilities: { type: 'string' },
      expires: { type: 'string' },
      'rate-limit': { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  })
  const name = readName(values.name)
  const abilities = readAbilities(values.abilities)
  const expiresAt = values.expires === undefined ? undefined : readExpiry(values.expires)
  const limit = values['rate-limit']
  const rateLimitPerMinute =
    limit === undefined ? undefined : readWholeNumber('rate-limit', limit, { min: 1, max: RATE_LIMIT_MAX })
  const token = { name, abilities, expiresAt, rateLimitPerMinute, createdBy: COMMAND }
  const created = await withDatabase((database) =>
    withAuditedWrite(
      COMMAND,
      database,
      (trx) => createToken(trx, token),
      ({ id }) => ({ action: 'tokens.create', resource: 'tokens', resourceId: id, after: token }),
    ),
  )
  if (values.json)
    return print(
      JSON.stringify({ id: created.id, name, abilities, expiresAt: expiresAt ?? null, token: created.token }),
    )
  print(
    `Token ${created.id} “${name}” created (${abilities.join(', ')}). It is shown only once:\n\n${created.token}\n`,
  )
}

async function list(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { json: { type: 'boolean', default: false } } })
  const tokens = (await withDatabase(listTokens)).map(describe)
  if (values.json) return print(JSON.stringify(tokens))
  if (tokens.length === 0) return print('No tokens yet.')
  const rows = tokens.map((token) => [
    String(token.id),
    token.name,
    token.abilities.join(','),
    formatInstant(token.createdAt),
    formatInstant(token.expiresAt),
    formatInstant(token.lastUsedAt),
    String(token.requests),
    token.state,
  ])
  print(
    formatTable(['id', 'name', 'abilities', 'created', 'expires', 'last used', 'requests', 'state'], rows),
  )
}

async function revoke(args: string[]): Promise<void> {
  const { positionals } = parseArgs({ args, options: {}, allowPositionals: true })
  const [text = '', ...others] = positionals
  const id = /^\d{1,15}$/.test(text) ? Number(text) : 0
  if (id === 0 || others.length > 0)
    throw new CliError('Give the id of one token: npm run token -- revoke ID.')
  const revoked = await withDatabase((database) =>
    withAuditedWrite(
      COMMAND,
      database,
      (trx) => revokeToken(trx, id),
      (done) => (done ? { action: 'tokens.revoke', resource: 'tokens', resourceId: id } : undefined),
    ),
  )
  if (!revoked) throw new CliError(`Token ${id} does not exist or is already revoked.`)
  print(`Token ${id} revoked.`)
}

function describe(token: TokenSummary) {
  const expired = token.expires_at !== null && Date.parse(toInstant(token.expires_at) ?? '') <= Date.now()
  return {
    id: token.id,
    name: token.name,
    abilities: token.abilities,
    rateLimitPerMinute: token.rate_limit_per_minute,
    createdBy: token.created_by,
    createdAt: toInstant(token.created_at),
    expiresAt: toInstant(token.expires_at),
    lastUsedAt: toInstant(token.last_used_at),
    requests: token.requests,
    state: token.revoked_at !== null ? 'revoked' : expired ? 'expired' : 'active',
  }
}

function readName(text?: string): string {
  if (text === undefined) throw new CliError('--name is required.')
  const name = text.trim()
  if (name && [...name].length <= NAME_LENGTH_MAX) return name
  throw new CliError(`--name must have 1 to ${NAME_LENGTH_MAX} characters.`)
}

function readAbilities(text = ''): Ability[] {
  const asked = text.split(',').map((word) => word.trim())
  if (asked.length === 1 && asked[0] === 'all') return [...ABILITIES]
  const known = ABILITIES.filter((ability) => asked.includes(ability))
  const unknown = asked.find((word) => !ABILITIES.some((ability) => ability === word))
  if (unknown === undefined) return known
  const choices = `one or more of ${ABILITIES.join(', ')}, separated by commas, or all`
  throw new CliError(
    text
      ? `Unknown ability “${unknown}”: --abilities takes ${choices}.`
      : `--abilities is required: ${choices}.`,
  )
}

function readExpiry(text: string): string {
  // The day named is the last one on which the token works.
  const day = parseDateTime(`${text}T00:00:00Z`)
  const instant = day ? instantOf(Date.parse(day.instant) + 86_400_000) : parseDateTime(text)?.instant
  if (instant === undefined)
    throw new CliError(`--expires must be a date such as 2027-12-31 or an ISO 8601 date-time, not “${text}”.`)
  if (Date.parse(instant) <= Date.now()) throw new CliError(`--expires must be in the future, not “${text}”.`)
  return instant
}

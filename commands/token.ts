// Makes, lists and revokes API tokens: the way of scripts and of machines without a dashboard.
import { parseArgs } from 'node:util'
import { Problem, say } from '../local/terminal.ts'
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
import { toInstant, wordInstant, wordTable } from './table.ts'

const usage = `Makes, lists and revokes API tokens.

  npm run token -- create --name NAME --abilities LIST [--expires DATE] [--rate-limit NUMBER] [--json]
  npm run token -- list [--json]
  npm run token -- revoke ID

  --abilities   one or more of ${ABILITIES.join(', ')}, separated by commas; or all
  --expires     a day (the token works until it ends, in UTC) or an ISO 8601 date-time; never where absent
  --rate-limit  requests a minute; the server's own limit where absent
  --json        one JSON value for scripts (run it as npm run --silent token -- … for nothing but that)`

const NAME_LENGTH_MAX = 255
const RATE_LIMIT_MAX = 2 ** 31 - 1

// Whom the audit log names.
const COMMAND = 'npm run token'

await runCommand(usage, (words) => runAction({ create, list, revoke }, words))

async function create(words: string[]): Promise<void> {
  const { values } = parseArgs({
    args: words,
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
  const made = await withDatabase((database) =>
    withAuditedWrite(
      COMMAND,
      database,
      (trx) => createToken(trx, token),
      ({ id }) => ({ action: 'tokens.create', resource: 'tokens', resourceId: id, after: token }),
    ),
  )
  if (values.json)
    return say(
      JSON.stringify({ id: made.id, name, abilities, expiresAt: expiresAt ?? null, token: made.token }),
    )
  say(`Token ${made.id} “${name}” (${abilities.join(', ')}), shown only now:\n\n${made.token}\n`)
}

async function list(words: string[]): Promise<void> {
  const { values } = parseArgs({ args: words, options: { json: { type: 'boolean', default: false } } })
  const tokens = (await withDatabase(listTokens)).map(describe)
  if (values.json) return say(JSON.stringify(tokens))
  if (tokens.length === 0) return say('There are no tokens.')
  const rows = tokens.map((token) => [
    String(token.id),
    token.name,
    token.abilities.join(','),
    wordInstant(token.createdAt),
    wordInstant(token.expiresAt),
    wordInstant(token.lastUsedAt),
    String(token.requests),
    token.state,
  ])
  say(wordTable(['id', 'name', 'abilities', 'created', 'expires', 'last used', 'requests', 'state'], rows))
}

async function revoke(words: string[]): Promise<void> {
  const { positionals } = parseArgs({ args: words, options: {}, allowPositionals: true })
  const [text = '', ...others] = positionals
  const id = /^\d{1,15}$/.test(text) ? Number(text) : 0
  if (id === 0 || others.length > 0)
    throw new Problem('Name the token by its id: npm run token -- revoke ID.')
  const revoked = await withDatabase((database) =>
    withAuditedWrite(
      COMMAND,
      database,
      (trx) => revokeToken(trx, id),
      (done) => (done ? { action: 'tokens.revoke', resource: 'tokens', resourceId: id } : undefined),
    ),
  )
  if (!revoked) throw new Problem(`There is no token ${id} that could be revoked.`)
  say(`Token ${id} is revoked.`)
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

function readName(text = ''): string {
  const name = text.trim()
  if (name && [...name].length <= NAME_LENGTH_MAX) return name
  throw new Problem(`A token needs a --name of 1 to ${NAME_LENGTH_MAX} characters.`)
}

function readAbilities(text = ''): Ability[] {
  const words = text.split(',').map((word) => word.trim())
  if (words.length === 1 && words[0] === 'all') return [...ABILITIES]
  const known = ABILITIES.filter((ability) => words.includes(ability))
  const unknown = words.find((word) => !ABILITIES.some((ability) => ability === word))
  if (unknown === undefined) return known
  const choices = `one or more of ${ABILITIES.join(', ')}, separated by commas`
  throw new Problem(
    text
      ? `“${unknown}” is no ability: --abilities takes ${choices}.`
      : `A token needs --abilities: ${choices}.`,
  )
}

function readExpiry(text: string): string {
  // The day named is the last one on which the token works.
  const day = parseDateTime(`${text}T00:00:00Z`)
  const instant = day ? instantOf(Date.parse(day.instant) + 86_400_000) : parseDateTime(text)?.instant
  if (instant === undefined)
    throw new Problem(
      `--expires must be a day such as 2027-12-31 or an ISO 8601 date-time (it is “${text}”).`,
    )
  if (Date.parse(instant) <= Date.now()) throw new Problem(`--expires lies in the past (it is “${text}”).`)
  return instant
}

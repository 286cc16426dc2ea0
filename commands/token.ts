// Creates, rotates, lists and revokes API tokens from a shell.
import { parseArgs } from 'node:util'
import { CliError, print } from '../local/tools/terminal.ts'
import {
  ABILITIES,
  type Ability,
  createToken,
  listTokens,
  OVERLAP_SECONDS_MAX,
  PERSONAL_ABILITIES,
  PERSONAL_DAYS_DEFAULT,
  PERSONAL_DAYS_MAX,
  revokeToken,
  rotateToken,
  type TokenSummary,
} from '../shared/tokens/token-store.ts'
import { formatInstant, parseDateTime } from '../shared/utilities/date-times.ts'
import { isNetwork } from '../shared/utilities/private-networks.ts'
import {
  createAuditedWriter,
  printList,
  readId,
  readWholeNumber,
  runAction,
  runCommand,
  toInstant,
  withDatabase,
} from './command.ts'
import { findBuildings, findUser, readPersonalExpiry } from './token/limits.ts'

const usage = `Creates, lists and revokes API tokens.

  npm run token -- create --name NAME --abilities LIST [--expires DATE] [--rate-limit NUMBER] [--addresses LIST] [--building NAME]… [--json]
  npm run token -- create --user EMAIL [--name NAME] [--abilities LIST] [--expires DATE] …
  npm run token -- rotate ID [--overlap TIME] [--json]
  npm run token -- list [--json]
  npm run token -- revoke ID

  --abilities   one or more of ${ABILITIES.join(', ')}, separated by commas; or all
  --expires     a date (the token works to the end of that day, in UTC) or an ISO 8601 date-time (default: never)
  --rate-limit  requests a minute (default: the server's limit)
  --addresses   networks or addresses from which it works, separated by commas, such as 192.0.2.0/24 (default: any)
  --building    the id or name of a building that the token is limited to; may be repeated (default: all)
  --user        the e-mail of a person: the token can only see and change that person’s own data
                (default: --abilities read,booking-write, --expires in ${PERSONAL_DAYS_DEFAULT} days; ${PERSONAL_DAYS_MAX} at most)
  --overlap     how long the previous secret keeps working, such as 30m, 24h or 7d (default: 24h; 0h: not at all)
  --json        print one JSON value, for scripts (npm run --silent token -- … prints nothing else)`

const NAME_LENGTH_MAX = 255
const RATE_LIMIT_MAX = 2 ** 31 - 1
const UNIT_SECONDS: Record<string, number> = { m: 60, h: 3_600, d: 86_400 }

// The name of this command, which the audit log shows as the author of its writes.
const COMMAND_NAME = 'npm run token'
const runAuditedWrite = createAuditedWriter(COMMAND_NAME)

await runCommand(usage, (args) => runAction({ create, rotate, list, revoke }, args))

async function create(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      name: { type: 'string' },
      user: { type: 'string' },
      abilities: { type: 'string' },
      expires: { type: 'string' },
      'rate-limit': { type: 'string' },
      addresses: { type: 'string' },
      building: { type: 'string', multiple: true },
      json: { type: 'boolean', default: false },
    },
  })
  const { user } = values
  const name = readName(values.name ?? user)
  const abilities = readAbilities(
    values.abilities ?? (user === undefined ? undefined : PERSONAL_ABILITIES.join(',')),
  )
  const until = values.expires === undefined ? undefined : readExpiry(values.expires)
  const expiresAt = user === undefined ? until : readPersonalExpiry(until)
  const limit = values['rate-limit']
  const rateLimitPerMinute =
    limit === undefined ? undefined : readWholeNumber('rate-limit', limit, { min: 1, max: RATE_LIMIT_MAX })
  const addresses = readAddresses(values.addresses)
  const asked = values.building
  const buildingIds = asked && (await withDatabase((database) => findBuildings(database, asked)))
  const userId = user === undefined ? undefined : await withDatabase((database) => findUser(database, user))
  const limits = { expiresAt, rateLimitPerMinute, addresses, buildingIds, userId }
  const wanted = { name, abilities, ...limits, createdBy: COMMAND_NAME }
  const { id, token } = await runAuditedWrite(
    'tokens.create',
    (trx) => createToken(trx, wanted),
    (created) => ({ id: created.id, after: wanted }),
  )
  if (values.json) {
    const nullable = { expiresAt: expiresAt ?? null, buildingIds: buildingIds ?? null }
    return print(JSON.stringify({ id, name, abilities, ...nullable, userId, token }))
  }
  print(`Token ${id} “${name}” created (${abilities.join(', ')}). It is shown only once:\n\n${token}\n`)
}

async function rotate(args: string[]): Promise<void> {
  const options = { overlap: { type: 'string' }, json: { type: 'boolean', default: false } } as const
  const { positionals, values } = parseArgs({ args, options, allowPositionals: true })
  const id = readId(positionals, 'token', 'rotate')
  const overlapSeconds = readOverlap(values.overlap)
  const secret = await runAuditedWrite(
    'tokens.rotate',
    (trx) => rotateToken(trx, id, overlapSeconds),
    (done) => (done ? { id, after: { overlapSeconds } } : undefined),
  )
  if (!secret) throw new CliError(`Token ${id} does not exist or is revoked.`)
  if (values.json) return print(JSON.stringify({ id, token: secret, overlapSeconds }))
  print(`Token ${id} has a new secret. It is shown only once:\n\n${secret}\n`)
}

async function list(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { json: { type: 'boolean', default: false } } })
  printList((await withDatabase(listTokens)).map(describeToken), {
    json: values.json,
    none: 'No tokens yet.',
    columns: {
      id: 'id',
      name: 'name',
      abilities: 'abilities',
      createdAt: 'created',
      expiresAt: 'expires',
      lastUsedAt: 'last used',
      requests: 'requests',
      state: 'state',
    },
  })
}

async function revoke(args: string[]): Promise<void> {
  const { positionals } = parseArgs({ args, options: {}, allowPositionals: true })
  const id = readId(positionals, 'token', 'revoke')
  const revoked = await runAuditedWrite(
    'tokens.revoke',
    (trx) => revokeToken(trx, id),
    (done) => (done ? { id } : undefined),
  )
  if (!revoked) throw new CliError(`Token ${id} does not exist or is already revoked.`)
  print(`Token ${id} revoked.`)
}

function describeToken(token: TokenSummary) {
  const expired = token.expires_at !== null && Date.parse(toInstant(token.expires_at) ?? '') <= Date.now()
  return {
    id: token.id,
    name: token.name,
    abilities: token.abilities,
    rateLimitPerMinute: token.rate_limit_per_minute,
    buildingIds: token.building_ids?.map(Number) ?? null,
    userId: token.user_id,
    createdBy: token.created_by,
    createdAt: toInstant(token.created_at),
    expiresAt: toInstant(token.expires_at),
    lastUsedAt: toInstant(token.last_used_at),
    requests: token.requests,
    state: token.revoked_at !== null ? 'revoked' : expired ? 'expired' : 'active',
  }
}

function readOverlap(text = '24h'): number {
  const [, number = '', unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? []
  const seconds = Number(number) * (UNIT_SECONDS[unit] ?? Number.NaN)
  if (number !== '' && seconds <= OVERLAP_SECONDS_MAX) return seconds
  throw new CliError(`--overlap must be a time of up to 30 days such as 30m, 24h or 7d, not “${text}”.`)
}

function readAddresses(text?: string): string[] | undefined {
  if (text === undefined) return undefined
  const addresses = text.split(',').map((each) => each.trim())
  const wrong = addresses.find((each) => !isNetwork(each))
  if (wrong === undefined) return addresses
  throw new CliError(`--addresses takes addresses and networks such as 192.0.2.0/24, not “${wrong}”.`)
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
  // Returns the end of the named day, because the token still works on that day.
  const day = parseDateTime(`${text}T00:00:00Z`)
  const instant = day ? formatInstant(Date.parse(day.instant) + 86_400_000) : parseDateTime(text)?.instant
  if (instant === undefined)
    throw new CliError(`--expires must be a date such as 2027-12-31 or an ISO 8601 date-time, not “${text}”.`)
  if (Date.parse(instant) <= Date.now()) throw new CliError(`--expires must be in the future, not “${text}”.`)
  return instant
}

// Erases users from a shell: deletes their personal data, and keeps their past bookings only for statistics.
import { parseArgs } from 'node:util'
import { CliError, print } from '../local/tools/terminal.ts'
import { describeObstacle, eraseUser, planErasure } from '../shared/erasures/erase-user.ts'
import { Refusal } from '../shared/messages/refusal.ts'
import { writeEnglish } from '../shared/messages/write-message.ts'
import type { Erasure } from '../shared/users/users.ts'
import { createCommandAuthor, readId, runAction, runCommand, withDatabase } from './command.ts'

const usage = `Erases a user: no name, e-mail or license plate is left. See docs/privacy.md.

  npm run user -- erase ID [--dry-run] [--json]

  --dry-run  show what would be done, without changing anything
  --json     print one JSON value, for scripts (npm run --silent user -- … prints nothing else)

Upcoming bookings and events of the user are cancelled. Past ones stay without the name of the user. The audit
log, files and finished jobs follow within half an hour if workers are running. This cannot be undone.`

// The name of this command, which the audit log shows as the author of its writes.
const COMMAND_NAME = 'npm run user'

await runCommand(usage, (args) => runAction({ erase }, args))

async function erase(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    options: { 'dry-run': { type: 'boolean', default: false }, json: { type: 'boolean', default: false } },
    allowPositionals: true,
  })
  const id = readId(positionals, 'user', 'erase')
  const now = new Date().toISOString()
  const isDryRun = values['dry-run']
  const erasure = await withDatabase(async (database) => {
    const plan = await planErasure(database, id, now)
    const obstacle = describeObstacle(plan)
    if (obstacle !== undefined) throw new CliError(writeEnglish(obstacle))
    if (!isDryRun)
      return database.transaction((trx) => eraseUser(trx, { id, now }, createCommandAuthor(COMMAND_NAME)))
    const { name: _, email: __, isAdministrator: ___, ...counts } = plan
    return counts
  }).catch((error: unknown) => {
    throw error instanceof Refusal ? new CliError(error.message) : error
  })
  if (values.json) return print(JSON.stringify({ id, dryRun: isDryRun, ...erasure }))
  print(isDryRun ? `User ${id} would be erased. Nothing was changed.` : `User ${id} erased.`)
  print(formatErasure(erasure))
}

function formatErasure(erasure: Erasure): string {
  const lines: Array<[number: number, text: string]> = [
    [erasure.cancelledBookings, 'upcoming bookings cancelled'],
    [erasure.endedBookings, 'current bookings ended'],
    [erasure.anonymousBookings, 'bookings made anonymous'],
    [erasure.cancelledEvents, 'upcoming events cancelled'],
    [erasure.anonymousEvents, 'events made anonymous'],
    [erasure.attendances, 'events of others left'],
    [erasure.assignments, 'assigned bookables given back'],
    [erasure.vehicles, 'vehicles deleted'],
  ]
  return lines.map(([number, text]) => `  ${String(number).padStart(6)}  ${text}`).join('\n')
}

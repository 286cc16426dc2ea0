// Migrates the database to the version of this code, reverts the newest migration, or lists the applied ones.
import { parseArgs } from 'node:util'
import { CliError, print } from '../local/tools/terminal.ts'
import { followCluster, OUTBOX_MOVED_MESSAGE } from '../shared/changes/cluster.ts'
import {
  migrateDown,
  migrateUp,
  NewerDatabaseError,
  readMigrationStatus,
} from '../shared/database/migrations.ts'
import { runAction, runCommand, withDatabase } from './command.ts'

const usage = `Migrates the database to the version of this code.

  npm run migrate             apply all pending migrations
  npm run migrate -- down     revert the newest migration; the data in its tables and columns is lost
  npm run migrate -- status   list applied and pending migrations`

await runCommand(usage, (args) => runAction({ up, down, status }, args.length === 0 ? ['up'] : args))

async function up(args: string[]): Promise<void> {
  parseArgs({ args, options: {} })
  const { names, newer, moved } = await withDatabase(async (database) => ({
    names: await migrateUp(database, { onWait: print }),
    ...(await readMigrationStatus(database)),
    moved: await followCluster(database),
  }))
  if (newer.length > 0) print(`${new NewerDatabaseError(newer).message} These were left as they are.`)
  print(names.length === 0 ? 'The database is up to date.' : `Applied ${names.join(', ')}.`)
  if (moved) print(`${OUTBOX_MOVED_MESSAGE[0]?.toUpperCase()}${OUTBOX_MOVED_MESSAGE.slice(1)}.`)
}

async function down(args: string[]): Promise<void> {
  parseArgs({ args, options: {} })
  const names = await withDatabase((database) => migrateDown(database, { onWait: print })).catch(
    (error: unknown) => {
      if (error instanceof NewerDatabaseError)
        throw new CliError(`${error.message} Revert these with that release.`)
      throw error
    },
  )
  print(names.length === 0 ? 'Nothing to revert.' : `Reverted ${names.join(', ')}.`)
}

async function status(args: string[]): Promise<void> {
  parseArgs({ args, options: {} })
  const { applied, pending, newer } = await withDatabase(readMigrationStatus)
  for (const name of applied) print(`applied  ${name}`)
  for (const name of pending) print(`pending  ${name}`)
  for (const name of newer) print(`newer    ${name}`)
}

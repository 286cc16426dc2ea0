// Brings the database to the version of this code, takes the newest step back, or tells where it stands.
import { parseArgs } from 'node:util'
import { say } from '../local/terminal.ts'
import { migrateDown, migrateUp, migrationStatus } from '../shared/migrations.ts'
import { runAction, runCommand, withDatabase } from './command.ts'

const usage = `Brings the database to the version of this code.

  npm run migrate             applies what is pending
  npm run migrate -- down     takes the newest migration back, with the data in its tables
  npm run migrate -- status   lists what is applied and what is pending`

await runCommand(usage, (words) => runAction({ up, down, status }, words.length === 0 ? ['up'] : words))

async function up(words: string[]): Promise<void> {
  parseArgs({ args: words, options: {} })
  const names = await withDatabase(migrateUp)
  say(names.length === 0 ? 'The database is up to date.' : `Applied ${names.join(', ')}.`)
}

async function down(words: string[]): Promise<void> {
  parseArgs({ args: words, options: {} })
  const names = await withDatabase((database) => migrateDown(database))
  say(names.length === 0 ? 'There is nothing to take back.' : `Took back ${names.join(', ')}.`)
}

async function status(words: string[]): Promise<void> {
  parseArgs({ args: words, options: {} })
  const { applied, pending } = await withDatabase(migrationStatus)
  for (const name of applied) say(`applied  ${name}`)
  for (const name of pending) say(`pending  ${name}`)
}

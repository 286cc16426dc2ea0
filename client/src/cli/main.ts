#!/usr/bin/env node
// `berth`: bookings from the command line, and tools for integrators. Exit codes: 0 success, 1 refused or failed, 2
// wrong usage, 3 not signed in, 4 the server cannot be reached or is too busy, 130 ended by Ctrl-C.
import { readFileSync } from 'node:fs'
import { AuthenticationError, BerthError } from '../errors.ts'
import { bookCommand, cancelCommand, freeCommand, mineCommand, whoCommand } from './commands/booking.ts'
import { changesCommand, listenCommand, triggerCommand } from './commands/feed.ts'
import { loginCommand, logoutCommand } from './commands/login.ts'
import { requestCommand } from './commands/request.ts'
import { createCompletionCommand } from './completion.ts'
import { type Command, formatHelp, formatPairs, parseCommand, UsageError } from './terminal/command.ts'
import { SignInError } from './terminal/config.ts'
import { print, printNote, toPrintable } from './terminal/terminal.ts'

const completionCommand = createCompletionCommand(() => COMMANDS)
const COMMANDS: Command[] = [
  loginCommand,
  logoutCommand,
  bookCommand,
  freeCommand,
  whoCommand,
  mineCommand,
  cancelCommand,
  changesCommand,
  listenCommand,
  triggerCommand,
  requestCommand,
  completionCommand,
]

const HELP_OVERVIEW = `Books desks, parking spots and rooms, and helps to build on Berth.

Usage: berth COMMAND [options]

${formatPairs(COMMANDS.map(({ name, summary }) => [name, summary]))}

berth COMMAND --help explains a command. Times are in the time zone of this computer.
Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 not signed in, 4 server unreachable or busy.`

const controller = new AbortController()
process.once('SIGINT', () => {
  controller.abort()
  process.exitCode = 130
})
// Ends quietly if the reader of the output closes the pipe, as in `berth changes | head`.
process.stdout.on('error', () => process.exit(0))

process.exitCode = await main(process.argv.slice(2))

async function main([name, ...args]: string[]): Promise<number> {
  if (name === undefined || name === 'help' || name === '--help') {
    print(HELP_OVERVIEW)
    return name === undefined ? 2 : 0
  }
  if (name === '--version') {
    print(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version)
    return 0
  }
  try {
    const command = COMMANDS.find((each) => each.name === name)
    if (!command) throw new UsageError(`There is no command “${name}”. See: berth --help`)
    const given = parseCommand(command, args, controller.signal)
    if (given.flag('help')) print(formatHelp(command))
    else await command.run(given)
    return 0
  } catch (error) {
    if (controller.signal.aborted) return 130
    reportError(error, args.includes('--json'))
    return getExitCode(error)
  }
}

function getExitCode(error: unknown): number {
  if (error instanceof UsageError) return 2
  if (error instanceof SignInError || error instanceof AuthenticationError) return 3
  if (error instanceof BerthError && (error.status === 0 || error.status === 429 || error.status >= 500))
    return 4
  return 1
}

function reportError(error: unknown, isJson: boolean): void {
  const { message } = error as Error
  if (isJson && error instanceof BerthError)
    printNote(JSON.stringify({ status: error.status, code: error.code, detail: message, ...error.problem }))
  else printNote(toPrintable(message))
  if (isJson || !(error instanceof BerthError)) return
  for (const [field, texts] of Object.entries(error.errors))
    printNote(toPrintable(`  ${field}: ${texts.join(' ')}`))
  const names = error.alternatives.map(({ id, name }) => `${name} (${id})`)
  if (names.length > 0) printNote(toPrintable(`Free instead: ${names.join(', ')}`))
}

// Reads an administrator's password from standard input or a terminal, or generates one. Never takes it from an
// argument, which every process on the machine could read.
import { randomBytes } from 'node:crypto'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { CliError } from '../local/tools/terminal.ts'
import { PASSWORD_LENGTH_MIN } from '../shared/administrators/admin-store.ts'

export type Password = { password: string; generated: boolean }

export async function obtainPassword(fromStdin: boolean): Promise<Password> {
  if (fromStdin) return checkPassword((await text(process.stdin)).replace(/\r?\n$/, ''))
  if (!process.stdin.isTTY) return generatePassword()
  const [password = '', repeated] = await askHidden([
    `Password (at least ${PASSWORD_LENGTH_MIN} characters; leave empty to generate one): `,
    'Repeat password: ',
  ])
  if (!password) return generatePassword()
  if (password !== repeated) throw new CliError('The passwords do not match. Nothing was changed.')
  return checkPassword(password)
}

function checkPassword(password: string): Password {
  if ([...password].length >= PASSWORD_LENGTH_MIN) return { password, generated: false }
  throw new CliError(
    `The password must have at least ${PASSWORD_LENGTH_MIN} characters. Nothing was changed.`,
  )
}

function generatePassword(): Password {
  return { password: randomBytes(16).toString('base64url'), generated: true }
}

/** Asks the questions without echo and on stderr, so that stdout stays clean. An empty answer ends the questions. */
async function askHidden(questions: string[]): Promise<string[]> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const reader = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  reader.on('SIGINT', () => reader.close())
  // Buffers lines that arrive before they are requested, for example when the user pastes. question() would lose them.
  const lines = reader[Symbol.asyncIterator]()
  const answers: string[] = []
  try {
    for (const question of questions) {
      process.stderr.write(question)
      const line = await lines.next()
      process.stderr.write('\n')
      if (line.done) throw new CliError('Cancelled. Nothing was changed.')
      answers.push(line.value)
      if (!line.value) break
    }
    return answers
  } finally {
    reader.close()
  }
}

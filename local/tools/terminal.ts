// Output of `npm start` and the commands: plain lines, and errors in one sentence without a stack.

/** An error that the user can fix. Its message is all that they need. */
export class CliError extends Error {}

const REASONS: Record<string, string> = {
  EEXIST: 'a file with that name exists',
  EACCES: 'permission denied (perhaps another user or root created it)',
  EPERM: 'permission denied (perhaps another user or root created it)',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'part of the path is not a folder',
}

// A closed terminal or pipe must not end the process before it has stopped its children.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

export const print = (line: string) => void process.stdout.write(`${line}\n`)
export const printError = (line: string) => void process.stderr.write(`${line}\n`)

/** The message of an expected error; anything else is a bug, and shows its stack. */
export function formatError(error: unknown): string {
  if (error instanceof CliError) return error.message
  if (!(error instanceof Error)) return String(error)
  const { code, path } = error as NodeJS.ErrnoException
  const reason = REASONS[code ?? '']
  return path && reason ? `Cannot use ${path}: ${reason}.` : (error.stack ?? error.message)
}

// initdb always ends with a line about cleaning up.
const TIDYING = /^initdb: removing /

/** The last line that a failed program printed: usually the reason. */
export function lastLine(error: unknown): string {
  const text = (error as { stderr?: string }).stderr?.trim() || (error as Error).message
  return text.split('\n').findLast((line) => line.trim() !== '' && !TIDYING.test(line)) ?? text
}

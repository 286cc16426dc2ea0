// The output of `npm start` and the commands: plain lines, and errors as one sentence without a stack trace.

/** An error that the user can fix, so they see only its message. */
export class CliError extends Error {}

const ERROR_REASONS: Record<string, string> = {
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

/** Returns the message of an expected error. Any other error is a bug, and is shown with its stack trace. */
export function formatError(error: unknown): string {
  if (error instanceof CliError) return error.message
  if (!(error instanceof Error)) return String(error)
  const { code, path } = error as NodeJS.ErrnoException
  const reason = ERROR_REASONS[code ?? '']
  return path && reason ? `Cannot use ${path}: ${reason}.` : (error.stack ?? error.message)
}

// Matches the line about cleaning up, which initdb always prints last.
const CLEAN_UP_LINE = /^initdb: removing /

/** Returns the last line that a failed program printed, which is usually the reason. */
export function findLastLine(error: unknown): string {
  const text = (error as { stderr?: string }).stderr?.trim() || (error as Error).message
  return text.split('\n').findLast((line) => line.trim() !== '' && !CLEAN_UP_LINE.test(line)) ?? text
}

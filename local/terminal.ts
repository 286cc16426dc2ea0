// What `npm start` and the commands print: plain lines for a person, and errors of one sentence without a stack.

/** Something the person at the keyboard can fix. Its message is all that they need to read. */
export class CliError extends Error {}

const REASONS: Record<string, string> = {
  EEXIST: 'a file with that name exists',
  EACCES: 'permission denied (perhaps another user or root created it)',
  EPERM: 'permission denied (perhaps another user or root created it)',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'part of the path is not a folder',
}

// A closed terminal or pipe is no reason to end without having stopped what runs.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

export function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

export function printError(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** The sentence of an expected error; anything else is a bug, and shows where it happened. */
export function formatError(error: unknown): string {
  if (error instanceof CliError) return error.message
  if (!(error instanceof Error)) return String(error)
  const { code, path } = error as NodeJS.ErrnoException
  const reason = REASONS[code ?? '']
  return path && reason ? `Cannot use ${path}: ${reason}.` : (error.stack ?? error.message)
}

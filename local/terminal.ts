// How `npm start` speaks: plain lines for a person, and problems that are one sentence without a stack.

/** Something the person at the keyboard can mend. Its message is the whole of what they need to read. */
export class Problem extends Error {}

const REASONS: Record<string, string> = {
  EEXIST: 'a file has that name',
  EACCES: 'this user may not (perhaps it was made by another user, or as root)',
  EPERM: 'this user may not (perhaps it was made by another user, or as root)',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is not a folder',
}

// A closed terminal or pipe is no reason to end without having stopped what runs.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

export function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

export function complain(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** A problem's sentence; anything else is a bug, and shows where it happened. */
export function wordProblem(error: unknown): string {
  if (error instanceof Problem) return error.message
  if (!(error instanceof Error)) return String(error)
  const { code, path } = error as NodeJS.ErrnoException
  const reason = REASONS[code ?? '']
  return path && reason ? `Berth cannot use ${path}: ${reason}.` : (error.stack ?? error.message)
}

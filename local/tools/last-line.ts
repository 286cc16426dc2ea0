// The last line that a failed program printed: usually the reason.

// initdb always ends with a line about cleaning up.
const TIDYING = /^initdb: removing /

export function lastLine(error: unknown): string {
  const text = (error as { stderr?: string }).stderr?.trim() || (error as Error).message
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !TIDYING.test(line))
  return lines.at(-1) ?? text
}

// What a program said last before it failed: most tell there what went wrong.

// initdb ends by saying that it tidies up, whatever it was that went wrong.
const TIDYING = /^initdb: removing /

export function lastLine(error: unknown): string {
  const text = (error as { stderr?: string }).stderr?.trim() || (error as Error).message
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !TIDYING.test(line))
  return lines.at(-1) ?? text
}

// The doctor's findings: each has a subject, and a remedy if one is needed.
export type Level = 'ok' | 'warning' | 'problem'
export type Finding = { level: Level; about: string; says: string; todo?: string }

export const ok = (about: string, says: string): Finding => ({ level: 'ok', about, says })
export const warning = (about: string, says: string, todo: string): Finding => ({
  level: 'warning',
  about,
  says,
  todo,
})
export const problem = (about: string, says: string, todo: string): Finding => ({
  level: 'problem',
  about,
  says,
  todo,
})

/** A failing check becomes a finding; the others continue. */
export async function examine(about: string, check: () => Promise<Finding | Finding[]>): Promise<Finding[]> {
  try {
    return [await check()].flat()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return [warning(about, `could not be looked at: ${reason}`, 'See that this role or user may look at it.')]
  }
}

export function formatFindings(findings: Finding[]): string {
  const width = Math.max(...findings.map(({ about }) => about.length))
  return findings
    .map(({ level, about, says, todo }) => {
      const line = `${level.padEnd(8)} ${about.padEnd(width)}  ${says}`
      return todo === undefined ? line : `${line}\n${' '.repeat(width + 9)}  -> ${todo}`
    })
    .join('\n')
}

const GIBIBYTE = 1024 ** 3
const MEBIBYTE = 1024 ** 2

export function formatSize(bytes: number): string {
  return bytes >= GIBIBYTE ? `${(bytes / GIBIBYTE).toFixed(1)} GiB` : `${(bytes / MEBIBYTE).toFixed(0)} MiB`
}

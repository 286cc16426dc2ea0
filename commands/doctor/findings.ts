// What the doctor finds: each finding has a subject, and a remedy if one is needed.
type Level = 'ok' | 'warning' | 'problem'
type Fault = { level: Level; says: string; todo: string }

export type Finding = { level: Level; about: string; says: string; todo?: string }

/** What a check says: what it saw where all is fine, a fault, or nothing where it does not apply. */
export type Verdict = string | Fault | undefined
export type Checks<Facts> = Record<string, (facts: Facts) => Verdict>

export const warning = (says: string, todo: string): Fault => ({ level: 'warning', says, todo })
export const problem = (says: string, todo: string): Fault => ({ level: 'problem', says, todo })

export function judge<Facts>(checks: Checks<Facts>, facts: Facts): Finding[] {
  return Object.entries(checks).flatMap(([about, check]) => toFinding(about, check(facts)))
}

export function toFinding(about: string, verdict: Verdict): Finding[] {
  if (verdict === undefined) return []
  return [typeof verdict === 'string' ? { level: 'ok', about, says: verdict } : { about, ...verdict }]
}

/** Runs checks at once; one that fails becomes a finding, and the others continue. */
export async function examine(checks: Record<string, () => Verdict | Promise<Verdict>>): Promise<Finding[]> {
  const found = Object.entries(checks).map(async ([about, check]) => {
    try {
      return toFinding(about, await check())
    } catch (error) {
      const says = `could not be looked at: ${reasonOf(error)}`
      return toFinding(about, warning(says, 'See that this role or user may look at it.'))
    }
  })
  return (await Promise.all(found)).flat()
}

export const reasonOf = (error: unknown) => (error instanceof Error && error.message) || String(error)

export function formatFindings(findings: Finding[]): string {
  const width = Math.max(...findings.map(({ about }) => about.length))
  return findings
    .map(({ level, about, says, todo }) => {
      const line = `${level.padEnd(8)} ${about.padEnd(width)}  ${says}`
      return todo === undefined ? line : `${line}\n${' '.repeat(width + 9)}  -> ${todo}`
    })
    .join('\n')
}

const MEBIBYTE = 1024 ** 2

export function formatSize(bytes: number): string {
  const mebibytes = bytes / MEBIBYTE
  return mebibytes >= 1024 ? `${(mebibytes / 1024).toFixed(1)} GiB` : `${mebibytes.toFixed(0)} MiB`
}

const CLOCK_MS_MAX = 1_000

/** The minimum by which this machine is ahead. The duration of the request does not count as a difference. */
export async function leastAheadMs(
  ask: () => Promise<number>,
  now: () => number = Date.now,
): Promise<number> {
  const beforeMs = now()
  const thereMs = await ask()
  const afterMs = now()
  return thereMs < beforeMs ? beforeMs - thereMs : Math.min(0, afterMs - thereMs)
}

/** `fault` is for a difference of more than a second. */
export function judgeClock(aheadMs: number, fault: (says: string, todo: string) => Fault): Verdict {
  const awayMs = Math.round(Math.abs(aheadMs))
  if (awayMs === 0) return 'as this machine'
  const says = `${awayMs} ms ${aheadMs < 0 ? 'before' : 'behind'} this machine`
  return awayMs <= CLOCK_MS_MAX ? says : fault(says, 'Let all machines follow NTP.')
}

// What becomes of broken rules: the first one is the refusal, unless an administrator overrides them; then the audit log
// has which ones.
import type { Refusal, RefusalCode } from '../../../shared/refusal.ts'

export type Overridable = { overrides_rules?: boolean | undefined }

/** Returns what is overridden. */
export function throwUnlessOverridden(broken: Refusal[], { overrides_rules }: Overridable): RefusalCode[] {
  const [first] = broken
  if (first && !overrides_rules) throw first
  return broken.map(({ code }) => code)
}

/** A row as the audit log keeps it. */
export function withOverridden(row: unknown, overridden: RefusalCode[]): unknown {
  return overridden.length > 0 ? { ...(row as object), overridden_rules: overridden } : row
}

// Throws the first broken rule, unless an administrator overrides them, which the audit log records.
import type { Refusal, RefusalCode } from '../../../shared/messages/refusal.ts'

export type Overridable = { overrides_rules?: boolean | undefined }

/** Returns the overridden rules. */
export function throwUnlessOverridden(broken: Refusal[], { overrides_rules }: Overridable): RefusalCode[] {
  const [first] = broken
  if (first && !overrides_rules) throw first
  return broken.map(({ code }) => code)
}

/** Adds the overridden rules to a row for the audit log. */
export function withOverridden(row: unknown, overridden: RefusalCode[]): unknown {
  return overridden.length > 0 ? { ...(row as object), overridden_rules: overridden } : row
}

// What a write may require of the present state: an ETag, the version of a form, fields that stay. The row is
// locked already, so each check is final.
import type * as yup from 'yup'
import { field, message } from '../../../shared/messages/message.ts'
import { type FieldErrors, invalid, Refusal } from '../../../shared/messages/refusal.ts'
import { contentSql, type Versioned, versionedTable, versionSql } from '../../../shared/schemas/versions.ts'
import { etagOf } from '../../../shared/utilities/etags.ts'
import type { Values, Write } from '../../runtime/write.ts'

/**
 * If-Match: refuses a write that was made for another state. `select` returns the body of the resource's GET.
 * Without ETags there is no condition and no query.
 */
export async function requireMatch(
  write: Write,
  etags: string[] | undefined,
  select: string,
  values: Values,
): Promise<void> {
  if (etags === undefined || etags.includes(await findETag(write, select, values))) return
  throw new Refusal('precondition_failed', message`It has been changed since this ETag. Nothing was done.`)
}

/** The ETag that the resource's GET has once this transaction is committed. */
export async function findETag(write: Write, select: string, values: Values): Promise<string> {
  return etagOf((await write.only<{ body: string }>(select, values)).body)
}

/** Refuses input from an outdated form. Without a version, whatever is there is replaced. */
export async function requireVersion(write: Write, of: Versioned, id: number, expected: string | undefined) {
  if (expected === undefined) return
  const { version, present } = await write.only<{ version: string; present: unknown }>(
    `SELECT ${versionSql(of)} AS version, ${contentSql(of)} AS present FROM ${versionedTable(of)} WHERE id = ?`,
    [id],
  )
  if (version === expected) return
  const detail = message`This was changed while you were editing it. Nothing was saved.`
  throw new Refusal('changed_meanwhile', detail, { members: { version, present } })
}

/** Refuses changes to fields that are fixed at creation (contracts/fixed.ts). */
export function refuseFixed(
  { fields }: { fields: Record<string, unknown> },
  input: Record<string, unknown>,
  present: Record<string, unknown>,
) {
  const errors: FieldErrors = {}
  for (const [name, schema] of Object.entries(fields)) {
    const way = (schema as yup.AnySchema).spec.meta?.fixed
    if (!way || input[name] === undefined) continue
    if (comparable(input[name]) !== comparable(present[name]))
      errors[name] = [message`${field(name)} cannot be changed here: ${way}`]
  }
  if (Object.keys(errors).length > 0) throw invalid(errors)
}

// Ids may be numbers or digits, texts are trimmed, and an empty text counts as absent.
const comparable = (value: unknown) =>
  typeof value === 'object' && value !== null ? value : String(value ?? '').trim()

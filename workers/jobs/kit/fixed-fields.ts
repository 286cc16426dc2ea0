// Refuses changes to fields that are fixed at creation (contracts/fixed.ts).
import type * as yup from 'yup'
import { field, message } from '../../../shared/messages/message.ts'
import { type FieldErrors, invalid } from '../../../shared/messages/refusal.ts'

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
const comparable = (value: unknown) => (typeof value === 'object' && value !== null ? value : text(value))
const text = (value: unknown) => String(value ?? '').trim()

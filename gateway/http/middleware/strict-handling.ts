// `Prefer: handling=strict` (RFC 7240): refuses every parameter and field that the operation does not know,
// and suggests the nearest name that it does. Without this preference they are ignored.
import * as yup from 'yup'
import { joinMessages, message } from '../../../shared/messages/message.ts'
import type { FieldErrors } from '../../../shared/messages/refusal.ts'
import type { Context } from '../../services/context.ts'

const STRICT = /(?:^|,)\s*handling\s*=\s*(?:strict|"strict")\s*(?=[;,]|$)/i

/** More of them help no one, and a body has room for half a million. */
const UNKNOWN_MAX = 50
const NAME_LENGTH_MAX = 100
const MISSPELT_BY_MAX = 2

export function takesStrictHandling(ctx: Context): boolean {
  const { prefer } = ctx.headers
  if (prefer === undefined || !STRICT.test(String(prefer))) return false
  ctx.set('Preference-Applied', 'handling=strict')
  return true
}

const PROBLEMS = {
  parameter: (name: string) => message`There is no parameter ${name} here.`,
  field: (name: string) => message`There is no field ${name} here.`,
}

type Unknown = { path: string; name: string; known: string[] }

/** Adds the members of a query or body that its schema does not have, also inside its lists and objects. */
export function refuseUnknown(
  schema: yup.AnySchema,
  value: unknown,
  errors: FieldErrors,
  kind: 'parameter' | 'field',
) {
  const found: Unknown[] = []
  findUnknown(schema, value, '', found)
  for (const { path, name, known } of found) {
    const near = nearest(name, known)
    const problem = PROBLEMS[kind](name)
    const hint = near === undefined ? [] : [message`Did you mean ${near}?`]
    errors[path] = [...(errors[path] ?? []), joinMessages([problem, ...hint])]
  }
}

function findUnknown(schema: unknown, value: unknown, path: string, found: Unknown[]): void {
  if (typeof value !== 'object' || value === null || found.length >= UNKNOWN_MAX) return
  const pathOf = (name: string | number) => (path === '' ? `${name}` : `${path}.${name}`)
  if (schema instanceof yup.ArraySchema) {
    const max = Number(schema.spec.meta?.openapi?.maxItems ?? 0)
    if (!Array.isArray(value) || value.length > max) return
    for (const [index, item] of value.entries()) findUnknown(schema.innerType, item, pathOf(index), found)
  } else if (schema instanceof yup.ObjectSchema && !Array.isArray(value)) {
    const fields = schema.fields as Record<string, unknown>
    for (const [name, member] of Object.entries(value)) {
      if (Object.hasOwn(fields, name)) findUnknown(fields[name], member, pathOf(name), found)
      else if (found.length < UNKNOWN_MAX) found.push(unknownOf(pathOf(name), name, Object.keys(fields)))
    }
  }
}

const unknownOf = (path: string, name: string, known: string[]): Unknown => ({
  path: path.slice(-NAME_LENGTH_MAX),
  name: name.slice(0, NAME_LENGTH_MAX),
  known,
})

function nearest(name: string, known: string[]): string | undefined {
  const misspelt = known.map((each) => ({ each, by: distance(name.toLowerCase(), each.toLowerCase()) }))
  const [first] = misspelt.sort((a, b) => a.by - b.by)
  return first && first.by <= Math.min(MISSPELT_BY_MAX, first.each.length - 1) ? first.each : undefined
}

/** How many letters must be replaced, added or removed to turn one word into the other. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...one].entries()) {
    const next = [i + 1]
    for (let j = 0; j < other.length; j++) {
      const replaced = (row[j] ?? 0) + (letter === other[j] ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

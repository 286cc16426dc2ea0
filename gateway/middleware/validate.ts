// Holds a request against its endpoint's schemas, and keeps only what they name. Every broken field is told at once.
import * as yup from 'yup'
import { dotted } from '../../shared/contracts/fields.ts'
import { type FieldErrors, invalid, Refusal } from '../../shared/refusal.ts'
import type { Context } from '../context.ts'
import type { Endpoint } from '../endpoint.ts'

export type Input = { params: unknown; query: unknown; body: unknown }

export function validate(endpoint: Endpoint, ctx: Context): Input {
  const found: FieldErrors = {}
  const query = check(endpoint.query, ctx.query, found, 'query')
  const body = endpoint.body
    ? check(endpoint.body, ctx.state.upload?.fields ?? ctx.request.body, found, 'body')
    : undefined
  if (Object.keys(found).length > 0) throw invalid(found)

  // A path that cannot name anything is an unknown one, and that comes after what the request itself says.
  const unknown: FieldErrors = {}
  const params = check(endpoint.params, ctx.params as unknown, unknown, 'path')
  if (Object.keys(unknown).length > 0) throw new Refusal('not_found', endpoint.missing)
  return { params, query, body }
}

function check(schema: yup.AnySchema, value: unknown, found: FieldErrors, part: string): unknown {
  try {
    return schema.validateSync(value, { abortEarly: false, stripUnknown: true })
  } catch (error) {
    if (!(error instanceof yup.ValidationError)) throw error
    const problems = error.inner.length > 0 ? error.inner : [error]
    for (const problem of problems) {
      const name = dotted(problem.path ?? '') || part
      found[name] = [...new Set([...(found[name] ?? []), ...problem.errors])]
    }
    return undefined
  }
}
